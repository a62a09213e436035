"""The same test with and without a setting."""

from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster


def run(plateau_gbs: float, above: str) -> str:
    shown = job_log(SimulatedJob(LoggedCluster(), plateau_gbs=plateau_gbs, logged=False, command=False))
    return f"{above}\n{shown}"


SLOW = run(90.0, "### NCCL_MAX_NCHANNELS=4")
FAST = run(180.0, "### NCCL_MAX_NCHANNELS unset")


def test_headings_tell_which_was_which() -> None:
    assert findings("setting-costs", SLOW + FAST) == snapshot(
        [
            {
                "cause": "tuning-harmful",
                "message": "all_reduce of 8 GiB reaches 89.8 GB/s with NCCL_MAX_NCHANNELS=4 and 179.6 without it: 50% less",
                "how": "error, likely",
                "suspects": ["setting NCCL_MAX_NCHANNELS"],
                "evidence": [(37, "89.82 GB/s / 179.64 GB/s, without it"), (80, "179.64 GB/s")],
                "explains": ["busbw-below-expected", "bandwidth-unstable", "hardware-unknown"],
            }
        ]
    )
    one_way, other_way = (check("setting-costs", text).findings for text in (SLOW + FAST, FAST + SLOW))
    assert [f.message for f in one_way] == [f.message for f in other_way]
    assert remedies("setting-costs", SLOW + FAST) == snapshot(
        [
            [
                ("Look where it is set: the job, module files, nccl.conf.", ""),
                ("Measure with and without.", "unset NCCL_MAX_NCHANNELS"),
            ]
        ]
    )


def test_commands_tell_it_too() -> None:
    command = "$ mpirun -np 16 -N 8 -H node1:8,node2:8 {}./all_reduce_perf -b 8 -e 8G -f 2 -g 1"
    slow, fast = (
        run(90.0, command.format("-x NCCL_PROTO=LL -x NCCL_DEBUG=WARN ")),
        run(180.0, command.format("-x NCCL_DEBUG=WARN ")),
    )
    assert [f.message for f in check("setting-costs", slow + fast).findings] == snapshot(
        ["all_reduce of 8 GiB reaches 89.8 GB/s with NCCL_PROTO=LL and 179.6 without it: 50% less"]
    )


def test_what_turns_a_part_off_is_mostly_a_test() -> None:
    slow = run(90.0, "### NCCL_P2P_DISABLE=1")
    assert [f.severity for f in check("setting-costs", slow + run(180.0, "### NCCL_P2P_DISABLE not set")).findings] == [
        "warning"
    ]


def test_nothing_is_said_where_more_than_one_thing_differs() -> None:
    other = run(180.0, "### NCCL_ALGO=Ring")
    assert findings("setting-costs", SLOW + other) == []
    assert findings("setting-costs", SLOW + run(180.0, "")) == []


def test_nor_where_it_costs_less_than_launches_differ_or_gains() -> None:
    assert findings("setting-costs", run(171.0, "### NCCL_MAX_NCHANNELS=4") + FAST) == []
    assert findings("setting-costs", run(200.0, "### NCCL_MAX_NCHANNELS=4") + FAST) == []
