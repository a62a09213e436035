from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log

MIB = 1 << 20


def test_the_curve_still_rises() -> None:
    text = job_log(SimulatedJob(half_peak_bytes=16 * MIB, largest_bytes=64 * MIB, logged=False))
    assert findings("size-too-small", text) == snapshot(
        [
            {
                "cause": "size-too-small",
                "message": "the largest size of all_reduce is 64 MiB, where busbw still rises: the plateau was not measured",
                "how": "info, likely",
                "suspects": [],
                "evidence": [(30, "30.38 GB/s at 64 MiB")],
                "explains": [],
            }
        ]
    )


def test_the_same_sizes_are_enough_where_the_plateau_comes_early() -> None:
    text = job_log(SimulatedJob(half_peak_bytes=4 * MIB, largest_bytes=64 * MIB, logged=False))
    assert findings("size-too-small", text) == []


def test_a_run_that_was_killed_had_no_largest_size() -> None:
    text = job_log(SimulatedJob(half_peak_bytes=16 * MIB, rows_before_death=3, logged=False))
    assert findings("size-too-small", text) == []


def test_without_a_table() -> None:
    assert skipped("size-too-small", "nothing here\n") == snapshot(
        "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input"
    )


def test_it_says_what_to_do() -> None:
    text = job_log(SimulatedJob(half_peak_bytes=16 * MIB, largest_bytes=64 * MIB, logged=False))
    assert remedies("size-too-small", text) == snapshot(
        [[("Sweep to sizes that reach the plateau.", "all_reduce_perf -b 8M -e 8G -f 2")]]
    )


def test_a_curve_that_falls_does_not_rise() -> None:
    falling = {1 << 24: 1.0, 1 << 25: 0.7, 1 << 26: 0.4, 1 << 27: 0.45}
    job = SimulatedJob(smallest_bytes=1 << 24, largest_bytes=1 << 27, half_peak_bytes=1 << 10, shape=falling)
    assert findings("size-too-small", job_log(job)) == []
