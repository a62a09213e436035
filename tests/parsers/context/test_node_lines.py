"""Lines below headings of nodes, in nobody's format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.node_lines import LINE_OF_NODE
from slowlink.parsers.reading.read import read

TEXT = """\
==== n01 ====
nvidia 535.183.01
kernel 5.15.0-91-generic
temp 41 C
==== n02 ====
nvidia 535.161.08
kernel 5.15.0-91-generic
temp 39 C
==== n03 ====
nvidia 535.183.01
kernel 5.15.0-91-generic
temp 44 C
"""


def told(text: str) -> list[tuple[str, str]]:
    records = read([Input("nodes.txt", None, [text.encode()])], workers=1)
    return [(o.subject, o.value) for o in records.observations if o.kind == LINE_OF_NODE]


def test_lines_are_known_by_their_first_words_and_natural_differences_are_left_out() -> None:
    kernel = ("kernel", "5.15.0-91-generic")
    assert told(TEXT) == [
        ("nvidia", "535.183.01"),
        kernel,
        ("nvidia", "535.161.08"),
        kernel,
        ("nvidia", "535.183.01"),
        kernel,
    ]


def test_a_node_that_was_not_reached_ends_the_section_above_it() -> None:
    answers = "gpu07 | CHANGED | rc=0 >>\nnvidia 535.1\ngpu09 | CHANGED | rc=0 >>\nnvidia 535.2\n"
    lost = 'gpu08 | UNREACHABLE! => {\n    "changed": false\n}\n'
    assert told(answers + lost) == [("nvidia", "535.1"), ("nvidia", "535.2")]


def test_one_heading_alone_says_nothing() -> None:
    assert told("\n".join(TEXT.splitlines()[:3])) == []


@given(st.lists(st.sampled_from([*TEXT.splitlines(), "", "key: value", "==== dmesg ====", "x" * 500]), max_size=30))
def test_any_mixture_gives_a_result(lines: list[str]) -> None:
    told("\n".join(lines))
