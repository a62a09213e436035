"""CPUs in /sys: governors, frequencies, idle states, SMT, NUMA nodes."""

from __future__ import annotations

import re

from slowlink.parsers.forms.make_reading import says_something, whole
from slowlink.parsers.kernel.sysfs.paths import PathFact
from slowlink.patterns import regex

_CPU = r"sys/devices/system/cpu/(?:cpufreq/policy|cpu(?=\d{1,5}/cpufreq))(?P<cpu>\d{1,5})(?:/cpufreq)?"
_STATE = r"sys/devices/system/cpu/cpu(?P<cpu>\d{1,5})/cpuidle/(?P<state>state\d{1,2})"
_ROOT = "/sys/devices/system/cpu"
_RANGES = regex(r"\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?){0,99}")


def _text(content: str) -> str | None:
    return content[:60] if says_something(content) and content.isprintable() else None


def _flag(content: str) -> bool | None:
    return {"0": False, "1": True}.get(content)


def _reversed(content: str) -> bool | None:
    return {"0": True, "1": False}.get(content)


def _count(content: str) -> int | None:
    """``0-3,8`` to 5."""
    if not _RANGES.fullmatch(content):
        return None
    ends = [part.partition("-") for part in content.split(",")]
    return sum(max(0, int(last or first) - int(first)) + 1 for first, _, last in ends)


def _chosen(content: str) -> str | None:
    """``always [madvise] never`` to madvise."""
    found = re.search(r"\[(\w{1,20})\]", content)
    return found[1] if found else None


PATHS = (
    PathFact(
        f"{_CPU}/scaling_governor",
        "cpu-governor",
        "{cpu}",
        _text,
        {
            f"{_ROOT}/cpu31/cpufreq/scaling_governor:powersave": "powersave",
            f"{_ROOT}/cpufreq/policy3/scaling_governor:performance": "performance",
        },
    ),
    PathFact(
        f"{_CPU}/scaling_driver",
        "cpu-frequency-driver",
        "{cpu}",
        _text,
        {f"{_ROOT}/cpu0/cpufreq/scaling_driver:intel_pstate": "intel_pstate"},
    ),
    PathFact(
        f"{_CPU}/scaling_max_freq",
        "cpu-frequency-limit",
        "{cpu}",
        whole,
        {f"{_ROOT}/cpu0/cpufreq/scaling_max_freq:2000000": 2000000},
    ),
    PathFact(
        f"{_CPU}/cpuinfo_max_freq",
        "cpu-frequency-highest",
        "{cpu}",
        whole,
        {f"{_ROOT}/cpu0/cpufreq/cpuinfo_max_freq:3800000": 3800000},
    ),
    PathFact(
        f"{_CPU}/scaling_cur_freq",
        "cpu-frequency",
        "{cpu}",
        whole,
        {f"{_ROOT}/cpu0/cpufreq/scaling_cur_freq:1200000": 1200000},
    ),
    PathFact(
        f"{_CPU}/energy_performance_preference",
        "cpu-energy-preference",
        "{cpu}",
        _text,
        {f"{_ROOT}/cpu0/cpufreq/energy_performance_preference:balance_power": "balance_power"},
    ),
    PathFact(r"sys/devices/system/cpu/cpufreq/boost", "cpu-boost", "", _flag, {f"{_ROOT}/cpufreq/boost:0": False}),
    PathFact(
        r"sys/devices/system/cpu/intel_pstate/no_turbo",
        "cpu-boost",
        "",
        _reversed,
        {f"{_ROOT}/intel_pstate/no_turbo:0": True},
    ),
    PathFact(
        r"sys/devices/system/cpu/cpuidle/current_driver",
        "cpu-idle-driver",
        "",
        lambda content: content or None,
        {f"{_ROOT}/cpuidle/current_driver:intel_idle": "intel_idle", f"{_ROOT}/cpuidle/current_driver:none": "none"},
    ),
    PathFact(
        f"{_STATE}/name", "cpu-idle-state", "{cpu}/{state}", _text, {f"{_ROOT}/cpu0/cpuidle/state3/name:C6": "C6"}
    ),
    PathFact(
        f"{_STATE}/latency",
        "cpu-idle-latency",
        "{cpu}/{state}",
        whole,
        {f"{_ROOT}/cpu0/cpuidle/state3/latency:170": 170},
    ),
    PathFact(
        f"{_STATE}/disable",
        "cpu-idle-disabled",
        "{cpu}/{state}",
        _flag,
        {f"{_ROOT}/cpu0/cpuidle/state3/disable:1": True},
    ),
    PathFact(r"sys/devices/system/cpu/smt/active", "cpu-smt", "", _flag, {f"{_ROOT}/smt/active:1": True}),
    PathFact(r"sys/devices/system/cpu/online", "cpu-count", "", _count, {f"{_ROOT}/online:0-95": 96}),
    PathFact(r"sys/devices/system/node/online", "numa-nodes", "", _count, {"/sys/devices/system/node/online:0-1,4": 3}),
    PathFact(
        r"sys/kernel/mm/transparent_hugepage/enabled",
        "transparent-hugepages",
        "",
        _chosen,
        {"/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] never": "madvise"},
    ),
)
