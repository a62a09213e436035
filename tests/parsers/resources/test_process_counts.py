"""Processes of each user and program, as pipelines behind ps count them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.resources.process_counts import ProcessCounts

UNIQ = "$ ps -eo user,comm --no-headers | sort | uniq -c | sort -rn | head -3"
AWK = """$ ssh gpu07 "ps -eo user,comm,pcpu,psr | awk '\\$3>20{n[\\$1\\" \\"\\$2]++} END{for(k in n) print n[k],k}'" | sort -rn"""
AXO = "# ps axo user:20,comm | sort | uniq -c"


def said(text: str) -> list[tuple[str, int]]:
    return [(r.part.name, int(r.value)) for r in feed(ProcessCounts, text.splitlines())]


@pytest.mark.parametrize("asked", [UNIQ, AWK, AXO])
def test_rows_below_the_question(asked: str) -> None:
    text = f"{asked}\n    288 bob      star\n      8 mia      /usr/bin/python3\n$ uptime\n 12 root sshd\n"
    assert said(text) == [("bob star", 288), ("mia python3", 8)]


@pytest.mark.parametrize(
    "asked", ["$ ps aux | wc -l", "$ cut -d: -f1 /etc/passwd | sort | uniq -c", "$ ps -eo user,comm"]
)
def test_numbers_and_words_below_other_questions(asked: str) -> None:
    assert said(f"{asked}\n288 bob star\n") == []


@given(st.lists(st.text(max_size=40) | st.sampled_from([UNIQ, AWK, "288 bob star", " 8 mia python"])))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(ProcessCounts, lines)) <= len(lines)
