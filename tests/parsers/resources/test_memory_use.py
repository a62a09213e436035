"""free, the head of top, and /proc/meminfo: how much memory is left."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.resources.memory_use import MemoryUse

TEXTS = {
    "free -h": """\
               total        used        free      shared  buff/cache   available
Mem:           503Gi       497Gi       2.1Gi       1.3Gi       4.2Gi       1.6Gi
Swap:          8.0Gi       7.9Gi        64Mi
""",
    "old free": """\
             total       used       free     shared    buffers     cached
Mem:      65965700   65120012     845688          0     201112   31201120
-/+ buffers/cache:   33717780   32247920
Swap:      8388604          0    8388604
""",
    "top": """\
MiB Mem : 515895.4 total,   1601.2 free, 508331.5 used,   5962.7 buff/cache
MiB Swap:   8192.0 total,     11.3 free,   8180.7 used.   2211.0 avail Mem
""",
    "meminfo": """\
MemTotal:       528280976 kB
MemFree:         1520544 kB
MemAvailable:    2101220 kB
SwapTotal:      33554428 kB
SwapFree:         120312 kB
HugePages_Total:       0
""",
}
LINES = [line for text in TEXTS.values() for line in text.splitlines()]


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(MemoryUse, text.splitlines())]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "free -h",
            snapshot(
                [
                    ("memory-available", "", 1717986918),
                    ("memory-total", "", 540092137472),
                    ("swap-total", "", 8589934592),
                    ("swap-free", "", 67108864),
                ]
            ),
        ),
        (
            "old free",
            snapshot(
                [
                    ("memory-total", "", 67548876800),
                    ("memory-available", "", 33021870080),
                    ("swap-total", "", 8589930496),
                    ("swap-free", "", 8589930496),
                ]
            ),
        ),
        (
            "top",
            snapshot(
                [
                    ("memory-total", "", 540955534950),
                    ("swap-free", "", 11848909),
                    ("memory-available", "", 2318401536),
                    ("swap-total", "", 8589934592),
                ]
            ),
        ),
        (
            "meminfo",
            snapshot(
                [
                    ("memory-total", "", 540959719424),
                    ("memory-available", "", 2151649280),
                    ("swap-total", "", 34359734272),
                    ("swap-free", "", 123199488),
                ]
            ),
        ),
    ],
)
def test_each_form(name: str, found: list[tuple[str, str, Any]]) -> None:
    assert said(TEXTS[name]) == found


HEADING = "               total        used        free      shared  buff/cache   available"


@pytest.mark.parametrize(
    ("command", "row", "total", "available"),
    [
        (
            "free -m",
            "Mem:          515893      508331        1601        1298        5962        2211",
            515893 << 20,
            2211 << 20,
        ),
        (
            "x",
            "Mem:          515893      508331        1601        1298        5962        2211",
            515893 << 20,
            2211 << 20,
        ),
        ("x", "Mem:            2015        1985           6           1          23          12", 2015 << 30, 12 << 30),
        (
            "x",
            "Mem:       528280976   508331512     1601204     1298004     5962712     2211000",
            528280976 << 10,
            2211000 << 10,
        ),
        ("$ free -b", "Mem:    540959719424  1048576 0 0 0 2264064000", 540959719424, 2264064000),
        (
            "free -gt",
            "Mem:            2016        1984           8           0          24          12",
            2016 << 30,
            12 << 30,
        ),
    ],
)
def test_the_unit_of_plain_numbers(command: str, row: str, total: int, available: int) -> None:
    found = said(f"{command}\n{HEADING}\n{row}")
    assert found == [("memory-available", "", available), ("memory-total", "", total)]


@pytest.mark.parametrize(
    "row",
    [
        "Mem:           12015       11985           6           1          23          12",
        "Mem:            2016        1984           8           0          24          12",
        "Mem:       9999",
    ],
)
def test_numbers_that_fit_two_units_give_nothing(row: str) -> None:
    assert said(f"{HEADING}\n{row}\nSwap:             7           7           0") == []


def test_rows_in_other_languages() -> None:
    text = "Speicher:   503Gi   497Gi   2,1Gi   1,3Gi   4,2Gi   1,6Gi\n交换：   8.0Gi   7.9Gi    64Mi\n"
    assert said(text) == snapshot(
        [
            ("memory-available", "", 1717986918),
            ("memory-total", "", 540092137472),
            ("swap-total", "", 8589934592),
            ("swap-free", "", 67108864),
        ]
    )


def test_an_old_table_without_its_heading_says_what_is_available_in_its_second_row() -> None:
    rows = TEXTS["old free"].splitlines()[1:3]
    assert said("\n".join(rows))[-1] == ("memory-available", "", 33021870080)


def test_a_key_of_another_file_is_not_taken() -> None:
    assert not MemoryUse.wants("Processes:       12 kB")


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert MemoryUse.wants(text) == MemoryUse.wants(shape_of(text).decode()), text
        assert not MemoryUse.wants(text) or MemoryUse.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(MemoryUse, lines):
        assert 1 <= r.ref.line <= len(lines)
