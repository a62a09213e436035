"""Numbers that mean something only below their question."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.counted_answers import CountedAnswers
from slowlink.parsers.reading.read import read

PROMPT = "[root@gpu07 ~]# "
RATE = 'ibstat | grep -c "Rate: 400"'


def said(text: str) -> list[tuple[str | None, str, Any]]:
    return [(r.host, r.attribute, r.value) for r in feed(CountedAnswers, text.splitlines())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{PROMPT}{RATE}\n8\n", [(None, "ports-at-rate", "8 x 400 Gb/s")]),
        (f"{RATE}\n8\n", [(None, "ports-at-rate", "8 x 400 Gb/s")]),
        (f"`{RATE}` -> 8\n", [(None, "ports-at-rate", "8 x 400 Gb/s")]),
        (
            "$ for h in gpu08 gpu09; do ssh $h 'nvidia-smi -L | wc -l'; done\n8\n7\n",
            [("gpu08", "gpu-count", 8), ("gpu09", "gpu-count", 7)],
        ),
        (
            "$ for h in gpu{08..10}; do ssh $h 'nvidia-smi -L | wc -l'; done\n8\n7\n8\n",
            [("gpu08", "gpu-count", 8), ("gpu09", "gpu-count", 7), ("gpu10", "gpu-count", 8)],
        ),
        (
            "$ for h in gpu08 gpu09; do echo $h; ssh $h 'nvidia-smi -L | wc -l'; done\ngpu08\n8\ngpu09\n7\n",
            [("gpu08", "gpu-count", 8), ("gpu09", "gpu-count", 7)],
        ),
        (
            "$ pdsh -w gpu[08-09] 'ibdev2netdev | grep -c Up'\ngpu09: 8\ngpu08: 6\n",
            [("gpu09", "ports-up", 8), ("gpu08", "ports-up", 6)],
        ),
        ("$ for h in $(cat hosts); do ssh $h 'ibstat | grep -c LinkUp'; done\n8\n8\n8\n", [(None, "ports-up", 8)]),
        ("$ for h in $(cat hosts); do ssh $h 'ibstat | grep -c LinkUp'; done\n8\n7\n8\n", []),
        (
            "$ for h in 10.0.0.7 gpu08; do echo $h $(ssh $h 'ls /sys/class/infiniband | wc -l; nvidia-smi -L | wc -l'); done\n"
            "10.0.0.7 32 8\ngpu08 31 8\n",
            [
                ("10.0.0.7", "hca-count", 32),
                ("10.0.0.7", "gpu-count", 8),
                ("gpu08", "hca-count", 31),
                ("gpu08", "gpu-count", 8),
            ],
        ),
        (
            "$ for h in gpu07 gpu08; do ssh $h 'ibstat | grep -c LinkUp; nvidia-smi -L | wc -l'; done\n8\n8\n7\n8\n",
            [("gpu07", "ports-up", 8), ("gpu07", "gpu-count", 8), ("gpu08", "ports-up", 7), ("gpu08", "gpu-count", 8)],
        ),
        (f"{PROMPT}nproc; cat /proc/loadavg\n192\n1.20 0.93 1.01 2/4107 913024\n", [(None, "cpu-count", 192)]),
        (
            f"{PROMPT}ibstat -l | wc -l; nvidia-smi -L | wc -l\n9\n8\n7\n",
            [(None, "hca-count", 9), (None, "gpu-count", 8)],
        ),
        (f"{PROMPT}uptime; nproc\n192\n", []),
        (
            '$ for h in gpu07 gpu08; do echo -n "$h: "; ssh $h cat /sys/class/net/ens1np0/mtu; done\ngpu07: 9000\ngpu08: 1500\n',
            [("gpu07", "interface-mtu", 9000), ("gpu08", "interface-mtu", 1500)],
        ),
        (f"{PROMPT}{RATE}\n\n8\n", []),
        (f"{PROMPT}{RATE}\nibpanic: cannot open\n8\n", []),
        (f"{PROMPT}ls | wc -l\n8\n", []),
        ("8\n7\n", []),
    ],
)
def test_answers(text: str, expected: list[tuple[str | None, str, Any]]) -> None:
    assert said(text) == expected


def test_a_second_number_is_no_answer_where_one_was_asked_for() -> None:
    assert said(f"{PROMPT}{RATE}\n8\n12\n") == [(None, "ports-at-rate", "8 x 400 Gb/s")]


@pytest.mark.parametrize("below", ["Rate: 400", "exit 0", "gpu08: 4"])
def test_a_name_with_a_number_below_the_answer_is_no_second_node(below: str) -> None:
    assert said(f"{PROMPT}{RATE}\n8\n{below}\n") == [(None, "ports-at-rate", "8 x 400 Gb/s")]


def test_words_with_a_number_are_no_nodes() -> None:
    assert said("$ nvidia-smi -L | wc -l\nerror 13\n") == []
    loop = "$ while read h; do ssh $h 'nvidia-smi -L | wc -l'; done < hosts\n"
    assert said(f"{loop}gpu08: 8\nroce-a: 7\nreal 3\n") == [("gpu08", "gpu-count", 8), ("roce-a", "gpu-count", 7)]


def test_each_node_of_pdsh_answers_in_its_own_stream() -> None:
    text = (
        "$ pdsh -w gpu[08-09] 'nvidia-smi -L | wc -l'\ngpu08: 8\ngpu09: 7\n"
        "$ pdsh -w gpu[08-09] 'ibstat | grep -c LinkUp'\ngpu09: 4\ngpu08: ibpanic: no device\ngpu08: 3\n"
    )
    readings = read([Input("t", None, [text.encode()])], workers=1).readings
    assert [(r.host, r.attribute, r.value, r.ref.line) for r in readings] == [
        ("gpu08", "gpu-count", 8, 2),
        ("gpu09", "gpu-count", 7, 3),
        ("gpu09", "ports-up", 4, 5),
    ]


def test_the_reader_finds_question_and_answer() -> None:
    records = read([Input("t", None, [f"{PROMPT}{RATE}\n8\n".encode()])], workers=1)
    assert [(r.attribute, r.value, r.ref.line) for r in records.readings] == [("ports-at-rate", "8 x 400 Gb/s", 2)]
    assert [c.host for c in records.collected] == ["gpu07"]


@given(
    st.lists(
        st.one_of(
            st.text(max_size=30),
            st.sampled_from([RATE, "8", "gpu01: 8", "for h in a b; do ssh $h 'nvidia-smi -L | wc -l'; done", "a", "b"]),
        )
    )
)
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(CountedAnswers, lines)) <= len(lines)
