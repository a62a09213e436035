"""Results of IBM Autopilot's checks."""

from __future__ import annotations

import re

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.host import autopilot
from slowlink.parsers.host.autopilot import PARSER

SAMPLE = sample_in(autopilot.__doc__ or "").splitlines()


def readings(lines: list[str]) -> list[tuple[str, str, object, str | None]]:
    return [(r.attribute, r.part.name, r.value, r.host) for r in feed(PARSER, lines)]


def test_results_by_name_with_their_host() -> None:
    assert readings(SAMPLE) == [
        ("health-test", "health/PCIEBW", "fail", "gpu07"),
        ("health-test", "health/REMAPPED ROWS", "pass", None),
        ("health-test", "health/GPU POWER", "pass", None),
        ("health-test", "health/GPU-MEM", "fail", None),
        ("health-test-detail", "health/GPU-MEM", "Health Check unsuccessful", None),
        ("health-test", "health/PING", "fail", None),
        ("health-test-detail", "health/PING", "At least one node unreachable", None),
    ]


def test_a_check_that_could_not_run_neither_passed_nor_failed() -> None:
    assert readings(["[[ DCGM ]] ABORT"]) == [("health-test", "health/DCGM", "skip", None)]


def test_a_host_far_from_any_result_is_somebody_elses() -> None:
    assert readings(["Host  gpu07"]) == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in SAMPLE)


@given(st.lists(st.sampled_from(SAMPLE) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(name.startswith("health/") for _, name, _, _ in readings(lines))
