from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, lines_at, remedies, skipped
from msgspec.structs import replace

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

CLUSTER = LoggedCluster(hosts=("node06", "node07"), hcas=("mlx5_0", "mlx5_1"))
PERFTEST = """\
initializing CUDA
Picking device No. 0
creating CUDA Ctx
making it the current CUDA Ctx
cuMemAlloc() of a 2097152 bytes GPU buffer
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_0
 Number of qps   : 4            Transport type : IB
 Connection type : RC           Using SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    5000             391.20             RATE               0.046661
---------------------------------------------------------------------------------------
"""


def log(cluster: LoggedCluster, plateau_gbs: float = 9.4) -> str:
    return job_log(SimulatedJob(cluster, plateau_gbs=plateau_gbs))


def test_one_node_without_it_is_named() -> None:
    text = log(replace(CLUSTER, hosts_without_gdr=frozenset({"node07"})))
    assert findings("gdr-disabled", text) == snapshot(
        [
            {
                "cause": "gdr-disabled",
                "message": "node07: GPUDirect RDMA is off: 4 of 8 channels that receive over NET/IB are staged through host memory",
                "how": "error, certain",
                "suspects": ["node node07"],
                "evidence": [(240, "via NET/IB/0 / /GDRDMA")],
                "explains": ["busbw-below-expected", "latency-high", "dma-buf-partial"],
            }
        ]
    )
    (line,) = lines_at(text, check("gdr-disabled", text).findings[0])
    assert line == snapshot("node07:4000:4100 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [receive] via NET/IB/0")


def test_all_nodes_without_it() -> None:
    assert findings("gdr-disabled", log(replace(CLUSTER, gdr=False))) == snapshot(
        [
            {
                "cause": "gdr-disabled",
                "message": "node06, node07: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are staged through host memory",
                "how": "error, certain",
                "suspects": ["node node06", "node node07"],
                "evidence": [(172, "via NET/IB/0 / /GDRDMA"), (224, "via NET/IB/0 / /GDRDMA")],
                "explains": ["busbw-below-expected", "latency-high", "dma-buf-partial"],
            }
        ]
    )


def where(*lines: str) -> str:
    """What the rule says of channels that one process logs."""
    text = "".join(f"node07:4711:4712 [0] NCCL INFO Channel {line}\n" for line in lines)
    return check("gdr-disabled", text).findings[0].message


def test_one_channel_is_not_all_of_them() -> None:
    staged = "00/0 : 7[7] -> 8[0] [receive] via NET/IB/0"
    assert where(staged) == snapshot(
        "node07: GPUDirect RDMA is off: the only channel that receives over NET/IB is staged through host memory"
    )
    assert where(staged, "01/0 : 7[7] -> 8[0] [receive] via NET/IB/1/GDRDMA") == snapshot(
        "node07: GPUDirect RDMA is off: 1 of 2 channels that receive over NET/IB is staged through host memory"
    )


def test_the_distance_is_the_reason() -> None:
    text = log(replace(CLUSTER, gdr=False, gdr_limit_exceeded=True))
    assert findings("gdr-disabled", text)[1:] == snapshot(
        [
            {
                "cause": "gdr-level-too-strict",
                "message": "GPUDirect RDMA is off: the path from GPU to HCA has distance 7 and NCCL allows 5 (HCA 0)",
                "how": "error, certain",
                "suspects": ["node node06", "node node07"],
                "evidence": [(138, ""), (141, ""), (144, "")],
                "explains": ["gdr-disabled", "busbw-below-expected", "latency-high"],
            }
        ]
    )


def test_used_everywhere_is_a_proof() -> None:
    said = check("gdr-disabled", log(CLUSTER, 46.0))
    assert said.findings == ()
    assert [proof.message for proof in said.proofs] == snapshot(
        ["GPUDirect RDMA is used on every channel between nodes (NET/IB)"]
    )


def test_on_one_node_no_hca_is_used() -> None:
    text = log(replace(CLUSTER, hosts=("node07",), gdr=False), 230.0)
    assert check("gdr-disabled", text).outcome.outcome == "passed"


