"""vmstat, mpstat, sar and iostat: rows below their heading."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.resources.samples_table import SamplesTable

TEXTS = {
    "vmstat": """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
44 31 8321888 1502210   112 811064 91204 120312 93012 120512 241021 560211 38 24  2 36  0
""",
    "mpstat": """\
Linux 5.15.0-105-generic (vm-gpu-4) 	11/17/2025 	_x86_64_	(4 CPU)

02:11:40 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
02:11:41 PM  all   41.12    0.00    6.03    0.00    0.00    1.26   32.41    0.00    0.00   19.18
02:11:41 PM    0   12.00    0.00    4.00    0.00    0.00   84.00    0.00    0.00    0.00    0.00
""",
    "sar": """\
14:11:40        CPU     %user     %nice   %system   %iowait    %steal     %idle
14:11:41        all      4.31      0.00      0.61      0.00      0.00     95.08
Average:        all      4.30      0.00      0.61      0.00      0.00     95.09
""",
    "iostat": """\
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3.12    0.00    0.88   11.20    0.00   84.80

Device            r/s     rkB/s r_await     w/s     wkB/s w_await  aqu-sz  %util
sda            188.00   6016.00  812.44    4.00     64.00  921.50  156.40 100.00
""",
}
LINES = [line for text in TEXTS.values() for line in text.splitlines()]


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(SamplesTable, text.splitlines())]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "vmstat",
            snapshot(
                [("cpu-io-wait", "", 36.0), ("cpu-stolen", "", 0.0), ("cpu-idle", "", 2.0), ("swap-rate", "", 211516.0)]
            ),
        ),
        (
            "mpstat",
            snapshot(
                [
                    ("cpu-io-wait", "", 0.0),
                    ("cpu-stolen", "", 32.41),
                    ("cpu-idle", "", 19.18),
                    ("cpu-soft-interrupts", "0", 84.0),
                ]
            ),
        ),
        (
            "sar",
            snapshot(
                [
                    ("cpu-io-wait", "", 0.0),
                    ("cpu-stolen", "", 0.0),
                    ("cpu-idle", "", 95.08),
                    ("cpu-io-wait", "", 0.0),
                    ("cpu-stolen", "", 0.0),
                    ("cpu-idle", "", 95.09),
                ]
            ),
        ),
        (
            "iostat",
            snapshot(
                [
                    ("cpu-io-wait", "", 11.2),
                    ("cpu-stolen", "", 0.0),
                    ("cpu-idle", "", 84.8),
                    ("disk-busy", "sda", 100.0),
                    ("disk-wait-reading", "sda", 812.44),
                    ("disk-wait-writing", "sda", 921.5),
                ]
            ),
        ),
    ],
)
def test_each_tool(name: str, found: list[tuple[str, str, Any]]) -> None:
    assert said(TEXTS[name]) == found


def test_rows_without_a_heading_are_nobodys() -> None:
    assert said(TEXTS["vmstat"].splitlines()[-1]) == []


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert SamplesTable.wants(text) == SamplesTable.wants(shape_of(text).decode()), text
        assert not SamplesTable.wants(text) or SamplesTable.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(SamplesTable, lines):
        assert 1 <= r.ref.line <= len(lines)


def test_a_long_number_that_is_none_has_one_reading() -> None:
    """Were the blanks between numbers left to choice, this would not end."""
    assert not SamplesTable.wants("1" * 400 + "x")
