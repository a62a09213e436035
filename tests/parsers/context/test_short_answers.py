"""Answers that mean something only below their command."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.short_answers import ShortAnswers
from slowlink.parsers.reading.read import read

PROMPT = "[root@gpu07 ~]# "


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(ShortAnswers, text.splitlines())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{PROMPT}ulimit -l\nunlimited\n", [("memlock-limit", "", "unlimited")]),
        ("$ ulimit -l\n65536\n", [("memlock-limit", "", "65536 KiB")]),
        (f"{PROMPT}lsmod | grep nvidia_peermem\n{PROMPT}\n", [("module-loaded", "nvidia_peermem", False)]),
        (f"{PROMPT}lsmod | grep -i peermem\nnvidia_peermem 16384 0\n", []),
        (f"{PROMPT}lsmod | grep peermem\n", []),
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


def test_a_prompt_that_answers_still_names_its_node() -> None:
    text = f"{PROMPT}lsmod | grep peermem\n[root@gpu08 ~]# lsmod | grep peermem\n[root@gpu09 ~]# exit\n"
    records = read([Input("t", None, [text.encode()])], workers=1)
    assert [c.host for c in records.collected] == ["gpu07", "gpu08", "gpu09"]
    assert [r.ref.line for r in records.readings] == [1, 2]


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from([PROMPT + "ulimit -l", "64", PROMPT, "nv_mem"]))))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(ShortAnswers, lines)) <= 8 * len(lines)
