"""Failure lines of the test program become events and belong to their run."""

from __future__ import annotations

import pytest
from nccl_tests_texts import one_run, parse, sweep

from slowlink.simulate.nccl_tests_output import render

BEGIN = render(sweep(), "2.17.9")[:25]
NCCL = "gpu-7: Test NCCL failure common.cu:1012 'unhandled system error (run with NCCL_DEBUG=INFO for details) / '"
TRAIL = " .. gpu-7 pid {}: Test failure common.cu:{}"


def test_failures_are_counted_and_trails_are_secondary() -> None:
    lines = [NCCL, TRAIL.format(11, 891), TRAIL.format(11, 702), NCCL, TRAIL.format(12, 891)]
    (run,), events = parse([*BEGIN, *lines])
    assert len(run.errors) == len(lines)
    assert [(event.kind, event.count, event.secondary) for event in events] == [
        ("nccl-tests-nccl-failure", 2, False),
        ("nccl-tests-failure-trail", 2, True),
        ("nccl-tests-failure-trail", 1, True),
    ]
    assert events[0].host == "gpu-7"
    assert events[0].groups == {
        "host": "gpu-7",
        "file": "common.cu",
        "line": "1012",
        "error": "unhandled system error (run with NCCL_DEBUG=INFO for details)",
    }
    assert events[1].groups["pid"] == "11"


def test_a_failure_glued_to_the_begin_of_a_row() -> None:
    lines = render(sweep(), "2.13.4")
    header = lines[: next(index for index, line in enumerate(lines) if "(GB/s)" in line) + 1]
    begin = "    33554432       8388608     float     sum      -1"
    runs, events = parse([*header, begin + NCCL])
    assert events[0].host == "gpu-7"
    assert len(runs[0].torn_rows) == 1
    assert runs[0].rows == 0


@pytest.mark.parametrize(
    "text, kind, groups",
    [
        (
            "n1: Test CUDA failure common.cu:892 'out of memory'",
            "nccl-tests-cuda-failure",
            {"host": "n1", "file": "common.cu", "line": "892", "error": "out of memory"},
        ),
        ("n1: Test timeout (60s) common.cu:420", "nccl-tests-timeout", {"seconds": "60"}),
        (
            "Invalid number of GPUs: 8 requested but only 4 were found.",
            "nccl-tests-invalid-gpus",
            {"requested": "8", "found": "4"},
        ),
        ("./all_reduce_perf: invalid option 'Q'", "nccl-tests-invalid-option", {"option": "Q"}),
        ("invalid size specified for 'minbytes'", "nccl-tests-invalid-size", {}),
        (
            "invalid type flaot, defaulting to float .. ",
            "nccl-tests-invalid-value",
            {"value": "flaot", "used": "float"},
        ),
    ],
)
def test_each_message(text: str, kind: str, groups: dict[str, str]) -> None:
    runs, (event,) = parse(text)
    assert runs == []
    assert (event.kind, event.origin) == (kind, "nccl-tests")
    assert groups.items() <= event.groups.items()


def test_failures_do_not_disturb_the_rows() -> None:
    lines = render(sweep(), "2.17.9")
    run = one_run([*lines[:30], NCCL, *lines[30:]])
    assert (run.rows, len(run.errors)) == (11, 1)
