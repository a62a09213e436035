from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

TOPOLOGY = """\
[root@gpu07 ~]# nvidia-smi topo -m
\tGPU0\tGPU1\tGPU2\tCPU Affinity
GPU0\t X \tNV4\tSYS\t0-3
GPU1\tNV4\t X \tSYS\t0-3
GPU2\tSYS\tSYS\t X \t4-7
[root@gpu07 ~]# nvidia-smi topo -p2p r
"""


def states(linked: str, far: str) -> str:
    return f"\tGPU0\tGPU1\tGPU2\nGPU0\tX\t{linked}\t{far}\nGPU1\t{linked}\tX\t{far}\nGPU2\t{far}\t{far}\tX\n"


def test_a_linked_pair_that_is_refused() -> None:
    assert said("p2p-refused", TOPOLOGY + states("CNS", "CNS")) == snapshot(
        [("p2p-disabled", "error", "certain", "gpu07: the driver refuses peer-to-peer between GPUs 0-1 (chipset)")]
    )


def test_switched_off_in_the_driver() -> None:
    assert said("p2p-refused", TOPOLOGY + states("OK", "DR")) == snapshot(
        [
            (
                "p2p-disabled",
                "error",
                "certain",
                "gpu07: the driver refuses peer-to-peer between GPUs 0-2, 1-2 (disabled by a registry key)",
            )
        ]
    )


def test_a_refusal_between_far_gpus_is_the_chipsets_word() -> None:
    assert findings_of("p2p-refused", TOPOLOGY + states("OK", "TNS")) == ()


def test_without_a_matrix_of_links_nothing_is_known() -> None:
    assert findings_of("p2p-refused", "$ nvidia-smi topo -p2p r\n" + states("CNS", "CNS")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("p2p-refused", TOPOLOGY + states("CNS", "CNS")) == snapshot(
        [
            [
                ("See which pairs may, and over which path.", "nvidia-smi topo -p2p r; nvidia-smi topo -m"),
                ("Look for ACS on the PCIe bridges.", "lspci -vvv | grep ACSCtl"),
            ]
        ]
    )
