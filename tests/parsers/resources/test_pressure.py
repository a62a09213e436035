"""/proc/pressure: whose name stands above or before."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.resources.pressure import Pressure

LOOP = """\
/proc/pressure/cpu
some avg10=12.11 avg60=10.02 avg300=9.40 total=8812011201
/proc/pressure/memory
some avg10=71.22 avg60=66.70 avg300=51.01 total=81201120112
full avg10=55.02 avg60=51.31 avg300=38.82 total=61201120112
"""
GREP = "/proc/pressure/io:full avg10=48.10 avg60=44.01 avg300=31.12 total=71201120112"
PROMPT = "root@gpu1:~# cat /proc/pressure/io\nfull avg10=48.10 avg60=44.01 avg300=31.12 total=71201120112"
TEXTS = {"loop": LOOP, "grep": GREP, "prompt": PROMPT}
LINES = [line for text in TEXTS.values() for line in text.splitlines()]


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(Pressure, text.splitlines())]


def test_the_name_stands_above_or_before() -> None:
    assert said(LOOP) == snapshot(
        [("pressure-cpu-some", "", 10.02), ("pressure-memory-some", "", 66.7), ("pressure-memory-full", "", 51.31)]
    )
    assert said(GREP) == snapshot([("pressure-io-full", "", 44.01)])
    assert said(PROMPT) == snapshot([("pressure-io-full", "", 44.01)])


def test_without_a_name_nothing_is_known() -> None:
    assert said("full avg10=48.10 avg60=44.01 avg300=31.12 total=71201120112") == []


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert Pressure.wants(text) == Pressure.wants(shape_of(text).decode()), text
        assert not Pressure.wants(text) or Pressure.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(Pressure, lines):
        assert 1 <= r.ref.line <= len(lines)
