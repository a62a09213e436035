"""Tables of plain facts: each sample gives its observation; and the facts that rules lean on, one by one."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.parsers.benchmarks import pair_summary
from slowlink.parsers.forms.observation_table import MAX_OBSERVATIONS, Fact, ObservationParser
from slowlink.parsers.host import node_observations

TABLES = [node_observations.PARSER, pair_summary.PARSER]
SAMPLES = [(table, fact, text) for table in TABLES for fact in table.facts for text in fact.samples]


def facts(table: type[ObservationParser], *lines: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.subject, one.value) for one in feed(table, lines)]


@pytest.mark.parametrize("table, fact, text", SAMPLES)
def test_sample_gives_its_fact(table: type[ObservationParser], fact: Fact, text: str) -> None:
    assert fact.kind in [kind for kind, _, _ in facts(table, text)]
    assert table.wants(re.sub(r"\d", "0", text))
    assert not re.search(r"\d", fact.mark)


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "cat: /sys/kernel/mm/memory_peers/xpu/version: No such file or directory",
            ("memory-peers-file-missing", "/sys/kernel/mm/memory_peers/xpu/version", "xpu"),
        ),
        ("- EXPORT_SYMBOL_GPL(mm_kobj);", ("mm-kobj-export-removed", "kernel", "")),
        ("Kernel: 5.14.0-570.1.el9_6.x86_64", ("kernel-release", "kernel", "5.14.0-570.1.el9_6.x86_64")),
    ],
)
def test_facts_of_a_node(text: str, expected: tuple[str, str, str]) -> None:
    assert facts(node_observations.PARSER, text) == [expected]


def test_failed_gpu_count_states_both_numbers() -> None:
    text = "ERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7"
    assert ("gpu-count", "8", "7") in facts(node_observations.PARSER, text)


@pytest.mark.parametrize(
    "text",
    [
        "The file /sys/kernel/mm/memory_peers/xpu/version is essential for GPUDirect RDMA",
        "cat /sys/kernel/mm/memory_peers/nv_mem/version",
        "EXPORT_SYMBOL_GPL(mm_kobj);",
        'peers_kobj = kobject_create_and_add("memory_peers", mm_kobj);',
        "grep mm_kobj /proc/kallsyms",
        "- EXPORT_SYMBOL_GPL(other);",
        "Expected 8 and found 8 apples",
    ],
)
def test_what_states_no_fact(text: str) -> None:
    assert facts(node_observations.PARSER, text) == []


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
