"""Which GPU or HCA of a bad node is at fault, on nodes that do not exist."""

from __future__ import annotations

import pytest

from slowlink.isolate.parts import Parts
from slowlink.model.isolation import Fabric
from slowlink.simulate.cluster import Noise, SimulatedCluster

NAMES = tuple(f"n{number:02}" for number in range(1, 13))
GOOD = NAMES[2:]


def found(cluster: SimulatedCluster, bad: tuple[str, ...] = NAMES[:1], *, apart: bool = True) -> dict[str, list[str]]:
    parts = Parts(bad, GOOD, cluster.gpus, apart=apart)
    while (step := parts.plan()) is not None:
        placed = [node for group in step.groups for node in group]
        assert len(placed) == len(set(placed))
        parts.add(step, cluster.measure(step.groups, step.rail))
    said: dict[str, list[str]] = {}
    for part in parts.found():
        said.setdefault(part.node, []).append(part.kind + ("" if part.number is None else str(part.number)))
    return said


@pytest.mark.parametrize("part", ["hca3", "gpu5", "hca0", "gpu7"])
@pytest.mark.parametrize("left", [0.0, 0.5, 0.9])
def test_one_part(part: str, left: float) -> None:
    for seed in range(20):
        cluster = SimulatedCluster(Fabric(NAMES), parts={"n01": {part: left}}, noise=Noise(0.005), seed=seed)
        assert found(cluster) == {"n01": [part]}


def test_two_parts_of_one_node_and_one_of_another_side_by_side() -> None:
    cluster = SimulatedCluster(Fabric(NAMES), parts={"n01": {"hca1": 0.5, "gpu4": 0.6}, "n02": {"hca7": 0.0}})
    assert found(cluster, NAMES[:2]) == {"n01": ["hca1", "gpu4"], "n02": ["hca7"]}


def test_without_names_of_hcas_it_is_the_rail() -> None:
    cluster = SimulatedCluster(Fabric(NAMES), parts={"n01": {"hca1": 0.5}})
    assert found(cluster, apart=False) == {"n01": ["rail1"]}


def test_a_node_that_is_slow_as_a_whole_has_no_bad_part() -> None:
    assert found(SimulatedCluster(Fabric(NAMES), nodes={"n01": 0.3})) == {"n01": ["all"]}


def test_a_node_whose_rails_are_fast_alone() -> None:
    assert found(SimulatedCluster(Fabric(NAMES))) == {"n01": ["together"]}


def test_a_partner_with_a_fault_of_its_own_is_one_rail_at_most() -> None:
    """A sound node that the search missed: partners change from rail to rail."""
    cluster = SimulatedCluster(Fabric(NAMES), parts={"n01": {"hca3": 0.5}, "n05": {"hca2": 0.5}})
    assert "hca3" in found(cluster)["n01"]


def test_where_nobody_is_sound_nothing_is_tested() -> None:
    parts = Parts(("n01",), ("n02",), 8)
    assert parts.plan() is None
    assert [part.kind for part in parts.found()] == ["untested"]
