from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log

RING = "node1:4000:4100 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 2, bw 12.0/12.0, type NVL/{}, sameChannels 1\n"
LOG = job_log(SimulatedJob())


def test_the_ring_leaves_through_the_other_socket() -> None:
    assert findings("gpu-nic-affinity", RING.format("SYS") + LOG) == snapshot(
        [
            {
                "cause": "gpu-nic-affinity-wrong",
                "message": "the ring leaves the node through an HCA on another socket (path type SYS, 2 x 12 GB/s)",
                "how": "warning, possible",
                "suspects": ["node node1"],
                "evidence": [(1, "type NVL/SYS / PIX or PXB between GPU and HCA")],
                "explains": ["busbw-below-expected", "gdr-disabled"],
            }
        ]
    )


def test_through_the_cpu_of_the_same_socket() -> None:
    assert findings("gpu-nic-affinity", RING.format("PHB") + LOG) == []


def test_a_tree_may_go_far() -> None:
    assert findings("gpu-nic-affinity", RING.format("SYS").replace("Pattern 4", "Pattern 1") + LOG) == []


def test_one_node_uses_no_hca() -> None:
    alone = "\n".join(line for line in LOG.splitlines() if "node2" not in line).replace("nNodes 2", "nNodes 1")
    assert findings("gpu-nic-affinity", RING.format("SYS") + alone) == []


def test_without_the_graph() -> None:
    assert skipped("gpu-nic-affinity", job_log(SimulatedJob(logged=False))) == snapshot(
        "no topology lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("gpu-nic-affinity", RING.format("SYS") + LOG) == snapshot(
        [[("Look which HCA sits next to each GPU, and let NCCL use it.", "nvidia-smi topo -m")]]
    )
