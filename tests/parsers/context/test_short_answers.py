"""Answers that mean something only below their command."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.context.short_answers import ShortAnswers

PROMPT = "[root@gpu07 ~]# "


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(ShortAnswers, text.splitlines())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{PROMPT}ulimit -l\nunlimited\n", [("memlock-limit", "", "unlimited")]),
        ("$ ulimit -l\n65536\n", [("memlock-limit", "", "65536 KiB")]),
        (
            f"{PROMPT}ls /sys/kernel/mm/memory_peers/\nnv_mem  nv_mem_nc\n",
            [
                ("peer-memory-client", "nv_mem", True),
                ("peer-memory-client", "nv_mem_nc", True),
            ],
        ),
        ("+ ulimit -l\n64\n", [("memlock-limit", "", "64 KiB")]),
        ("++ ulimit -l\n+ limit=64\n", [("memlock-limit", "", "64 KiB")]),
        ("++ ulimit -l\n+ '[' unlimited '!=' unlimited ']'\n", [("memlock-limit", "", "unlimited")]),
        ("++ ulimit -l\n+ srun -n 64 hostname\n", []),
        ("$ ssh gpu01 'ulimit -l'\n64\n", [("memlock-limit", "", "64 KiB")]),
        ("unlimited\n64\n", []),
        (f"{PROMPT}ulimit -l\n\n64\n", []),
    ],
)
def test_answers(text: str, expected: list[tuple[str, str, Any]]) -> None:
    assert said(text) == expected


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from([PROMPT + "ulimit -l", "64", PROMPT, "nv_mem"]))))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(ShortAnswers, lines)) <= 8 * len(lines)
