"""Times in which ranks waited, one in a line."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.job import rank_waits
from slowlink.parsers.job.rank_waits import PARSER
from slowlink.parsers.reading.read import read


def waits(text: str) -> list[tuple[int | None, str | None, str, str]]:
    found = read([Input("t", None, [text.encode()])], workers=1).events
    return [
        (event.rank, event.host, event.groups["waits"], event.groups["unit"])
        for event in found
        if event.kind == "rank-wait"
    ]


def test_the_sample() -> None:
    assert waits(sample_in(rank_waits.__doc__ or "")) == snapshot(
        [(0, None, "21.3", "s"), (1, "gx02", "20.9", "s"), (2, None, "2.1", "s")]
    )


@pytest.mark.parametrize(
    "text",
    [
        "rank 3 (gx02) waits 410 ms\n",
        "rank 3 @gx02: all_reduce wait = 0.41 s\n",
        "time in barrier\n\nrank 3 gx02 410ms\n",
    ],
)
def test_who_writes_it_how(text: str) -> None:
    assert waits(text) == [(3, "gx02", "0.41", "s")]


def test_shares_and_tables() -> None:
    assert waits("share of the step in NCCL\nrank 0: 12.5 %\nrank 1: 3%\n") == snapshot(
        [(0, None, "12.5", "%"), (1, None, "3", "%")]
    )
    assert waits("rank  barrier_ms\n0     412.1\n1     3.2\n") == snapshot(
        [(0, None, "0.4121", "s"), (1, None, "0.0032", "s")]
    )


@pytest.mark.parametrize(
    "text",
    [
        "rank 0 took 21.3 s\nrank 1 took 20 s\n",
        "rank 3 received 17 GB\n",
        "rank  loss\n0     412.1\n1     3.2\n",
        "[rank0]: waiting for 3 ranks to come\n",
        "rank 0 waits for rank 3\n",
    ],
)
def test_other_lines_are_none(text: str) -> None:
    assert waits(text) == []


@given(st.text(alphabet="rank 012:waits.m%|[]()", max_size=60))
def test_what_is_wanted_does_not_depend_on_digits(text: str) -> None:
    zeroed = "".join("0" if char.isdecimal() else char for char in text)
    assert PARSER.wants(text) == PARSER.wants(zeroed)


@given(st.lists(st.text(alphabet="rank 012:waits.m%|[]()", max_size=40), max_size=5))
def test_any_lines_are_borne(lines: list[str]) -> None:
    assert all(float(value) >= 0 for _, _, value, _ in waits("\n".join(lines)))
