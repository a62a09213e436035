"""The layer at which bandwidth is lost, as a finding."""

from __future__ import annotations

from inline_snapshot import snapshot

from ladder.machines import Give, climbed, gpu_machine, healthy, plan_of
from slowlink.model.ladder import LadderTest
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.measured.layer_loses_bandwidth import Params, check


def said(give: Give) -> list[Finding | Proof]:
    return list(check(climbed(plan_of(gpu_machine()), give), Params()))


def findings(give: Give) -> list[tuple[str, str, list[str]]]:
    found = [each for each in said(give) if isinstance(each, Finding)]
    return [(each.cause, each.message, [f"{one.kind} {one.name}" for one in each.suspects]) for each in found]


def test_a_sound_cluster_is_proven_layer_by_layer() -> None:
    assert findings(healthy) == []
    assert [each.message for each in said(healthy) if isinstance(each, Proof) and each.weight == 2] == snapshot(
        [
            "pairs, host memory: 49 GB/s, 98% of ports of 400 Gb/s",
            "pairs, GPU memory: 48.9 GB/s, 100% of pairs, host memory: 49 GB/s (node[1-2] mlx5_0)",
            "one rank per node: 47 GB/s, 96% of pairs, GPU memory: 48.9 GB/s (node[1-2] mlx5_0)",
            "all ranks, two nodes: 94 GB/s, 96% of 2 HCAs together: 97.8 GB/s",
            "all ranks, all nodes: 94 GB/s, 100% of all ranks, two nodes: 94 GB/s (node[1-2])",
        ]
    )


def test_a_slow_hca_is_named_and_nothing_above_it() -> None:
    def give(test: LadderTest) -> float:
        return (
            12.0
            if "node2" in test.nodes and test.hca == "mlx5_0"
            else healthy(test) / 2
            if len(test.nodes) > 2
            else healthy(test)
        )

    assert findings(give) == snapshot(
        [
            (
                "straggler-nic",
                "node2/mlx5_0 is slow at the layer 'pairs, host memory': 12 GB/s, where others give 49 GB/s",
                ["hca node2 mlx5_0"],
            )
        ]
    )


def test_a_layer_that_loses_as_a_whole() -> None:
    assert findings(lambda test: 20.0 if test.layer == "all-nodes" else healthy(test)) == snapshot(
        [
            (
                "busbw-below-expected",
                "bandwidth is lost at the layer 'all ranks, all nodes': 21% of all ranks, two nodes: 94 GB/s (node[1-2])",
                [],
            )
        ]
    )
    assert findings(lambda test: 20.0 if test.layer == "pairs-gpu" else healthy(test))[0][:2] == snapshot(
        (
            "link-bandwidth-low",
            "bandwidth is lost at the layer 'pairs, GPU memory': 41% of pairs, host memory: 49 GB/s (node[1-2] mlx5_0)",
        )
    )


def test_a_slow_path() -> None:
    def give(test: LadderTest) -> float:
        return 12.0 if set(test.nodes) == {"node2", "node3"} and test.hca == "mlx5_0" else healthy(test)

    assert findings(give)[0][:2] == snapshot(
        (
            "slow-path",
            "node2/mlx5_0 - node3/mlx5_0 is slow at the layer 'pairs, host memory': 12 GB/s, where others give 49 GB/s",
        )
    )


def test_the_margin_is_a_tolerance_of_the_site() -> None:
    ladder = climbed(
        plan_of(gpu_machine()), lambda test: healthy(test) * (0.97 if "node1" in test.nodes and test.hca else 1)
    )
    strict = [each for each in check(ladder, Params(margin=0.02)) if isinstance(each, Finding)]
    assert [each for each in check(ladder, Params()) if isinstance(each, Finding)] == []
    assert strict[0].cause == "straggler-node"


def test_shares_of_what_nothing_is_known_of_prove_nothing() -> None:
    """Without the ports' rates, pairs may all be slow alike."""
    ladder = climbed(plan_of(gpu_machine()), healthy, rate=None)
    assert {each.weight for each in check(ladder, Params()) if isinstance(each, Proof)} == {0}
