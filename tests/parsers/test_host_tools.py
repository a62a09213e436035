"""Tools that print blocks: cpupower, df, loops of cat over governors."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.cpupower import Cpupower
from slowlink.parsers.host.scaling_governors import ScalingGovernors
from slowlink.parsers.host.shared_memory import SharedMemory

FREQUENCY_INFO = """\
analyzing CPU 12:
  driver: acpi-cpufreq
  CPUs which run at the same hardware frequency: 12
  CPUs which need to have their frequency coordinated by software: 12
  maximum transition latency:  Cannot determine or is not supported.
  hardware limits: 1.50 GHz - 2.45 GHz
  available frequency steps:  2.45 GHz, 2.00 GHz, 1.50 GHz
  available cpufreq governors: conservative ondemand userspace powersave performance schedutil
  current policy: frequency should be within 1.50 GHz and 2.00 GHz.
                  The governor "schedutil" may decide which speed to use
                  within this range.
  current CPU frequency: Unable to call hardware
  current CPU frequency: 1.62 GHz (asserted by call to kernel)
  boost state support:
    Supported: yes
    Active: no
"""
IDLE_INFO = """\
CPUidle driver: intel_idle
CPUidle governor: menu
analyzing CPU 0:

Number of idle states: 3
Available idle states: POLL C1 C6
POLL:
Flags/Description: CPUIDLE CORE POLL IDLE
Latency: 0
Usage: 12
Duration: 345
C6 (DISABLED) :
Flags/Description: MWAIT 0x20
Latency: 170
Usage: 99
Duration: 1234
"""


def said(parser: Any, text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(parser, text.splitlines())]


def test_cpupower_frequency_info() -> None:
    assert said(Cpupower, FREQUENCY_INFO) == snapshot(
        [
            ("cpu-frequency-driver", "12", "acpi-cpufreq"),
            ("cpu-frequency-highest", "12", 2450000),
            ("cpu-frequency-limit", "12", 2000000),
            ("cpu-governor", "12", "schedutil"),
            ("cpu-frequency", "12", 1620000),
            ("cpu-boost", "", False),
        ]
    )


def test_cpupower_idle_info() -> None:
    assert said(Cpupower, IDLE_INFO) == snapshot(
        [
            ("cpu-idle-driver", "", "intel_idle"),
            ("cpu-idle-state", "0/POLL", "POLL"),
            ("cpu-idle-disabled", "0/POLL", False),
            ("cpu-idle-latency", "0/POLL", 0),
            ("cpu-idle-state", "0/C6", "C6"),
            ("cpu-idle-disabled", "0/C6", True),
            ("cpu-idle-latency", "0/C6", 170),
        ]
    )


def test_a_line_that_grep_left_of_cpupower() -> None:
    grepped = '                  The governor "powersave" may decide which speed to use'
    assert said(Cpupower, grepped) == [("cpu-governor", "?", "powersave")]


def test_keys_of_others_are_not_cpupowers() -> None:
    assert said(Cpupower, "  driver: nvidia\n  Latency: 12\n  Active: yes\n") == []


def test_governors_of_all_cpus() -> None:
    text = "$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\nperformance\npowersave\n\nperformance\n"
    assert said(ScalingGovernors, text) == [
        ("cpu-governor", "#1", "performance"),
        ("cpu-governor", "#2", "powersave"),
    ]


def test_governors_counted() -> None:
    text = "# cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n    2 performance\n   94 powersave\n"
    assert said(ScalingGovernors, text) == [
        ("cpu-governor", "2 CPUs", "performance"),
        ("cpu-governor", "94 CPUs", "powersave"),
    ]


@pytest.mark.parametrize(
    ("text", "size", "free"),
    [
        (
            "Filesystem      Size  Used Avail Use% Mounted on\nshm              64M     0   64M   0% /dev/shm",
            64 << 20,
            64 << 20,
        ),
        ("Filesystem 1K-blocks Used Available Use% Mounted on\ntmpfs 1024 24 1000 3% /dev/shm", 1 << 20, 1000 << 10),
        ("Filesystem Type 1M-blocks Used Avail Use% Mounted on\ntmpfs tmpfs 10 9 1 90% /dev/shm", 10 << 20, 1 << 20),
        ("tmpfs           252G  1.5G  251G   1% /dev/shm", 252 << 30, 251 << 30),
    ],
)
def test_df(text: str, size: int, free: int) -> None:
    assert said(SharedMemory, text) == [("shm-size", "", size), ("shm-free", "", free)]


@pytest.mark.parametrize("parser", [Cpupower, ScalingGovernors, SharedMemory])
@given(
    lines=st.lists(
        st.one_of(st.text(max_size=60), st.sampled_from((FREQUENCY_INFO + IDLE_INFO).splitlines())),
        max_size=40,
    )
)
def test_any_lines_give_a_result(parser: Any, lines: list[str]) -> None:
    for r in feed(parser, lines):
        assert 1 <= r.ref.line <= len(lines)


def test_wants_is_blind_to_digits() -> None:
    for parser in (Cpupower, ScalingGovernors, SharedMemory):
        for text in (FREQUENCY_INFO + IDLE_INFO).splitlines():
            assert parser.wants(text) == parser.wants(shape_of(text).decode()), text


@given(end=st.integers(0, len(FREQUENCY_INFO)))
def test_cut_off_anywhere_invents_nothing(end: int) -> None:
    whole = said(Cpupower, FREQUENCY_INFO)
    found = said(Cpupower, FREQUENCY_INFO[:end])
    assert [entry[:2] for entry in found] == [entry[:2] for entry in whole[: len(found)]]
    assert found[:-1] == whole[: max(0, len(found) - 1)]
