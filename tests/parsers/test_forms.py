"""The scan asks a parser with a ``may_want`` once a form of lines: it must not miss a line that the parser wants."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink import parsers
from slowlink.parsers import line_parsers
from slowlink.parsers.lines import form_of, shape_of
from slowlink.parsers.plans import Asked

TESTS = Path(__file__).resolve().parents[1]
SAMPLES = Path(parsers.__file__).parent
ASKED_ONCE = [unit for unit in line_parsers() if hasattr(unit, "may_want")]


@cache
def texts() -> list[str]:
    """Lines of all formats: everything in tests and samples of this project, also as it stands in their sources."""
    found: dict[bytes, str] = {}
    for path in sorted((*TESTS.rglob("*"), *SAMPLES.rglob("*.py"))):
        if path.suffix in {".py", ".txt", ".log", ".out", ".md", ".json", ".yaml"}:
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                for text in (line, line.strip().strip("\",'"), *line.split('"')[1::2]):
                    found.setdefault(shape_of(text), text)
    return list(found.values())


def form(text: str) -> str:
    return form_of(text).decode("utf-8", "replace")


@pytest.mark.parametrize("unit", ASKED_ONCE, ids=lambda unit: unit.kind)
def test_what_is_wanted_may_be_wanted(unit: type) -> None:
    wanted = [text for text in texts() if unit.wants(text)]
    assert wanted, "no test has a line of this format"
    assert [text for text in wanted if not unit.may_want(form(text))] == []


@given(st.data())
def test_numbers_of_any_size_make_no_difference(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts()))
    number = st.from_regex(r"\A(?:\d{1,12}|\d{1,4}\.\d{1,6}|\d\.\d{1,3}e[+-]\d{1,2})\Z")
    changed = re.sub(r"\d+", lambda _: data.draw(number), text)
    missed = [unit.kind for unit in ASKED_ONCE if unit.wants(changed) and not unit.may_want(form(changed))]
    assert missed == []


def test_the_same_parsers_are_found_by_form_and_by_line() -> None:
    units = line_parsers()
    asked = Asked(units)
    for text in texts():
        assert asked.wanted_by(text) == tuple(n for n, unit in enumerate(units) if unit.wants(text)), text


def test_lines_that_differ_in_numbers_have_one_form() -> None:
    lines = [
        "step 1 loss 0.5 lr 1e-05 reward -3",
        "step 12345 loss 10.25 lr 3.125e-4 reward 0.0",
        "step 7 loss 2 lr 1 reward 0",
    ]
    assert {form(line) for line in lines} == {"step 0 loss 0 lr 0 reward 0"}
