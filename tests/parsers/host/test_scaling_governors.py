"""Governors as a loop of cat prints them, whole and counted."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.scaling_governors import ScalingGovernors
from slowlink.parsers.reading.read import read

LIST = "$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\nperformance\npowersave\n\nperformance\n"
COUNTED = (
    "# cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n    2 performance\n   94 powersave\n"
)
LINES = (LIST + COUNTED).splitlines()


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(ScalingGovernors, text.splitlines())]


def test_governors_of_all_cpus() -> None:
    assert said(LIST) == [
        ("cpu-governor", "#1", "performance"),
        ("cpu-governor", "#2", "powersave"),
    ]


def test_governors_counted() -> None:
    assert said(COUNTED) == [
        ("cpu-governor", "2 CPUs", "performance"),
        ("cpu-governor", "94 CPUs", "powersave"),
    ]


def test_each_command_counts_its_own_cpus() -> None:
    assert [part for _, part, _ in said(LIST + LIST)] == ["#1", "#2", "#1", "#2"]


def test_words_without_their_command_are_nobodys() -> None:
    assert said("performance\npowersave\n") == []
    assert said(LIST.splitlines()[0] + "\nsome words\nperformance\n") == []


def test_a_list_that_is_cut_gives_the_cpus_above() -> None:
    assert said(LIST[: LIST.index("ave")]) == [("cpu-governor", "#1", "performance")]


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert ScalingGovernors.wants(text) == ScalingGovernors.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(ScalingGovernors, lines):
        assert 1 <= r.ref.line <= len(lines)


def test_counted_governors_of_many_hosts_below_the_command_that_asked_them() -> None:
    text = "$ pdsh -w gn[01-02] 'cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c'\n"
    text += "gn01:     192 performance\ngn02:     192 powersave\n"
    readings = read([Input("t", None, [text.encode()])], workers=1).readings
    assert [(r.host, r.part.name, r.value) for r in readings] == [
        ("gn01", "192 CPUs", "performance"),
        ("gn02", "192 CPUs", "powersave"),
    ]


def test_the_same_words_of_another_file_are_no_governor() -> None:
    folder = "/sys/devices/system/cpu/cpu0/cpufreq"
    rows = "gpu01: performance\ngpu02: performance\ngpu03: performance\n"
    other = f"$ pdsh -w gpu[01-03] cat {folder}/energy_performance_preference\n{rows}"
    asked = f"$ pdsh -w gpu[01-03] cat {folder}/scaling_governor\n{rows}"
    assert read([Input("t", None, [other.encode()])], workers=1).readings == ()
    both = read([Input("t", None, [(other + asked).encode()])], workers=1).readings
    assert [(each.host, each.ref.line) for each in both] == [("gpu01", 6), ("gpu02", 7), ("gpu03", 8)]
