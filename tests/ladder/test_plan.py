"""Which tests a machine gets, and why a layer is not there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from ladder.machines import gpu_machine, nodes, plan_of
from slowlink.ladder import layers as of
from slowlink.ladder.plan import Hca, Machine, NodeParts, Wanted, pair_rounds, plan_ladder


def test_one_machine_without_gpus() -> None:
    plan = plan_of(Machine(nodes(1), ranks_per_node=2))
    assert dict(plan.absent) == snapshot(
        {
            "port": "no node has an HCA",
            "pairs-host": "there is one node",
            "pairs-gpu": "there is one node",
            "pairs-gpu-far": "there is one node",
            "one-rank": "there is one node",
            "two-nodes": "there is one node",
            "all-nodes": "there is one node",
            "command": "none was given (-- COMMAND)",
        }
    )
    assert [test.name for test in plan.tests] == ["node/node1"]


def test_nodes_with_gpus_and_hcas() -> None:
    plan = plan_of(gpu_machine(2))
    assert dict(plan.absent) == snapshot(
        {"all-nodes": "the two nodes are all nodes", "command": "none was given (-- COMMAND)"}
    )
    assert [(test.name, test.round, test.gpu) for test in plan.tests] == snapshot(
        [
            ("pairs-host/node1+node2/mlx5_0", 2, None),
            ("pairs-host/node1+node2/mlx5_1", 3, None),
            ("pairs-gpu/node1+node2/mlx5_0", 2, 0),
            ("pairs-gpu/node1+node2/mlx5_1", 3, 4),
            ("pairs-gpu-far/node1+node2/mlx5_0", 1, 7),
            ("node/node1", 1, None),
            ("node/node2", 1, None),
            ("one-rank", 1, None),
            ("two-nodes/node1+node2", 1, None),
        ]
    )


def test_without_perftest_the_pairs_are_measured_by_mpi() -> None:
    machine = Machine(nodes(3, (Hca("mlx5_0"),), 8), True, 8, no_perftest="no ib_write_bw here")
    plan = plan_of(machine)
    assert {test.collective for test in plan.tests if test.layer == of.PAIRS_HOST} == {"sendrecv"}
    assert plan.notes == {"pairs-host": "MPI between two ranks (no ib_write_bw here)"}
    assert plan.absent["pairs-gpu"] == "no ib_write_bw here"


def test_a_port_that_is_down_somewhere_is_not_measured() -> None:
    parts = (
        NodeParts("a", 8, (Hca("mlx5_0"), Hca("mlx5_1"))),
        NodeParts("b", 8, (Hca("mlx5_0", is_up=False), Hca("mlx5_1"))),
    )
    plan = plan_of(Machine(parts, True, 8))
    assert {test.hca for test in plan.tests if test.layer == of.PAIRS_HOST} == {"mlx5_1"}


def test_rings_are_asked_for_unless_the_user_asks_for_something_else() -> None:
    machine = gpu_machine()
    assert {tuple(test.env.items()) for test in plan_of(machine).tests if test.layer == of.ALL_NODES} == {
        (("NCCL_ALGO", "Ring"),)
    }
    own = Machine(machine.nodes, True, 8, settings=frozenset({"NCCL_ALGO"}))
    assert {tuple(test.env) for test in plan_of(own).tests} == {()}


def test_layers_that_were_not_asked_for() -> None:
    plan = plan_ladder(gpu_machine(), Wanted(frozenset({"node"}), snapshot=False))
    assert {test.layer for test in plan.tests} == {"node"}
    assert set(plan.absent.values()) == {"not asked for"}


@given(st.integers(2, 40), st.booleans())
def test_pairs_of_a_round_are_disjoint_and_every_node_is_in_one(count: int, quick: bool) -> None:
    names = [f"n{number}" for number in range(count)]
    rounds: dict[int, list[tuple[str, str]]] = {}
    for number, pair in pair_rounds(names, quick=quick):
        rounds.setdefault(number, []).append(pair)
    for pairs in rounds.values():
        members = [name for pair in pairs for name in pair]
        assert len(members) == len(set(members))
    seen = [name for pairs in rounds.values() for pair in pairs for name in pair]
    assert set(seen) == set(names)
    if not quick and count > 2:
        assert all(seen.count(name) == 2 for name in names)
