from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

GIB = 1 << 30
DIAGNOSTIC = '$ parallel-ssh -h hosts -t 0 -i "sudo dcgmi diag -r eud"\n'


def log(slow_every: int = 0, **more: object) -> str:
    job = SimulatedJob(
        LoggedCluster(),
        plateau_gbs=46.0,
        smallest_bytes=GIB,
        largest_bytes=GIB,
        cycles=8,
        slow_every=slow_every,
        logged=False,
    )
    return job_log(job)


def test_a_diagnostic_and_swinging_rows() -> None:
    assert findings("gpu-busy", DIAGNOSTIC + log(slow_every=3)) == snapshot(
        [
            {
                "cause": "gpu-busy",
                "message": "a GPU diagnostic was started on all nodes before the collective was measured (dcgmi diag -r eud): busbw swings between 5 and 45 GB/s at 1 GiB",
                "how": "error, likely",
                "suspects": ["process dcgmi"],
                "evidence": [(1, "a stress test of the GPUs"), (30, "4.52 GB/s / 45 GB/s, as other rows of this run")],
                "explains": [
                    "bandwidth-bimodal",
                    "bandwidth-unstable",
                    "average-hides-variation",
                    "busbw-below-expected",
                ],
            }
        ]
    )


def test_steady_rows_after_a_diagnostic() -> None:
    assert findings("gpu-busy", DIAGNOSTIC + log()) == []


def test_the_diagnostic_came_later() -> None:
    assert findings("gpu-busy", log(slow_every=3) + DIAGNOSTIC) == []


def test_another_run_lies_between() -> None:
    assert findings("gpu-busy", DIAGNOSTIC + log() + log(slow_every=3)) == []


@pytest.mark.parametrize("command", ["dcgmi discovery -l", "./nvbandwidth", "nvidia-smi topo -m"])
def test_commands_that_leave_no_load(command: str) -> None:
    assert findings("gpu-busy", f"$ {command}\n" + log(slow_every=3)) == []


def test_without_a_command() -> None:
    table = log(slow_every=3).partition("\n")[2]
    assert skipped("gpu-busy", table) == snapshot("no command line in the input")


def test_it_says_what_to_do() -> None:
    assert remedies("gpu-busy", DIAGNOSTIC + log(slow_every=3)) == snapshot(
        [
            [
                (
                    "See what runs on the GPUs of every node while the benchmark runs.",
                    "nvidia-smi pmon -c 5; pgrep -a 'nvvs|dcgm'",
                ),
                ("Stop the diagnostic on every node, and measure again.", ""),
            ]
        ]
    )
