from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped
from msgspec.structs import replace

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

OLD = LoggedCluster(hosts=("node06", "node07"), version="2.10.3", hcas=("mlx5_0", "mlx5_1"), gdr=False)
NO_FILE = "[root@node07 ~]# cat /sys/kernel/mm/memory_peers/nv_mem/version\ncat: /sys/kernel/mm/memory_peers/nv_mem/version: No such file or directory\n"
NO_SYMBOL = "On kernel 5.14.0-570.12.1.el9_6.x86_64 the symbol mm_kobj is no longer exported.\n"


def test_the_library_found_no_module() -> None:
    assert findings("peer-memory", job_log(SimulatedJob(OLD, plateau_gbs=9.4))) == snapshot(
        [
            {
                "cause": "peer-memory-missing",
                "message": "node06 and node07: GPUDirect RDMA is off because the HCA cannot read GPU memory: the library found no peer-memory module",
                "how": "error, certain",
                "suspects": ["node node06", "node node07"],
                "evidence": [(72, ""), (73, ""), (74, "")],
                "explains": ["memory-registration-failed", "gdr-disabled", "busbw-below-expected", "latency-high"],
            }
        ]
    )


def test_the_client_is_not_registered() -> None:
    assert findings("peer-memory", NO_FILE) == snapshot(
        [
            {
                "cause": "peer-memory-missing",
                "message": "node07: GPUDirect RDMA is off because the HCA cannot read GPU memory: /sys/kernel/mm/memory_peers/nv_mem/version does not exist",
                "how": "error, likely",
                "suspects": ["node node07"],
                "evidence": [(2, "")],
                "explains": ["memory-registration-failed", "gdr-disabled", "busbw-below-expected", "latency-high"],
            }
        ]
    )


def test_the_kernel_is_the_reason() -> None:
    assert findings("peer-memory", NO_FILE + NO_SYMBOL)[1:] == snapshot(
        [
            {
                "cause": "kernel-without-mm-kobj",
                "message": "GPUDirect RDMA is off: this kernel no longer exports mm_kobj, so OFED builds without memory_peers and the GPU's peer-memory client cannot register; traffic between nodes is staged through host memory",
                "how": "error, likely",
                "suspects": ["node node07"],
                "evidence": [(3, "mm_kobj is not exported / exported"), (2, "")],
                "explains": [
                    "peer-memory-missing",
                    "memory-registration-failed",
                    "gdr-disabled",
                    "busbw-below-expected",
                ],
            }
        ]
    )


def test_a_node_alone_needs_no_module() -> None:
    text = job_log(SimulatedJob(replace(OLD, hosts=("node07",)), plateau_gbs=230.0))
    assert "(no module)" in text
    assert findings("peer-memory", text) == []


def test_gpudirect_rdma_in_use_refutes_it() -> None:
    used = job_log(SimulatedJob(replace(OLD, version="2.21.5", gdr=True), plateau_gbs=46.0))
    assert findings("peer-memory", NO_FILE + used) == []


def test_without_a_word_about_it() -> None:
    assert skipped("peer-memory", job_log(SimulatedJob(logged=False))) == snapshot("no line about the state of a node")


def test_it_says_what_to_do() -> None:
    assert remedies("peer-memory", job_log(SimulatedJob(OLD, plateau_gbs=9.4))) == snapshot(
        [
            [
                ("Load nvidia_peermem on every node, and at boot.", "modprobe nvidia_peermem"),
                ("See which clients are registered.", "ls /sys/kernel/mm/memory_peers/"),
            ]
        ]
    )
