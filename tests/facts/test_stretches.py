"""What is found once for each shape is what every reading by itself says, however nodes and values are mixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.readings import by_part, latest_of, nodes_of
from slowlink.facts.stretches import (
    Told,
    counts,
    distinct,
    joined,
    last_by,
    node_by_node,
    number_of,
    of_each_node,
    picked_of_each,
    said_by_node,
    told,
    where,
)
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading, Value

VALUES: list[Value] = [0, False, 0.0, -0.0, 1, True, 1.0, "1", ""]
READINGS = st.lists(
    st.builds(
        Reading,
        attribute=st.just("port-rate"),
        part=st.sampled_from([Part("port", "mlx5_0/1"), Part("port", "mlx5_1/1"), Part("hca", "mlx5_0")]),
        value=st.sampled_from(VALUES),
        ref=st.builds(Ref, source=st.sampled_from("ab"), line=st.integers(1, 9)),
        host=st.sampled_from([None, "a", "n1", "n2"]),
        at=st.one_of(st.none(), st.integers(0, 3).map(float)),
    ),
    max_size=12,
)


def said(part: Part, value: Value) -> str:
    return f"{part.kind} {value!r}"


def name(part: Part) -> str:
    return part.name


def same(found: Iterable[object], expected: Iterable[object]) -> bool:
    """Letter by letter: 0 is not False, and -0.0 is not 0.0."""
    return list(map(repr, found)) == list(map(repr, expected))


def is_told(found: Told) -> bool:
    """Are its stretches those of its readings?"""
    each = [r for s in found.stretches for r in zip([s.host] * len(found), s.shape.parts, s.shape.values, strict=False)]
    return same(each, [(r.host, r.part, r.value) for r in found])


@given(READINGS)
def test_each_shape_answers_for_all_that_have_it(readings: list[Reading]) -> None:
    known = told(readings)
    assert is_told(known)
    assert same(distinct(known, said), dict.fromkeys(said(r.part, r.value) for r in readings))
    assert same(counts(known, said).items(), Counter(said(r.part, r.value) for r in readings).items())
    assert same(last_by(known, name).items(), {r.part.name: r.value for r in readings}.items())
    assert nodes_of(readings) == tuple(dict.fromkeys(r.host for r in readings if r.host and r.host != r.ref.source))


@given(READINGS, st.sampled_from(VALUES))
def test_readings_are_picked_by_what_they_say(readings: list[Reading], wanted: Value) -> None:
    for fits in (lambda _, value: value is wanted, lambda part, _: part.kind == "hca"):
        found = where(readings, fits)
        assert [*found] == [r for r in readings if fits(r.part, r.value)]
        assert is_told(found)
    every: Callable[[Part, Value], bool] = lambda _part, _value: True  # noqa: E731
    assert where(known := told(readings), every) is known


@given(READINGS, READINGS)
def test_joined_readings_know_their_stretches(first: list[Reading], second: list[Reading]) -> None:
    found = joined([told(first), told(second)])
    assert [*found] == [*first, *second]
    assert is_told(found)
    assert is_told(node_by_node(found))
    assert node_by_node(found).is_parted
    assert sorted(map(repr, node_by_node(found))) == sorted(map(repr, found))


@given(READINGS)
def test_what_a_node_says_is_found_for_its_kind(readings: list[Reading]) -> None:
    found = of_each_node(readings, lambda kind: [value for shape in kind for value in shape.values])
    expected: dict[str | None, list[Value]] = {}
    for reading in readings:
        expected.setdefault(reading.host, []).append(reading.value)
    assert same(found.items(), expected.items())


def test_a_thousand_nodes_of_one_kind_are_asked_about_once() -> None:
    """So the cost follows what is new, not what is there."""
    asked: list[Value] = []

    def fits(_: Part, value: Value) -> bool:
        asked.append(value)
        return value == 2

    readings = [
        Reading("nvlink-errors", Part("nvlink", f"0/{link}"), link, Ref(f"n{node}", link + 1), f"n{node}")
        for node in range(1000)
        for link in range(4)
    ]
    assert len(where(readings, fits)) == 1000
    assert asked == [0, 1, 2, 3]
    assert kinds_of(readings) == 1


def kinds_of(readings: Sequence[Reading]) -> int:
    return len([*told(readings).shapes])


@given(READINGS)
def test_the_latest_know_their_stretches(readings: list[Reading]) -> None:
    found = latest_of(readings)
    assert is_told(found)
    assert latest_of(found) is found


@given(READINGS, READINGS)
def test_nodes_of_one_kind_say_the_same_in_order_of_time(first: list[Reading], second: list[Reading]) -> None:
    several = [told(first), told(second)]
    found = said_by_node(several)
    assert list(found) == list(dict.fromkeys(r.host or "" for r in (*first, *second)))
    by_kind: dict[object, str] = {}
    for node, said in found.items():
        assert [[*some.readings()] for some in said.of_each] == [
            [r for r in each if (r.host or "") == node] for each in several
        ]
        words = repr([[(r.part, r.value) for r in some.readings()] for some in said.of_each])
        assert by_kind.setdefault(said.kind, words) == words
        if said.kind != node:
            series = [each for some in said.of_each for each in by_part(some.readings()).values()]
            assert all([*latest_of(each)] == each[-1:] for each in series)


@given(READINGS)
def test_places_are_picked_of_each_stretch(readings: list[Reading]) -> None:
    found = picked_of_each(Told(readings), lambda stretch: range(stretch.host == "n1", stretch.end - stretch.start))
    expected = [
        r
        for before, r in zip([None, *readings], readings, strict=False)
        if r.host != "n1" or (before is not None and before.host == "n1")
    ]
    assert same(found, expected)
    assert is_told(found)


@given(READINGS)
def test_parts_of_each_node_are_counted_once(readings: list[Reading]) -> None:
    hosts = dict.fromkeys(reading.host for reading in readings)
    expected = {host: len({r.part.name for r in readings if r.host == host}) for host in hosts}
    assert list(number_of(readings, name).items()) == list(expected.items())
