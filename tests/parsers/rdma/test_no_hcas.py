from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.rdma.no_hcas import NoHcas

AT = "[root@gn-07 ~]# "


def _counts(*lines: str) -> list[tuple[int, object]]:
    parser = NoHcas()
    for number, text in enumerate(lines, 1):
        if parser.greedy or parser.wants(text):
            parser.feed(Line("a.log", number, text))
    return [(reading.ref.line, reading.value) for reading in parser.finish()]


@pytest.mark.parametrize(
    "text",
    [
        "No IB devices found",
        " Did not detect devices ",
        "0 HCAs found:",
        "ls: cannot access '/sys/class/infiniband': No such file or directory",
        "/bin/ls: cannot access /sys/class/infiniband/: No such file or directory",
        "ls: /sys/class/infiniband: No such file or directory",
        "ibpanic: [4711] main: can't init UMAD library: (No such file or directory)",
        "Fatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)",
    ],
)
def test_each_tool_has_its_own_words_for_none(text: str) -> None:
    assert _counts(text) == [(1, 0)]


def test_a_prompt_below_a_question_says_that_nothing_was_printed() -> None:
    assert _counts(AT + "ibstat", AT + "rdma link show", AT) == [(1, 0), (2, 0)]
    assert _counts(AT + "ibstat", "CA 'mlx5_0'", AT) == []
    assert _counts(AT + "ibstat") == []
    assert _counts(AT + "ibstat mlx5_9", AT) == []


@pytest.mark.parametrize(
    "text",
    [
        "12 HCAs found:",
        "ls: cannot access '/dev/infiniband': No such file or directory",
        "ibpanic: [4711] main: 'mlx5_9' IB device can't be found",
        "if it prints No IB devices found, load the driver",
    ],
)
def test_other_failures_count_nothing(text: str) -> None:
    assert _counts(text) == []


@given(st.lists(st.text(max_size=60), max_size=6))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    assert all(value == 0 for _, value in _counts(*lines))
