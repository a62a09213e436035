"""Whatever the fabric's tools are made to print, their parsers give a result, and invent nothing when it is cut."""

from __future__ import annotations

import re
from typing import Any

import fabric_texts
import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers import line_parsers
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.reading.read import read

PARSERS = [parser for parser in line_parsers() if parser.__module__.startswith("slowlink.parsers.fabric.")]
SAMPLES = {name: text for name, text in vars(fabric_texts).items() if name.isupper()}
ROWS = sorted({line for text in SAMPLES.values() for line in text.splitlines()})
CHANGES = ("", " ", "0", "99999999999999999999999", "0x", ":", "(", '"', "\t", "N/A", "-1", "é")


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """Lines of all tools in any order, some of them damaged."""
    found = []
    for row in draw(st.lists(st.sampled_from(ROWS), max_size=12)):
        at = draw(st.integers(0, len(row)))
        damage = draw(st.sampled_from(CHANGES)) if draw(st.booleans()) else None
        found.append(row if damage is None else row[:at] + damage + row[at + draw(st.integers(0, 3)) :])
    return found


@given(lines())
def test_damaged_lines_give_a_result(rows: list[str]) -> None:
    for parser in PARSERS:
        for reading in feed(parser, rows):
            assert reading.ref.text in rows


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    for parser in PARSERS:
        one: Any = parser()
        assert one.feed(Line("t", 1, text)) in Use
        list(one.finish())


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: str(parser.kind))
def test_wanting_is_blind_to_which_digits_are_in_a_line(parser: Any) -> None:
    assert [row for row in ROWS if parser.wants(row) != parser.wants(re.sub(r"[1-9]", "0", row))] == []


@given(lines())
def test_every_line_is_counted_once(rows: list[str]) -> None:
    text = "\n".join(rows) + "\n"
    (source,) = read([Input("fabric.txt", None, [text.encode()])], workers=1).sources
    assert source.used + source.ignored + source.unread == source.lines


@pytest.mark.parametrize("name", SAMPLES)
def test_every_line_is_known(name: str) -> None:
    (source,) = read([Input("fabric.txt", None, [SAMPLES[name].encode()])], workers=1).sources
    assert (source.unread, [ref.text for ref in source.unread_samples]) == (0, [])


@pytest.mark.parametrize("name", SAMPLES)
def test_a_cut_invents_nothing(name: str) -> None:
    """Apart from what a later line tells better: the far port of a label, the higher of two widths of a counter."""
    rows = SAMPLES[name].splitlines()
    for parser in PARSERS:
        whole = values(parser, rows)
        for cut in range(len(rows)):
            assert values(parser, rows[:cut]) <= whole, (parser.kind, cut)


def values(parser: Any, rows: list[str]) -> set[tuple[str, object]]:
    found = feed(parser, rows)
    return {(r.attribute, r.value) for r in found if r.attribute != "link-peer" and r.attribute != "port-link-downed"}
