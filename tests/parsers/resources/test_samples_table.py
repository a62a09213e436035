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
TEXTS |= {
    "vmstat -t -w": """\
--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- ----------cpu---------- -----timestamp-----
   r    b         swpd         free        inact       active   si   so    bi    bo   in   cs  us  sy  id  wa  st  gu                 UTC
  44   31      8321888      1502210          112       811064  100   20 93012 120512 241021 560211  38  24   2  35   1   0 2026-11-23 03:10:47
""",
    "iostat -xh": """\
11/23/2026 03:10:47 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3.1%    0.0%    0.9%   11.2%    0.0%   84.8%

     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device
  188.00      5.9M     0.00   0.0%  812.44    32.0k nvme0n1

     f/s f_await  aqu-sz  %util Device
    0.00    0.00  156.40  99.9% nvme0n1
""",
    "sar -d": """\
03:10:47 AM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
03:10:48 AM   nvme0n1    192.00   6016.00     64.00      0.00     31.67    156.40    814.70     99.80
""",
    "old iostat": """\
Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sdb               0,00     0,00  188,00    4,00  6016,00    64,00    63,33   156,40  814,70  812,44  921,50   5,20  99,90
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


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "vmstat -t -w",
            [("cpu-io-wait", "", 35.0), ("cpu-stolen", "", 1.0), ("cpu-idle", "", 2.0), ("swap-rate", "", 120.0)],
        ),
        (
            "iostat -xh",
            [
                ("cpu-io-wait", "", 11.2),
                ("cpu-stolen", "", 0.0),
                ("cpu-idle", "", 84.8),
                ("disk-wait-reading", "nvme0n1", 812.44),
                ("disk-busy", "nvme0n1", 99.9),
            ],
        ),
        ("sar -d", [("disk-busy", "nvme0n1", 99.8), ("disk-wait", "nvme0n1", 814.7)]),
        (
            "old iostat",
            [
                ("disk-busy", "sdb", 99.9),
                ("disk-wait", "sdb", 814.7),
                ("disk-wait-reading", "sdb", 812.44),
                ("disk-wait-writing", "sdb", 921.5),
            ],
        ),
    ],
)
def test_other_options_and_versions(name: str, found: list[tuple[str, str, Any]]) -> None:
    assert said(TEXTS[name]) == found


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
