"""Plain facts about a node: each sample gives its fact, and sentences about the same things give none."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.observation_table import Fact
from slowlink.parsers.host.node_observations import FACTS, NodeObservations

SAMPLES = [(fact, text) for fact in FACTS for text in fact.samples]
TEXTS = [text for _, text in SAMPLES]


def facts(*lines: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.subject, one.value) for one in feed(NodeObservations, lines)]


@pytest.mark.parametrize("fact, text", SAMPLES)
def test_sample_gives_its_fact(fact: Fact, text: str) -> None:
    assert fact.kind in [kind for kind, _, _ in facts(text)]
    assert NodeObservations.wants(re.sub(r"\d", "0", text))
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
    assert facts(text) == [expected]


def test_failed_gpu_count_states_both_numbers() -> None:
    text = "ERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7"
    assert ("gpu-count", "8", "7") in facts(text)


def test_what_a_whole_session_states() -> None:
    assert facts(
        "$ uname -a",
        "Linux gpu01 5.14.0-570.12.1.el9_6.x86_64 #1 SMP",
        "$ lsmod | grep peer",
        "nvidia_peermem         16384  0",
        "$ grep mm_kobj /proc/kallsyms",
        "ffffffffa1485b2c r __ksymtab_mm_kobj",
        "$ dmesg | grep -i domain",
        "[    0.5] iommu: Default domain type: Passthrough",
    ) == snapshot(
        [
            ("kernel-release", "kernel", "5.14.0-570.12.1.el9_6.x86_64"),
            ("peer-memory-loaded", "module", "nvidia_peermem"),
            ("mm-kobj-present", "kernel", ""),
            ("iommu-domain", "iommu", "Passthrough"),
        ]
    )


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
    assert facts(text) == []


@given(texts=st.lists(st.text(max_size=60) | st.sampled_from(TEXTS)), cut=st.integers(0, 90))
@settings(max_examples=40, deadline=None)
def test_any_text_gives_a_result(texts: list[str], cut: int) -> None:
    assert all(NodeObservations.wants(text) == NodeObservations.wants(re.sub(r"\d", "0", text)) for text in texts)
    for found in feed(NodeObservations, [text[:cut] for text in texts]):
        assert 1 <= found.ref.line <= len(texts)
