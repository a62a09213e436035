from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped
from msgspec.structs import replace

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

NODE = LoggedCluster(hosts=("node06",), gpus=4, intra="SHM/direct/direct")
A100, L4 = "NVIDIA A100-SXM4-80GB", "NVIDIA L4"


def log(gpu: str, cluster: LoggedCluster = NODE) -> str:
    return job_log(SimulatedJob(cluster, gpu=gpu, plateau_gbs=12.0))


def test_shared_memory_between_gpus_with_nvlink() -> None:
    assert findings("p2p-disabled", log(A100)) == snapshot(
        [
            {
                "cause": "p2p-disabled",
                "message": "the GPUs of a node reach one another through shared memory instead of peer to peer (ranks 0 and 1, 4 channel groups)",
                "how": "error, certain",
                "suspects": ["node node06"],
                "evidence": [
                    (68, "via SHM/direct/direct / via P2P"),
                    (74, "via SHM/direct/direct / via P2P"),
                    (80, "via SHM/direct/direct / via P2P"),
                ],
                "explains": ["busbw-below-expected"],
            }
        ]
    )


def test_shared_memory_between_pcie_cards_is_only_noted() -> None:
    assert [f["how"] for f in findings("p2p-disabled", log(L4))] == ["warning, possible"]  # type: ignore[index]


def test_some_pairs_of_pcie_cards_reach_one_another_and_some_do_not() -> None:
    """Cards below one switch have P2P, cards on two sockets have not: what such machines look like."""
    text = log(L4).replace("2[2] -> 3[3] via SHM/direct/direct", "2[2] -> 3[3] via P2P/IPC")
    assert "P2P/IPC" in text
    assert [f["how"] for f in findings("p2p-disabled", text)] == ["warning, possible"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("gpu", "name", "value", "how"),
    [
        (A100, "NCCL_P2P_DISABLE", "1", "error, certain"),
        (A100, "NCCL_P2P_LEVEL", "LOC", "error, certain"),
        (L4, "NCCL_P2P_DISABLE", "1", "warning, certain"),
    ],
)
def test_switched_off(gpu: str, name: str, value: str, how: str) -> None:
    (found,) = check("p2p-disabled", log(gpu, replace(NODE, env={name: value}))).findings
    assert f"{found.severity}, {found.confidence}" == how
    assert (
        found.message == f"{name}={value} turns peer-to-peer between GPUs off; their traffic goes through shared memory"
    )
    assert [s.name for s in found.suspects] == [name]


@pytest.mark.parametrize(("name", "value"), [("NCCL_P2P_DISABLE", "0"), ("NCCL_P2P_LEVEL", "NVL")])
def test_settings_that_leave_it_on(name: str, value: str) -> None:
    assert findings("p2p-disabled", log(A100, replace(NODE, intra="P2P/CUMEM", env={name: value}))) == []


@pytest.mark.parametrize(
    ("gpu", "level", "how"),
    [(L4, "PIX", "info, possible"), (L4, "SYS", "warning, possible"), (A100, "PIX", "error, certain")],
)
def test_shared_memory_that_was_asked_for_is_a_note_where_only_pcie_joins_the_gpus(
    gpu: str, level: str, how: str
) -> None:
    found = check("p2p-disabled", log(gpu, replace(NODE, env={"NCCL_P2P_LEVEL": level}))).findings
    assert [f"{f.severity}, {f.confidence}" for f in found] == [how]
    assert ("asks for" in found[0].message) == how.startswith("info")


def test_without_channels_or_settings() -> None:
    assert skipped("p2p-disabled", job_log(SimulatedJob(command=False, logged=False))) == snapshot(
        "no channel lines; run with NCCL_DEBUG=INFO (and one collective: connections are made at the first)"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("p2p-disabled", log(A100)) == snapshot(
        [
            [
                ("See which pairs of GPUs can reach one another.", "nvidia-smi topo -p2p r; nvidia-smi topo -m"),
                ("Look for ACS on the PCIe bridges.", "lspci -vvv | grep ACSCtl"),
            ]
        ]
    )
