"""Readings that stand in blocks answer every question as if they were there one by one, in any mixture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts import state as of_state
from slowlink.facts.readings import growth, latest, latest_of, nodes_of
from slowlink.facts.state import state
from slowlink.facts.stretches import Told, joined, node_by_node, said_by_node, where
from slowlink.model.blocks import Block, HeldReadings, Template, held_readings
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.model.state import Collected, Part, Reading, Value

GUID, OTHER = "0x506b4b0300aa0001", "0x506b4b0300aa0002"
PARTS = [Part("hca", "mlx5_0"), Part("hca", "0000:18:00.0"), Part("gpu", "0"), Part("fabric-port", "lid 7/1")]
SAID = st.one_of(
    st.tuples(st.just("gpu-bus-id"), st.just(PARTS[2]), st.sampled_from(["0000:18:00.0", "0000:19:00.0"])),
    st.tuples(st.just("hca-bus-id"), st.just(PARTS[0]), st.just("0000:18:00.0")),
    st.tuples(st.just("hca-node-guid"), st.sampled_from(PARTS[:2]), st.sampled_from([GUID, OTHER])),
    st.tuples(st.just("hca-firmware"), st.sampled_from(PARTS[:2]), st.sampled_from(["28.43.1014", "28.43.2026"])),
    st.tuples(st.just("gpu-temperature"), st.just(PARTS[2]), st.integers(30, 33)),
    st.tuples(st.just("link-lid"), st.just(Part("fabric-port", "leaf1/1")), st.just(7)),
    st.tuples(st.just("link-state"), st.just(PARTS[3]), st.sampled_from(["Active", "Down"])),
)
HOSTS = st.sampled_from(["n1", "n2", "a", "n[3-4]", None])
TIMES = st.sampled_from([None, 1.0, 2.0])


@st.composite
def templates(draw: st.DrawFn) -> Template:
    said = draw(st.lists(SAID, min_size=1, max_size=6))
    lines = sorted(draw(st.lists(st.integers(1, 9), min_size=len(said), max_size=len(said))))
    own: str | None = draw(st.sampled_from([None, None, None, "n9"]))
    return Template(
        [Reading(*each, Ref("t", line, f"line {line}"), own) for each, line in zip(said, lines, strict=True)]  # type: ignore[call-arg]
    )


@st.composite
def blocks(draw: st.DrawFn, known: Sequence[Template]) -> Block:
    template = draw(st.sampled_from(known))
    by, host, at, source = draw(st.integers(0, 50)), draw(HOSTS), draw(TIMES), draw(st.sampled_from("ab"))
    changed = {}
    for place in draw(st.sets(st.integers(0, len(template.readings) - 1), max_size=2)):
        old = template.readings[place]
        attribute, part, value = draw(st.one_of(SAID, st.just((old.attribute, old.part, old.value))))
        changed[place] = Reading(attribute, part, value, Ref(source, old.ref.line + by, "another"), host, at)
    return Block(template, changed, source, by, host, at)


def spelt_out(said: tuple[str, Part, Value], line: int, source: str, host: str | None, at: float | None) -> Reading:
    return Reading(said[0], said[1], said[2], Ref(source, line, "single"), host, at)


@st.composite
def pieces(draw: st.DrawFn) -> list[Reading | Block]:
    known = draw(st.lists(templates(), min_size=1, max_size=2))
    single = st.builds(spelt_out, SAID, st.integers(1, 99), st.sampled_from("ab"), HOSTS, TIMES)
    return draw(st.lists(st.one_of(blocks(known), single), max_size=8))


def told_of(records: Sequence[Reading]) -> object:
    found = state(Records(readings=records, collected=(Collected("x", "ran", "", Ref("b", 3), "n2", 1.0),)))
    assert found is not None
    return {name: tuple(each.all) for name, each in found.readings.items()}, found.nodes, found.unnamed


@given(pieces())
def test_a_state_is_that_of_its_readings(some: list[Reading | Block]) -> None:
    held = HeldReadings(some)
    spelt = tuple(held)
    assert len(held) == len(spelt)
    assert held == spelt
    assert repr(told_of(held)) == repr(told_of(spelt))


@given(pieces(), st.integers(0, 30))
def test_every_question_has_the_same_answer(some: list[Reading | Block], at: int) -> None:
    found = state(Records(readings=HeldReadings(some), collected=(Collected("x", "ran", "", Ref("b", 3), "n2", 1.0),)))
    assert found is not None
    every = [each.all for each in found.readings.values()]
    for held in every:
        assert isinstance(held, Told)
        plain = Told(tuple(held))
        assert [each[:4] for each in shown(held)] == [each[:4] for each in shown(plain)]
        assert repr(latest_of(held)) == repr(latest_of(plain))
        assert repr([*latest(held).items()]) == repr([*latest(plain).items()])
        assert [*latest(held)] == [*latest(plain)]
        assert nodes_of(held) == nodes_of(plain)
        assert repr(growth(held)) == repr(growth(plain))
        assert repr(node_by_node(held)) == repr(node_by_node(plain))
        warm = where(held, lambda _, value: value != 31 and value != "Down")
        assert repr(warm) == repr(where(plain, lambda _, value: value != 31 and value != "Down"))
        assert repr(where(warm, lambda part, _: part.kind == "gpu")) == repr(
            where(Told(tuple(warm)), lambda part, _: part.kind == "gpu")
        )
        if at < len(held):
            assert held[at] == plain[at]
            assert held[at - len(held)] == plain[at]
            assert [*held[at:]] == [*plain[at:]]
    both = [Told(tuple(each)) for each in every]
    assert repr(joined(map(told_, every))) == repr(joined(both))
    assert said(map(told_, every)) == said(both)


def said(several: Iterable[Told]) -> list[object]:
    return [
        (node, [[*map(repr, some.readings())] for some in each.of_each])
        for node, each in said_by_node([*several]).items()
    ]


def told_(readings: Sequence[Reading]) -> Told:
    assert isinstance(readings, Told)
    return readings


def shown(readings: Told) -> list[tuple[object, ...]]:
    return [
        (each.host, each.start, each.end, repr((each.shape.parts, each.shape.values)), repr(readings.of(each)))
        for each in readings.stretches
    ]


def test_what_a_thousand_nodes_say_alike_is_not_made_to_be_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where their HCAs get another name: that is made once for all."""
    template = Template(
        [
            Reading("hca-bus-id", PARTS[0], "0000:18:00.0", Ref("t", 1, "a")),
            Reading("hca-firmware", PARTS[1], "28.43.1014", Ref("t", 2, "b")),
        ]
    )
    nodes = [Block(template, {}, f"n{number}.txt", 10, f"n{number}", 1.0) for number in range(1000)]
    monkeypatch.setattr(Block, "readings", lambda _: pytest.fail("a block was taken apart"))
    made: list[Template] = []

    def noted(some: Sequence[Reading]) -> Template:
        made.append(Template(some))
        return made[-1]

    monkeypatch.setattr("slowlink.facts.placing.held.Template", noted)
    found = of_state.state(Records(readings=held_readings(nodes)))
    assert found is not None
    assert len(made) == 1
    assert {each.part.name for each in found.readings["hca-firmware"].all} == {"mlx5_0"}
    told = found.readings["hca-firmware"].all
    assert isinstance(told, Told)
    assert len([*told.shapes]) == 1
    assert told[999].ref == Ref("n999.txt", 12, "b")
