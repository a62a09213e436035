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
