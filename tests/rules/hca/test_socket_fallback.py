from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, lines_at, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

SOCKET = LoggedCluster(hosts=("node06", "node07"), network="Socket", gdr=False)


def test_channels_over_sockets() -> None:
    text = job_log(SimulatedJob(SOCKET, plateau_gbs=2.2))
    assert findings("socket-fallback", text) == snapshot(
        [
            {
                "cause": "socket-fallback",
                "message": "NCCL runs over TCP sockets between nodes (eth0): it found no RDMA device, although nodes with NVIDIA A100 SXM are joined by RDMA as a rule",
                "how": "error, certain",
                "suspects": ["node node06", "node node07"],
                "evidence": [(156, ""), (56, ""), (58, "")],
                "explains": ["busbw-below-expected", "latency-high"],
            }
        ]
    )
    assert [
        line[line.index("INFO") :] for line in lines_at(text, check("socket-fallback", text).findings[0])
    ] == snapshot(
        [
            "INFO Channel 00/0 : 15[7] -> 0[0] [receive] via NET/Socket/0",
            "INFO NET/IB : No device found.",
            "INFO Using network Socket",
        ]
    )


CHOICE = "node06:4000:4100 [0] NCCL INFO Using network Socket\n"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("node06:4000:4100 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0\n", "NCCL_IB_HCA is set"),
        (CHOICE.replace("node06", "node07").replace("Socket", "IB"), "other ranks use IB"),
        ("[root@node06 ~]# ibstat | grep -c LinkUp\n8\n", "the nodes have HCAs"),
        ("provider: efa\n", "the machines have AWS EFA"),
    ],
)
def test_the_choice_is_a_warning_where_a_line_shows_rdma(line: str, why: str) -> None:
    (found,) = check("socket-fallback", line + CHOICE).findings
    assert found.message == f"NCCL runs over TCP sockets between nodes, although {why}"
    assert (found.severity, found.confidence) == ("warning", "possible")


def test_the_start_of_the_socket_transport_counts_where_no_choice_is_printed() -> None:
    wanted = "node06:4000:4100 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0\n"
    begun = "node06:4000:4100 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
    (found,) = check("socket-fallback", wanted + begun).findings
    assert found.message == "NCCL runs over TCP sockets between nodes (eth0), although NCCL_IB_HCA is set"
    assert (found.severity, found.confidence) == ("warning", "possible")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "node06:4000:4100 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1\n",
        "[root@node06 ~]# ibstat | grep -c LinkUp\n0\n",
    ],
)
def test_the_choice_alone_is_no_fault(line: str) -> None:
    assert findings("socket-fallback", line + CHOICE) == []


NONE = "node06:4000:4100 [0] NCCL INFO NET/IB : No device found.\n"
TWO_NODES = "node06:4000:4100 [0] NCCL INFO comm 0x55 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0\n"


@pytest.mark.parametrize(("more", "how"), [("", "info, possible"), (TWO_NODES, "warning, possible")])
def test_no_device_where_nothing_says_that_there_should_be_one(more: str, how: str) -> None:
    (found,) = check("socket-fallback", NONE + CHOICE + more).findings
    between = " between nodes" if more else ""
    assert f"{found.severity}, {found.confidence}" == how
    assert found.explains == ()
    assert found.message == (
        f"NCCL chose TCP sockets{between}: it found no RDMA device, which is right only where the nodes have no RDMA network"
    )


def test_cards_of_workstations_on_two_nodes_have_no_rdma() -> None:
    text = job_log(SimulatedJob(SOCKET, plateau_gbs=2.2)).replace("NVIDIA A100-SXM4-80GB", "NVIDIA GeForce RTX 4090")
    assert "RTX 4090" in text
    assert findings("socket-fallback", text) == []


def test_on_one_node_the_network_carries_nothing() -> None:
    text = job_log(SimulatedJob(LoggedCluster(hosts=("node06",), network="Socket", gdr=False), plateau_gbs=230.0))
    assert "Using network Socket" in text
    assert findings("socket-fallback", text) == []


def test_rdma_is_shown_to_be_in_use() -> None:
    said = check("socket-fallback", job_log(SimulatedJob()))
    assert (said.findings, [proof.message for proof in said.proofs]) == ((), ["NCCL uses the network IB"])


def test_without_nccl_lines() -> None:
    assert skipped("socket-fallback", job_log(SimulatedJob(logged=False))) == snapshot(
        "no network lines of NCCL; run with NCCL_DEBUG=INFO"
    )


def test_a_network_that_no_rank_came_to_use_is_no_proof() -> None:
    begun = "".join(
        f"node0{rank}:71{rank}:81{rank} [0] NCCL INFO Using network IB\n"
        f"node0{rank}:71{rank}:81{rank} [0] NCCL INFO ncclCommInitRank comm 0x55 rank {rank} nranks 2 cudaDev 0 nvmlDev 0 "
        "busId 1b000 commId 0xd2 - Init START\n"
        for rank in (0, 1)
    )
    done = begun.replace("Init START", "Init COMPLETE")
    assert check("socket-fallback", begun).proofs == ()
    assert check("socket-fallback", begun + done).proofs != ()


def test_it_says_what_to_do() -> None:
    assert remedies("socket-fallback", job_log(SimulatedJob(SOCKET, plateau_gbs=2.2))) == snapshot(
        [
            [
                (
                    "See whether the node, and the container, have RDMA devices with an active port.",
                    "ibv_devinfo | grep -E 'hca_id|state'",
                ),
                ("Make NCCL fail instead of falling back.", "export NCCL_NET=IB"),
            ]
        ]
    )
