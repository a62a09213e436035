"""How GPUs are joined: groups, words, GPUs left out; and the plain values for reports."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.facts.gpu_links import GpuLinks, described, gpu_links, groups, left_out, narrow_gpus
from slowlink.facts.summary.state.health import summarise as summarise_health
from slowlink.facts.summary.state.topology import summarise as summarise_topology
from slowlink.facts.summary.state.vendors import summarise as summarise_vendors
from slowlink.inputs import Input
from slowlink.model.facts import State
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.reading.read import read


def links(text: str) -> GpuLinks:
    """From ``0-1:NV4 0-2:SYS``."""
    pairs = (entry.split(":") for entry in text.split())
    return gpu_links(Reading("gpu-pair-link", Part("gpu-pair", pair), kind, Ref("t", 1)) for pair, kind in pairs)


def state(text: str) -> State:
    found = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0-1:NV8 0-2:NV8 1-2:NV8", "NV8"),
        ("0-1:MX 0-2:MX 1-2:MX 0-3:NODE 1-3:NODE 2-3:NODE", "MX within 0-2, NODE between"),
        ("0-1:NV4 2-3:NV4 0-2:SYS 0-3:SYS 1-2:SYS 1-3:SYS", "NV4 within 0,1 and 2,3, SYS between"),
        ("0-1:NV2 0-2:NV1 1-2:SYS", "1 x NV2, 1 x NV1, 1 x SYS"),
        ("", ""),
    ],
)
def test_in_words(text: str, words: str) -> None:
    assert described(links(text)) == words


def test_groups_and_who_is_left_out() -> None:
    joined = links("0-1:NV18 0-2:NV18 1-2:NV18 0-3:SYS 1-3:SYS 2-3:SYS")
    assert (groups(joined), left_out(joined, known=False)) == ([(0, 1, 2)], [3])
    few = links("0-1:NV4 0-2:NV4 1-2:NV4 0-3:SYS 1-3:SYS 2-3:SYS")
    assert (left_out(few, known=False), left_out(few, known=True)) == ([], [3])


def test_a_pair_that_was_not_read_hides_nothing_and_accuses_nobody() -> None:
    joined = links("0-1:NV18 0-2:NV18 1-2:NV18 0-3:SYS 1-3:SYS")
    assert (joined.complete, left_out(joined, known=True), narrow_gpus(joined)) == (False, [], [])


def test_values_of_a_matrix() -> None:
    text = (
        "GPU0 GPU1 NIC0 NIC1 CPU Affinity\nGPU0 X NV4 PIX SYS 0-3\nGPU1 NV4 X SYS PXB 4-7\nNIC Legend:\n  NIC1: ibp7\n"
    )
    assert summarise_topology(state("[u@n1 ~]$ nvidia-smi topo -m\n" + text)) == snapshot(
        {
            "topo_gpus": 2,
            "topo_nics": 2,
            "gpu_links": ["NV4"],
            "gpu_pair_links": {"gpu0_gpu1": "NV4"},
            "gpu_nic_links": {"gpu0_nic0": "PIX", "gpu0_nic1": "SYS", "gpu1_nic0": "SYS", "gpu1_nic1": "PXB"},
            "topo_nic_names": {"nic0": "NIC0", "nic1": "ibp7"},
            "topo_commands": ["nvidia-smi topo -m"],
        }
    )


def test_values_of_health_checks() -> None:
    text = "".join(
        f"[u@n{n} ~]$ nhc\n{word}:  nhc:  Health check {result}:  check_gpu_count: Expected 8 and found {found}\n"
        for n, word, result, found in ((1, "SUCCESS", "passed", 8), (2, "ERROR", "failed", 7))
    )
    assert summarise_health(state(text)) == snapshot(
        {
            "health_tests": {"check_gpu_count": "fail"},
            "health_results": ["pass", "fail"],
            "health_counts_by_tool": {"nhc": 1},
            "health_test_count": 1,
            "health_failed": ["check_gpu_count"],
            "health_warned": [],
            "health_failed_count": 1,
            "health_warned_count": 0,
            "health_values": {"check_gpu_count": 7.0},
        }
    )


def test_values_of_other_vendors() -> None:
    assert summarise_vendors(state("mx-smi  version: 2.2.3\n")) == snapshot({"mx_smi_version": ["2.2.3"]})
