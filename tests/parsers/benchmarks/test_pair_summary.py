"""Summaries of pairwise surveys: their counts and their pairs."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.benchmarks.pair_summary import FACTS, PARSER
from slowlink.parsers.forms.observation_table import Fact

TEXT = """\
=== survey of 4 nodes ===
Total tests processed:     42
  - PASS:                  39
  - FAIL:                  2
  - MISSING_DATA:          1
Unique failed node pairs:  2
  - (gpu-001, gpu-007)
  - (gpu-001, gpu-009)
Failed tests:
  - run_gpu-001_gpu-007.log: alltoall_perf (N=2, G=4, nodes=gpu-[001,007])
"""


def facts(*lines: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.subject, one.value) for one in feed(PARSER, lines)]


@pytest.mark.parametrize(("fact", "text"), [(fact, text) for fact in FACTS for text in fact.samples])
def test_sample_gives_its_fact(fact: Fact, text: str) -> None:
    assert fact.kind in [kind for kind, _, _ in facts(text)]
    assert PARSER.wants(re.sub(r"\d", "0", text))
    assert not re.search(r"\d", fact.mark)


def test_a_whole_summary() -> None:
    assert facts(*TEXT.splitlines()) == snapshot(
        [
            ("pair-survey-tests", "total", "42"),
            ("pair-survey-tests", "PASS", "39"),
            ("pair-survey-tests", "FAIL", "2"),
            ("pair-survey-tests", "MISSING_DATA", "1"),
            ("pair-survey-failed-pairs", "pairs", "2"),
            ("failed-pair", "gpu-001", "gpu-007"),
            ("failed-pair", "gpu-001", "gpu-009"),
            ("failed-test", "alltoall_perf", "run_gpu-001_gpu-007.log"),
        ]
    )


def test_equal_facts_are_folded() -> None:
    (one,) = feed(PARSER, ["  - (a, b)", "  - (a, b)"])
    assert (one.count, one.ref.line) == (2, 1)


@pytest.mark.parametrize(
    "text", ["  - (7, 9)", "  - (gpu-001)", "  - FAIL: no", "- PASS: 12 of 42", "(gpu-001, gpu-007)"]
)
def test_what_is_no_summary(text: str) -> None:
    assert facts(text) == []


@given(end=st.integers(0, len(TEXT)))
def test_a_summary_cut_anywhere_gives_what_its_whole_lines_say(end: int) -> None:
    whole, cut = facts(*TEXT.splitlines()), facts(*TEXT[:end].splitlines())
    assert cut[:-1] == whole[: max(0, len(cut) - 1)]


@given(texts=st.lists(st.one_of(st.text(max_size=60), st.sampled_from(TEXT.splitlines()))))
@settings(max_examples=40, deadline=None)
def test_any_lines_give_a_result(texts: list[str]) -> None:
    assert all(PARSER.wants(text) == PARSER.wants(re.sub(r"\d", "0", text)) for text in texts)
    assert sum(found.count for found in feed(PARSER, texts)) <= len(texts)
