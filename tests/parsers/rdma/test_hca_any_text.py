"""Whatever tools on HCAs are made to print, their parsers give a result, and invent nothing when it is cut."""

from __future__ import annotations

import re

import hca_texts
import pytest
from feeding import feed
from hca_reading import records, said, unread
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers import line_parsers
from slowlink.parsers.forms.interface import Use

PARSERS = [parser for parser in line_parsers() if parser.__module__.startswith("slowlink.parsers.rdma.")]
TEXTS = list(hca_texts.ALL.values())
ROWS = sorted({line for text in TEXTS for line in text.splitlines()})
CHANGES = ("", " ", "0", "99999999999999999999999", "0x", ":", "(", "=", "\t", "N/A", "-1", "é")
UNREAD = {"MST": ["------------"]}
"""A bare ruler may be anybody's."""


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """Lines of all tools in any order, some of them damaged."""
    found = []
    for row in draw(st.lists(st.sampled_from(ROWS), max_size=12)):
        at = draw(st.integers(0, len(row)))
        damage = draw(st.sampled_from(CHANGES)) if draw(st.booleans()) else None
        found.append(row if damage is None else row[:at] + damage + row[at + draw(st.integers(0, 3)) :])
    return found


@pytest.mark.parametrize("name", sorted(hca_texts.ALL))
def test_next_to_no_line_stays_unread(name: str) -> None:
    assert unread(hca_texts.ALL[name]) == UNREAD.get(name, [])


def test_the_same_keys_elsewhere_are_nobodys() -> None:
    assert said("State: Active\nRate: 400\nSpeed: 25000Mb/s\nRX: on\n4: ACTIVE\n    rx_prio3_pause: 5\n") == []


@given(lines())
def test_damaged_lines_give_a_result(rows: list[str]) -> None:
    for parser in PARSERS:
        for reading in feed(parser, rows):
            assert reading.ref.text in rows


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    for parser in PARSERS:
        one = parser()
        assert one.feed(Line("t", 1, text)) in Use
        assert all(found.ref.text == text for found in one.finish())  # type: ignore[union-attr]


@pytest.mark.parametrize("row", ROWS)
def test_wanting_is_blind_to_which_digits_are_in_a_line(row: str) -> None:
    zeros = re.sub(r"[1-9]", "0", row)
    assert [parser for parser in PARSERS if parser.wants(row)] == [parser for parser in PARSERS if parser.wants(zeros)]


@given(lines())
@settings(max_examples=80)
def test_every_line_is_counted_once(rows: list[str]) -> None:
    (source,) = records("\n".join(rows) + "\n").sources
    assert source.used + source.ignored + source.unread == source.lines


@given(text=st.sampled_from(TEXTS), keep=st.integers(0, 40), middle=st.integers(0, 200))
@settings(max_examples=60)
def test_cutting_never_raises_and_never_invents(text: str, keep: int, middle: int) -> None:
    lines = text.splitlines()[:keep]
    cut = "\n".join([*lines[:-1], lines[-1][:middle]]) if lines else ""
    whole, part = records(text), records(cut)
    (source,) = part.sources
    assert source.used + source.ignored + source.unread == source.lines
    known = {(r.attribute, r.part, r.value) for r in whole.readings}
    last = len(lines)
    assert {(r.attribute, r.part, r.value) for r in part.readings if r.ref.line < last} <= known


_WORDS = st.sampled_from([word for text in TEXTS for word in text.replace("\t", " ").split(" ") if word.strip()])


@given(st.lists(st.lists(_WORDS | st.text(max_size=8), max_size=8).map(" ".join), max_size=12).map("\n".join))
@settings(max_examples=80)
def test_any_words_give_a_result(text: str) -> None:
    (source,) = records(text).sources or (None,)
    assert source is None or source.used + source.ignored + source.unread == source.lines
