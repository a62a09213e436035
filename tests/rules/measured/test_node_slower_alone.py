"""Every node measured by itself."""

from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

GIB = 1 << 30


def node(number: int, plateau_gbs: float) -> str:
    """A finished all_reduce on the eight GPUs of one node."""
    cluster = LoggedCluster(hosts=(f"gpu{number:02}",))
    return job_log(
        SimulatedJob(cluster, plateau_gbs=plateau_gbs, smallest_bytes=GIB, largest_bytes=8 * GIB, logged=False)
    )


def fleet(*rates: float) -> list[str]:
    return [node(number, rate) for number, rate in enumerate(rates, 1)]


def test_one_node_below_its_peers() -> None:
    logs = fleet(481.0, 482.0, 401.0, 480.5, 482.2)
    assert findings("node-slower-alone", *logs) == snapshot(
        [
            {
                "cause": "straggler-node",
                "message": "gpu03 is slower by itself: all_reduce on 8 ranks of one node gives 399.4 GB/s, 479.1 on the median of 5 nodes",
                "how": "error, likely",
                "suspects": ["node gpu03"],
                "evidence": [(22, "gpu03: 399.39 GB/s / 479.1 GB/s")],
                "explains": ["busbw-below-expected", "bandwidth-unstable"],
            }
        ]
    )
    assert remedies("node-slower-alone", *logs) == snapshot(
        [
            [
                (
                    "Measure it again by itself, when nothing else runs there.",
                    "slowlink run all_reduce --each-node --nodes gpu03",
                ),
                ("See whether its GPUs are held back.", "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE"),
            ]
        ]
    )


def test_nodes_that_agree() -> None:
    said = check("node-slower-alone", *fleet(481.0, 482.0, 480.1, 480.5))
    assert not said.findings
    assert [proof.message for proof in said.proofs] == snapshot(
        ["4 nodes agree by themselves: all_reduce on 8 ranks of one node gives 478.8 GB/s (478.2 to 480.1)"]
    )


def test_a_little_slower_is_a_warning_and_two_nodes_are_too_few() -> None:
    assert [f.severity for f in check("node-slower-alone", *fleet(481.0, 482.0, 465.0, 481.5)).findings] == ["warning"]
    assert check("node-slower-alone", *fleet(481.0, 401.0)).findings == ()


def test_most_nodes_slow_alike_accuse_nobody() -> None:
    assert check("node-slower-alone", *fleet(400.0, 401.0, 402.0, 401.0, 480.0)).findings == ()
