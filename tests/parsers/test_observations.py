"""Tables of plain facts: each sample gives its observation; and the facts that rules lean on, one by one."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.parsers.benchmarks import pair_summary
from slowlink.parsers.forms.observation_table import MAX_OBSERVATIONS, Fact, ObservationParser

TABLES = [pair_summary.PARSER]
SAMPLES = [(table, fact, text) for table in TABLES for fact in table.facts for text in fact.samples]


def facts(table: type[ObservationParser], *lines: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.subject, one.value) for one in feed(table, lines)]


@pytest.mark.parametrize("table, fact, text", SAMPLES)
def test_sample_gives_its_fact(table: type[ObservationParser], fact: Fact, text: str) -> None:
    assert fact.kind in [kind for kind, _, _ in facts(table, text)]
    assert table.wants(re.sub(r"\d", "0", text))
    assert not re.search(r"\d", fact.mark)


def test_pair_summary() -> None:
    lines = [
        "Total tests processed:     42",
        "  - PASS:   40",
        "  - FAIL:   2",
        "  - (gpu-001, gpu-007)",
        "  - (gpu-001, gpu-009)",
    ]
    assert facts(pair_summary.PARSER, *lines) == [
        ("pair-survey-tests", "total", "42"),
        ("pair-survey-tests", "PASS", "40"),
        ("pair-survey-tests", "FAIL", "2"),
        ("failed-pair", "gpu-001", "gpu-007"),
        ("failed-pair", "gpu-001", "gpu-009"),
    ]


def test_equal_facts_are_folded() -> None:
    (one,) = feed(pair_summary.PARSER, ["  - (a, b)", "  - (a, b)"])
    assert (one.count, one.ref.line) == (2, 1)


def test_observations_beyond_the_bound_are_dropped_and_known_ones_still_counted() -> None:
    pairs = [f"  - (a, n{number})" for number in range(MAX_OBSERVATIONS + 9)]
    found = feed(pair_summary.PARSER, [*pairs, pairs[0]])
    assert [one.value for one in found] == [f"n{number}" for number in range(MAX_OBSERVATIONS)]
    assert [one.count for one in found[:2]] == [2, 1]


@pytest.mark.parametrize("table", TABLES)
def test_lines_of_the_library_belong_to_another_parser(table: type[ObservationParser]) -> None:
    texts = [f"gpu01:1:2 [0] NCCL INFO {text}" for owner, _, text in SAMPLES if owner is table]
    assert facts(table, *texts) == []


@pytest.mark.parametrize("table", TABLES)
@given(texts=st.lists(st.one_of(st.text(max_size=60), st.sampled_from([text for _, _, text in SAMPLES]))))
@settings(max_examples=40, deadline=None)
def test_no_text_raises(table: type[ObservationParser], texts: list[str]) -> None:
    assert all(table.wants(text) == table.wants(re.sub(r"\d", "0", text)) for text in texts)
    feed(table, texts)
