"""Lines that a pager cut at the edge of its screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.chopped_lines import PARSER
from slowlink.parsers.reading.read import read


def problem_of(line: str) -> str | None:
    (source,) = read([Input("t", None, [f"words\n{line}\n".encode()])], workers=1).sources
    return source.problem


@pytest.mark.parametrize(
    "line",
    [
        "Nov 03 04:05:06 gpu17 kernel: nvidia 0000:5d:00.0: the mod>",
        "Nov 03 04:05:06 gpu17 mill[77]: grinding corn of the yea>",
        "2026-11-03T04:05:06+0000 gpu17 kernel: nvidia 0000:5d:00.0: the mod>",
    ],
)
def test_a_line_cut_by_a_pager_makes_the_source_partial(line: str) -> None:
    assert problem_of(line) == "has lines that a pager cut at the edge of its screen (line 2)"


@pytest.mark.parametrize(
    "line",
    [
        "Nov 03 04:05:06 gpu17 mill[77]: sent to <miller@example.com>",
        "Nov 03 04:05:06 gpu17 mill[77]: corn and water ->",
        "Nov 03 04:05:06 gpu17 mill[77]: progress =====>",
        "a quotation without a stamp>",
        "root@gpu17:/var/log>",
    ],
)
def test_other_lines_that_end_so_are_whole(line: str) -> None:
    assert problem_of(line) is None


@given(st.text(max_size=80))
def test_the_scan_may_ask_once_for_each_shape(text: str) -> None:
    zeros = "".join("0" if each in "0123456789" else each for each in text)
    assert PARSER.wants(text) == PARSER.wants(zeros)
