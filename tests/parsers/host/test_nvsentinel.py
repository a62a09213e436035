"""Node conditions that NVSentinel writes."""

from __future__ import annotations

import re

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.host import nvsentinel
from slowlink.parsers.host.nvsentinel import PARSER

SAMPLE = sample_in(nvsentinel.__doc__ or "").splitlines()
YAML = """\
  - lastTransitionTime: "2031-03-03T09:00:00Z"
    message: ErrorCode:DCGM_FR_NVLINK_DOWN GPU:2 NVLink 4 is down Recommended Action=CONTACT_SUPPORT;
    reason: GpuNvlinkWatchIsNotHealthy
""".splitlines()


def readings(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(PARSER, lines)]


def test_conditions_are_tests_with_their_own_words() -> None:
    assert readings(SAMPLE) == [
        ("health-test", "health/GpuXidError", "fail"),
        ("health-test-detail", "health/GpuXidError", "ErrorCode:79 GPU:3 XID error Recommended Action=RESTART_BM"),
        ("health-test", "health/GpuNvlinkWatch", "pass"),
    ]


def test_a_message_without_its_check_is_a_failing_condition() -> None:
    assert readings(YAML[:2]) == [
        ("health-test", "health/node condition", "fail"),
        (
            "health-test-detail",
            "health/node condition",
            "ErrorCode:DCGM_FR_NVLINK_DOWN GPU:2 NVLink 4 is down Recommended Action=CONTACT_SUPPORT",
        ),
    ]


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in SAMPLE)


@given(st.lists(st.sampled_from([*SAMPLE, *YAML]) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(name.startswith("health/") for _, name, _ in readings(lines))
