"""cpupower frequency-info and idle-info: whole, and what grep left of them."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.cpupower import Cpupower

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
LINES = (FREQUENCY_INFO + IDLE_INFO).splitlines()


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(Cpupower, text.splitlines())]


def test_cpupower_frequency_info() -> None:
    assert said(FREQUENCY_INFO) == snapshot(
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
    assert said(IDLE_INFO) == snapshot(
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
    assert said(grepped) == [("cpu-governor", "?", "powersave")]


def test_keys_of_others_are_not_cpupowers() -> None:
    assert said("  driver: nvidia\n  Latency: 12\n  Active: yes\n") == []


def test_each_cpu_has_its_own_block() -> None:
    text = FREQUENCY_INFO + FREQUENCY_INFO.replace("CPU 12", "CPU 13").replace('schedutil" may', 'performance" may')
    assert [entry for entry in said(text) if entry[0] == "cpu-governor"] == snapshot(
        [("cpu-governor", "12", "schedutil"), ("cpu-governor", "13", "performance")]
    )


def test_what_the_kernel_does_not_know_says_nothing() -> None:
    text = "analyzing CPU 3:\n  no or unknown cpufreq driver is active on this CPU\n  maximum transition latency: N/A\n"
    assert said(text + "  hardware limits: Not Available\n  current CPU frequency: Unable to call hardware\n") == []


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert Cpupower.wants(text) == Cpupower.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(Cpupower, lines):
        assert 1 <= r.ref.line <= len(lines)


@given(end=st.integers(0, len(FREQUENCY_INFO)))
def test_cut_off_anywhere_invents_nothing(end: int) -> None:
    whole = said(FREQUENCY_INFO)
    found = said(FREQUENCY_INFO[:end])
    assert [entry[:2] for entry in found] == [entry[:2] for entry in whole[: len(found)]]
    assert found[:-1] == whole[: max(0, len(found) - 1)]