def test_sockets_have_none_to_lose() -> None:
    assert findings("gdr-disabled", log(replace(CLUSTER, network="Socket", gdr=False))) == []


def test_sending_without_it_is_by_design() -> None:
    """NCCL reads GPU memory through the HCA only where that is fast; the receiving side decides."""
    staged = "\n".join(
        line.replace("/GDRDMA", "") if "[send]" in line else line for line in log(CLUSTER, 46.0).splitlines()
    )
    assert "[send] via NET/IB/1\n" in staged
    assert findings("gdr-disabled", staged) == []


def test_perftest_beats_the_collective() -> None:
    text = PERFTEST.replace("RATE", "391.11") + job_log(SimulatedJob(CLUSTER, plateau_gbs=9.4, logged=False))
    assert findings("gdr-disabled", text, nics="1x400") == snapshot(
        [
            {
                "cause": "gdr-disabled",
                "message": "the collective does not use GPUDirect RDMA: perftest moves 391 Gb/s out of GPU memory (mlx5_0), all_reduce stops at 9.38 GB/s of 82",
                "how": "error, likely",
                "suspects": ["hca mlx5_0", "node node06", "node node07"],
                "evidence": [
                    (15, "391.11 Gb/s from cuda memory"),
                    (
                        53,
                        "9.38 GB/s / tree: network 2(16-1)/16 x 49.0 / 1 = 92.0, NVLink 15/16 x 8/7 x 274 = 293.6 (usually 257.1); the least is network, 92.0 GB/s; healthy systems reach about 89% of it (tree over 2 nodes; 6 published results at 0.54 to 1.04 of it; NCCL 2.9 and 2.10 ran rings, or trees at 0.62 of the bound); NCCL may as well choose ring here and give about 46 GB/s, so the band reaches down to it; NICs given: 1 x 400 Gb/s; GPU NVIDIA A100-SXM4-80GB as printed",
                    ),
                ],
                "explains": ["busbw-below-expected", "latency-high"],
            }
        ]
    )


def test_perftest_below_line_rate_or_a_fair_collective_prove_nothing() -> None:
    table = job_log(SimulatedJob(CLUSTER, plateau_gbs=9.4, logged=False))
    assert findings("gdr-disabled", PERFTEST.replace("RATE", "343.00") + table, nics="1x400") == []
    fair = job_log(SimulatedJob(CLUSTER, plateau_gbs=35.0, logged=False))
    assert findings("gdr-disabled", PERFTEST.replace("RATE", "391.11") + fair, nics="1x400") == []


def test_without_nccl_lines_or_perftest() -> None:
    assert skipped("gdr-disabled", job_log(SimulatedJob(CLUSTER, logged=False))) == snapshot(
        "no channel lines; run with NCCL_DEBUG=INFO (and one collective: connections are made at the first)"
    )


def test_it_says_what_to_do() -> None:
    text = log(replace(CLUSTER, hosts_without_gdr=frozenset({"node07"})))
    assert remedies("gdr-disabled", text) == snapshot(
        [
            [
                (
                    "See whether the peer-memory module is there, and load it.",
                    "lsmod | grep -E 'peermem|nv_peer_mem' || modprobe nvidia_peermem",
                ),
                ("Let NCCL say why.", "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH"),
                ("Look at the distance between each GPU and its HCA.", "nvidia-smi topo -m"),
            ]
        ]
    )


def test_where_only_the_sending_side_was_logged_it_may_be_by_design() -> None:
    sends = "\n".join(line for line in log(replace(CLUSTER, gdr=False)).splitlines() if "[receive]" not in line)
    assert findings("gdr-disabled", sends) == snapshot(
        [
            {
                "cause": "gdr-disabled",
                "message": "node06, node07: GPUDirect RDMA may be off: all 8 channels that send over NET/IB are staged through host memory; those that receive, which decide, are not in the log",
                "how": "warning, possible",
                "suspects": ["node node06", "node node07"],
                "evidence": [(214, "via NET/IB/1 / /GDRDMA"), (262, "via NET/IB/1 / /GDRDMA")],
                "explains": [],
            }
        ]
    )
