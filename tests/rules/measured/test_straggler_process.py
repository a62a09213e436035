"""Times of every process, as ``-I 1 -J`` keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable

from inline_snapshot import snapshot
from job_findings import check, findings

SIZE = 8 << 30
Times = Callable[[int, int], float]


def report(time_of: Times, *, processes: int = 8, per_host: int = 4, size: int = SIZE) -> str:
    """``time_of(process, iteration)`` in microseconds, twenty iterations."""
    times = [[time_of(process, index) for index in range(20)] for process in range(processes)]
    worst = [max(column) for column in zip(*times, strict=True)]
    mean = sum(worst) / len(worst)
    rate = size / mean / 1e3
    side = {"nwrong": 0, "time": mean, "alg_bw": rate, "bus_bw": rate * 1.75}
    result = {
        "size": size, "count": size // 4, "type": "float", "redop": "sum", "root": "    -1",
        "out_of_place": side, "in_place": side,
        "out_of_place_per_iter": {
            "skipped_iterations": 1, "min_us": min(worst), "max_us": max(worst), "times_us": worst,
            "per_process_max_times_us": times,
        },
    }  # fmt: skip
    devices = [{"rank": p, "hostname": f"node0{1 + p // per_host}", "device": p % per_host} for p in range(processes)]
    config = {"nthreads": 1, "ngpus": 1, "minimum_bytes": size, "devices": devices}
    return json.dumps({"args": ["all_reduce_perf"], "nccl_version": 22907, "config": config, "results": [result]})


def usual(process: int, index: int) -> float:
    return 40_000.0 + 10 * ((3 * process + index) % 7)


def test_one_process_that_is_always_late() -> None:
    text = report(lambda process, index: usual(process, index) * (1.8 if process == 5 else 1))
    assert findings("straggler-process", text) == snapshot(
        [
            {
                "cause": "straggler-gpu",
                "message": "process 5 on node02 of all_reduce at 8 GiB took longer than the others in 19 of 19 iterations: up to 72108 us where the middle one took 40035 us",
                "how": "error, likely",
                "suspects": ["process 5", "node node02"],
                "evidence": [(1, "process 5: 72108 us / 40035 us")],
                "explains": [
                    "busbw-below-expected",
                    "bandwidth-unstable",
                    "bandwidth-bimodal",
                    "average-hides-variation",
                ],
            }
        ]
    )


def test_now_and_then_is_enough_where_it_is_always_the_same_one() -> None:
    text = report(lambda process, index: usual(process, index) * (3 if process == 5 and index % 6 == 5 else 1))
    ((cause, message),) = [(f.cause, f.message) for f in check("straggler-process", text).findings]
    assert (cause, message) == snapshot(
        (
            "straggler-gpu",
            "process 5 on node02 of all_reduce at 8 GiB took longer than the others in 3 of 19 iterations: up to 120180 us where the middle one took 40035 us",
        )
    )


def test_all_processes_of_one_node_are_the_node() -> None:
    text = report(
        lambda process, index: usual(process, index) * (1.5 if process in (4, 5) else 1), processes=12, per_host=2
    )
    ((cause, suspects),) = [
        (f.cause, [f"{s.kind} {s.name}" for s in f.suspects]) for f in check("straggler-process", text).findings
    ]
    assert (cause, suspects) == ("straggler-node", ["node node03"])


def test_nobody_is_accused_where_all_are_slow_or_it_is_somebody_else_each_time() -> None:
    assert findings("straggler-process", report(usual)) == []
    assert findings("straggler-process", report(lambda p, i: usual(p, i) * (3 if i == 4 else 1))) == []
    assert findings("straggler-process", report(lambda p, i: usual(p, i) * (3 if p == i % 8 and i > 12 else 1))) == []
    assert findings("straggler-process", report(lambda p, i: usual(p, i) * (1.5 if p < 4 else 1))) == []


def test_the_first_iteration_small_messages_and_few_processes_show_nothing() -> None:
    late = report(lambda process, index: usual(process, index) * (9 if process == 5 and index == 0 else 1))
    assert findings("straggler-process", late) == []
    always = lambda process, index: usual(process, index) * (1.8 if process == 1 else 1)  # noqa: E731
    assert findings("straggler-process", report(always, size=1 << 20)) == []
    assert findings("straggler-process", report(always, processes=3)) == []
