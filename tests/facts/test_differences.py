"""The minority report over made-up nodes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.differences import ABSENT, MOST_WAYS_TO_LACK, differences, minority
from slowlink.facts.folded_state import folded_state, told_differences
from slowlink.facts.state import state
from slowlink.model.facts import State
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading, Value
from slowlink.nodes import expand

Nodes = Mapping[str, Mapping[str, Value]]


def cluster(attribute: str, kind: str, nodes: Nodes) -> State:
    """``nodes``: node -> part name -> value."""
    readings = tuple(
        Reading(attribute, Part(kind, part), value, Ref(node, 1), node)
        for node, parts in nodes.items()
        for part, value in parts.items()
    )
    found = state(Records(readings=readings))
    assert found is not None
    return found


def told(attribute: str, kind: str, nodes: Nodes) -> list[tuple[str, list[tuple[str, str]]]]:
    found = told_differences(differences(cluster(attribute, kind, nodes)))
    return [(each.parts, [(said.value, said.nodes) for said in each.said]) for each in found]


def test_parts_that_differ_alike_are_one_difference() -> None:
    on, off = dict.fromkeys("01234567", True), dict.fromkeys("01234567", False)
    nodes = {**{f"node{n:02}": on for n in range(1, 17)}, "node07": off, "node12": off}
    assert told("gpu-persistence", "gpu", nodes) == [
        ("gpu [0-7]", [("on", "node[01-06,08-11,13-16]"), ("off", "node[07,12]")])
    ]


def test_a_part_that_is_gone_is_told_once() -> None:
    nodes = {"a": {"0": "H100", "1": "H100"}, "b": {"0": "H100"}, "c": {"0": "H100", "1": "H100"}}
    assert told("gpu-name", "gpu", nodes) == [("gpu 1", [("H100", "a,c"), (ABSENT, "b")])]


def test_what_was_not_asked_is_no_difference() -> None:
    assert told("driver-version", "node", {"a": {"": "550"}, "b": {}, "c": {"": "550"}}) == []


def test_levels_and_identities_are_not_compared() -> None:
    assert told("gpu-utilisation", "gpu", {"a": {"0": 1}, "b": {"0": 90}}) == []
    assert told("gpu-uuid", "gpu", {"a": {"0": "x"}, "b": {"0": "y"}}) == []


def test_half_against_half_has_no_minority() -> None:
    found = differences(cluster("driver-version", "node", {"a": {"": "1"}, "b": {"": "2"}}))
    assert found is not None
    assert minority(found.all[0]) == ()


values = st.dictionaries(st.sampled_from(["0", "1", "2"]), st.sampled_from(["x", "y"]), min_size=1)


@given(st.dictionaries(st.sampled_from([f"n{i}" for i in range(6)]), values, min_size=1))
def test_folding_loses_nothing_and_camps_part_the_nodes(nodes: dict[str, dict[str, str]]) -> None:
    known = cluster("gpu-name", "gpu", nodes)
    folded = folded_state(known)["node_state"]
    assert isinstance(folded, dict)
    again: dict[str, dict[str, str]] = {}
    for entry in folded["gpu-name"]:
        for node in expand(entry["nodes"]):
            again.setdefault(node, {}).update(dict.fromkeys(entry["parts"], entry["value"]))
    assert again == nodes
    compared = differences(known)
    for difference in compared.all if compared is not None else ():
        named = [node for camp in difference.camps for node in camp.nodes]
        assert sorted(named) == sorted(set(named))
        assert len(difference.camps) > 1


def test_where_every_node_names_its_parts_its_own_way_only_some_are_told() -> None:
    nodes: dict[str, dict[str, Value]] = {
        f"n{i:03}": {f"mlx5_{i}": "Active", "mlx5_1000": "Active"} for i in range(100)
    }
    del nodes["n007"]["mlx5_1000"]
    known = differences(cluster("port-state", "port", nodes))
    assert known is not None
    assert len(known.all) == MOST_WAYS_TO_LACK
    camps = {each.parts: [(camp.value, len(camp.nodes)) for camp in each.camps] for each in known.all}
    assert camps["mlx5_1000",] == [("Active", 99), ("absent", 1)]


@given(
    st.dictionaries(
        st.sampled_from([f"node{n}" for n in range(5)]),
        st.dictionaries(st.sampled_from("0123"), st.sampled_from([True, False, 1, 1.0]), min_size=1),
        min_size=2,
    )
)
def test_what_is_told_alike_everywhere_is_no_difference(nodes: dict[str, dict[str, Value]]) -> None:
    for kind in ("gpu", "interface"):
        quickly = told("gpu-persistence", kind, nodes)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("slowlink.facts.differences._is_told_alike", lambda _: False)
            assert told("gpu-persistence", kind, nodes) == quickly
