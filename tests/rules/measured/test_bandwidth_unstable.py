from __future__ import annotations

import json

from inline_snapshot import snapshot
from job_findings import check, findings, lines_at, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

GIB = 1 << 30


def log(**more: object) -> str:
    sizes = {"smallest_bytes": 8 * GIB, "largest_bytes": 8 * GIB, "cycles": 12, "logged": False}
    return job_log(SimulatedJob(LoggedCluster(), plateau_gbs=46.0, **{**sizes, **more}))  # type: ignore[arg-type]


def test_a_fast_and_a_slow_group() -> None:
    text = log(slow_every=4, slow_factor=8.0)
    assert findings("bandwidth-unstable", text) == snapshot(
        [
            {
                "cause": "bandwidth-bimodal",
                "message": "all_reduce at 8 GiB falls into two groups: about 46 GB/s, and 25% of the values near 5.73 GB/s (dip test p = 0.0017)",
                "how": "error, certain",
                "suspects": [],
                "evidence": [(30, "5.73 GB/s / 45.91 GB/s"), (37, "45.91 GB/s")],
                "explains": ["bandwidth-unstable", "average-hides-variation", "busbw-below-expected"],
            },
            {
                "cause": "average-hides-variation",
                "message": "one averaged row of all_reduce would show 17 GB/s (times add up; the plain mean of these values is 36) and hide values from 5.73 to 46",
                "how": "info, certain",
                "suspects": [],
                "evidence": [(30, "5.73 GB/s / 45.91 GB/s"), (37, "45.91 GB/s")],
                "explains": [],
            },
        ]
    )
    slowest, fastest = lines_at(text, check("bandwidth-unstable", text).findings[0])
    assert (slowest.split()[7], fastest.split()[7]) == snapshot(("5.74", "45.91"))


def test_a_wide_spread_without_groups() -> None:
    assert findings("bandwidth-unstable", log(noise=0.9)) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "24 values of all_reduce at 8 GiB swing between 25 and 46 GB/s",
                "how": "error, certain",
                "suspects": [],
                "evidence": [(34, "24.68 GB/s / 45.50 GB/s"), (31, "45.50 GB/s")],
                "explains": ["average-hides-variation", "busbw-below-expected"],
            },
            {
                "cause": "average-hides-variation",
                "message": "one averaged row of all_reduce would show 32 GB/s (times add up; the plain mean of these values is 33) and hide values from 25 to 46",
                "how": "info, certain",
                "suspects": [],
                "evidence": [(34, "24.68 GB/s / 45.50 GB/s"), (31, "45.50 GB/s")],
                "explains": [],
            },
        ]
    )


def test_even_repeats_are_a_proof() -> None:
    said = check("bandwidth-unstable", log())
    assert said.findings == ()
    assert [proof.message for proof in said.proofs] == snapshot(["24 repeats at 8 GiB agree within 0.2%"])


def test_near_the_threshold() -> None:
    assert findings("bandwidth-unstable", log(slow_every=4, slow_factor=1.20)) == []
    assert len(findings("bandwidth-unstable", log(slow_every=4, slow_factor=1.30))) == 2


def test_five_values_are_too_few() -> None:
    assert findings("bandwidth-unstable", log(cycles=2, slow_every=2)) == []


def test_small_messages_are_noisy_by_nature() -> None:
    assert findings("bandwidth-unstable", log(smallest_bytes=GIB >> 10, largest_bytes=GIB >> 10, slow_every=4)) == []


def test_one_rank_has_no_bus_bandwidth() -> None:
    alone = LoggedCluster(hosts=("node1",), gpus=1)
    text = job_log(SimulatedJob(alone, cycles=12, smallest_bytes=GIB, largest_bytes=GIB, slow_every=4))
    assert "  0.00       0 " in text
    assert findings("bandwidth-unstable", text) == []


def test_single_iterations() -> None:
    assert findings("bandwidth-unstable", _json(slow=3)) == snapshot(
        [
            {
                "cause": "bandwidth-bimodal",
                "message": "all_reduce at 8 GiB falls into two groups: about 50 GB/s, and 33% of the iterations near 5.02 GB/s (dip test p = 2.1e-06)",
                "how": "error, certain",
                "suspects": [],
                "evidence": [(1, "5.0 to 50.3 GB/s")],
                "explains": ["bandwidth-unstable", "average-hides-variation", "busbw-below-expected"],
            },
            {
                "cause": "average-hides-variation",
                "message": "one averaged row of all_reduce would show 13 GB/s (times add up; the plain mean of these values is 35) and hide values from 5.00 to 50",
                "how": "info, certain",
                "suspects": [],
                "evidence": [(1, "5.0 to 50.3 GB/s")],
                "explains": [],
            },
        ]
    )


def _json(slow: int) -> str:
    """One size with the time of each of 24 iterations, of which every ``slow``-th took ten times as long."""
    times = [3.2e5 * (10 if n % slow == 0 else 1) * (1 + n / 4000) for n in range(1, 25)]
    mean = sum(times) / len(times)
    algbw = 8 * GIB / mean / 1e3
    side = {"time": mean, "alg_bw": algbw, "bus_bw": algbw * 1.875, "nwrong": 0}
    row = {
        "size": 8 * GIB,
        "count": 2 * GIB,
        "type": "float",
        "redop": "sum",
        "root": -1,
        "out_of_place": side,
        "out_of_place_per_iter": {"times_us": times},
    }
    report = {
        "version": 3,
        "args": ["all_reduce_perf"],
        "nccl_version": 22907,
        "config": {"ngpus": 1, "minimum_bytes": 8 * GIB},
        "results": [row],
    }
    return json.dumps(report)


def test_without_a_table() -> None:
    assert skipped("bandwidth-unstable", "nothing here\n") == snapshot(
        "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("bandwidth-unstable", log(slow_every=4, slow_factor=8.0)) == snapshot(
        [
            [
                ("Time single iterations, on the same nodes.", "all_reduce_perf -b 8G -e 8G -n 100 -I 1"),
                ("See what else runs on the GPUs meanwhile.", "nvidia-smi pmon -c 10"),
            ],
            [],
        ]
    )
