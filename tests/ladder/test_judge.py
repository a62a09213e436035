"""Where bandwidth is lost, who is to blame, and how much of it is explained."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from ladder.machines import climbed, gpu_machine, healthy, nodes, plan_of, result_of
from slowlink.ladder.climb import next_tests
from slowlink.ladder.explain import explained
from slowlink.ladder.judge import waterfall
from slowlink.ladder.plan import Machine
from slowlink.ladder.tolerances import Tolerances
from slowlink.model.ladder import Ladder, LadderResult, LadderTest, Rung, Waterfall
from slowlink.rules.evidence.findings import finding, suspects


def rungs(fall: Waterfall) -> dict[str, Rung]:
    return {rung.layer: rung for rung in fall.rungs}


def states(fall: Waterfall) -> dict[str, str]:
    return {rung.layer: rung.state for rung in fall.rungs}


def test_a_sound_cluster() -> None:
    fall = waterfall(climbed(plan_of(gpu_machine()), healthy))
    assert states(fall) == snapshot(
        {
            "host": "measured",
            "port": "ok",
            "pairs-host": "ok",
            "pairs-gpu": "ok",
            "pairs-gpu-far": "ok",
            "node": "ok",
            "one-rank": "ok",
            "two-nodes": "ok",
            "all-nodes": "ok",
            "command": "absent",
        }
    )
    assert fall.lost_at == ""
    assert fall.headline == snapshot("9 layers climbed, and no loss between them that can be judged")


def test_an_hca_that_cannot_reach_gpu_memory_at_speed() -> None:
    """The layer of the loss, and the part; what stands on it is not blamed again."""

    def give(test: LadderTest) -> float:
        if "node3" in test.nodes and test.hca == "mlx5_1" and test.gpu is not None:
            return 13.6
        return {"two-nodes": 60.0, "all-nodes": 58.0}.get(test.layer, healthy(test))

    fall = waterfall(climbed(plan_of(gpu_machine()), give))
    assert fall.lost_at == "pairs-gpu"
    assert [(part.kind, part.name, part.gbs) for part in rungs(fall)["pairs-gpu"].blamed] == [
        ("hca", "node3/mlx5_1", 13.6)
    ]
    found = rungs(explained(fall, (), None))["pairs-gpu"]
    assert [(share.cause, share.where, round(share.gbs or 0, 1)) for share in found.explained] == snapshot(
        [("straggler-nic", "node3/mlx5_1", 35.3)]
    )
    assert round(found.unexplained_gbs or 0.0, 1) == snapshot(0.1)
    assert rungs(fall)["two-nodes"].state == "ok"
    assert rungs(fall)["two-nodes"].basis == "2 HCAs together: 62.5 GB/s"


def test_what_the_causes_explain_and_what_is_left() -> None:
    """A cause that was found, and whose cost nobody measured, takes nothing off what is not explained."""

    def give(test: LadderTest) -> float:
        return 40.0 if test.layer in ("two-nodes", "all-nodes") else healthy(test)

    fall = waterfall(climbed(plan_of(gpu_machine()), give))
    iommu = finding(
        "iommu-translating", "", severity="warning", confidence="certain", suspects=suspects("node", ["node2"])
    )
    memlock = finding("memlock-limit", "", severity="info", confidence="possible")
    rung = rungs(explained(fall, (iommu, memlock), None))["two-nodes"]
    assert (rung.state, rung.why) == ("degraded", "41% of 2 HCAs together: 97.8 GB/s")
    assert [(share.cause, share.where, share.gbs) for share in rung.explained] == [("iommu-translating", "node2", None)]
    assert round(rung.unexplained_gbs or 0.0, 1) == round(rung.lost_gbs or 0.0, 1) == 57.8


def test_a_slow_port() -> None:
    ladder = climbed(plan_of(gpu_machine()), healthy)
    slow = [
        port if port.node != "node2" else type(port)(port.node, port.port, 100.0, True, port.ref)
        for port in ladder.ports
    ]
    fall = waterfall(Ladder(ladder.plan, ladder.results, tuple(slow), (), 4))
    assert fall.lost_at == "port"
    assert {part.name for part in rungs(fall)["port"].blamed} == {"node2/mlx5_0/1", "node2/mlx5_1/1"}


def test_a_slow_path_is_no_node() -> None:
    def give(test: LadderTest) -> float:
        return 20.0 if test.layer == "pairs-host" and set(test.nodes) == {"node2", "node3"} else healthy(test)

    rung = rungs(waterfall(climbed(plan_of(gpu_machine(6)), give)))["pairs-host"]
    assert {(part.kind, part.name) for part in rung.blamed} == {
        ("path", "node2/mlx5_0 - node3/mlx5_0"),
        ("path", "node2/mlx5_1 - node3/mlx5_1"),
    }


def test_pairs_over_mpi_are_no_ceiling_of_nccl() -> None:
    machine = Machine(gpu_machine().nodes, True, 8, no_perftest="no ib_write_bw here")
    fall = waterfall(climbed(plan_of(machine), lambda test: 0.9 if test.layer == "pairs-host" else healthy(test)))
    assert rungs(fall)["one-rank"].ceiling_gbs is None
    assert rungs(fall)["two-nodes"].basis == "inside each node: 480 GB/s (node1)"


def test_two_nodes_tell_nobody() -> None:
    cpu = Machine(nodes(2), ranks_per_node=2)
    fall = waterfall(climbed(plan_of(cpu), lambda test: 0.02, rate=None))
    assert set(states(fall).values()) == {"measured", "absent"}
    assert rungs(fall)["one-rank"].ceiling_gbs == 0.02


def test_a_test_that_does_not_finish_breaks_its_layer_and_stops_what_stands_on_it() -> None:
    plan = plan_of(gpu_machine())

    def give(test: LadderTest) -> float | None:
        return None if "node4" in test.nodes and test.layer == "pairs-host" and test.hca == "mlx5_0" else healthy(test)

    done = {test.name: result_of(test, give(test)) for test in plan.tests}
    results: list[LadderResult] = []
    while tests := next_tests(plan, results):
        results += [done[test.name] for test in tests]
    fall = waterfall(Ladder(plan, tuple(results), (), (), 4))
    assert states(fall) == snapshot(
        {
            "host": "measured",
            "port": "not-run",
            "pairs-host": "broken",
            "pairs-gpu": "not-run",
            "pairs-gpu-far": "not-run",
            "node": "ok",
            "one-rank": "not-run",
            "two-nodes": "not-run",
            "all-nodes": "not-run",
            "command": "absent",
        }
    )
    assert rungs(fall)["pairs-host"].blamed[0].name == "node4/mlx5_0"
    assert rungs(fall)["all-nodes"].why == "pairs, host memory is broken"


def test_nodes_that_did_not_answer_stop_everything() -> None:
    plan = plan_of(gpu_machine())
    assert next_tests(plan, (), ("node2",)) == ()
    fall = waterfall(Ladder(plan, (), (), ("node2",), 3))
    assert (fall.lost_at, rungs(fall)["host"].why) == ("host", "node2 did not answer")


def test_tests_that_differ_in_every_way_blame_nobody() -> None:
    values = iter((49.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0, *[0.5] * 99))
    fall = waterfall(climbed(plan_of(gpu_machine(6)), lambda test: next(values)))
    rung = rungs(fall)["pairs-host"]
    assert (rung.state, rung.blamed) == ("degraded", ())
    assert rung.why == "12 tests differ too much to say what is usual"


@given(st.integers(3, 24), st.data())
def test_the_one_slow_node_is_named_in_any_cluster(count: int, data: st.DataObject) -> None:
    plan = plan_of(Machine(nodes(count), ranks_per_node=2))
    bad = data.draw(st.sampled_from(plan.nodes))
    noise = data.draw(st.randoms(use_true_random=False))

    def give(test: LadderTest) -> float:
        return (0.05 if bad in test.nodes else 1.0) * noise.uniform(0.9, 1.1)

    fall = waterfall(climbed(plan, give, rate=None))
    assert [(part.kind, part.name) for part in rungs(fall)["pairs-host"].blamed] == [("node", bad)]
    assert fall.lost_at == "pairs-host"


@given(st.lists(st.one_of(st.none(), st.floats(0.001, 500)), min_size=40, max_size=40), st.integers(1, 6))
def test_any_results_give_a_waterfall(values: list[float | None], count: int) -> None:
    plan = plan_of(Machine(nodes(count), ranks_per_node=2))
    results = tuple(result_of(test, gbs) for test, gbs in zip(plan.tests, values, strict=False))
    fall = waterfall(Ladder(plan, results, (), (), count), Tolerances())
    assert len(fall.rungs) == 10
    for rung in explained(fall, (), None).rungs:
        assert rung.unexplained_gbs is None or 0 <= rung.unexplained_gbs <= (rung.lost_gbs or 0)
        assert rung.lost_gbs is None or rung.lost_gbs >= 0


def test_what_was_slow_the_first_time_alone_is_said() -> None:
    ladder = climbed(plan_of(gpu_machine()), healthy)
    results = tuple(replace(each, repeated=each.test.name == "node/node2") for each in ladder.results)
    rung = rungs(waterfall(replace(ladder, results=results)))["node"]
    assert (rung.state, rung.why) == ("ok", "4 tests agree; 1 was slow the first time alone")
