from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

FORCED = "node07:4000:4100 [0] NCCL INFO NCCL_NET_GDR_LEVEL set by environment to SYS\n"
ACROSS = (
    "node07:4000:4100 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 2, bw 12.0/12.0, type NVL/SYS, sameChannels 1\n"
)


def test_forced_and_in_use() -> None:
    assert findings("gdr-forced-far", FORCED + ACROSS) == snapshot(
        [
            {
                "cause": "gdr-forced-far",
                "message": "GPUDirect RDMA is forced across sockets (NCCL_NET_GDR_LEVEL=SYS, path type SYS between GPU and HCA)",
                "how": "warning, possible",
                "suspects": ["setting NCCL_NET_GDR_LEVEL"],
                "evidence": [(1, ""), (2, "")],
                "explains": ["busbw-below-expected"],
            }
        ]
    )


def test_the_old_number_for_the_same_level() -> None:
    assert len(findings("gdr-forced-far", FORCED.replace("SYS", "4") + ACROSS)) == 1


def test_a_level_below_forces_nothing() -> None:
    assert findings("gdr-forced-far", FORCED.replace("SYS", "PHB") + ACROSS) == []


def test_no_path_across_sockets() -> None:
    assert findings("gdr-forced-far", FORCED + ACROSS.replace("SYS", "PXB")) == []


def test_without_the_graph() -> None:
    assert skipped("gdr-forced-far", FORCED) == snapshot(
        "no topology lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("gdr-forced-far", FORCED + ACROSS) == snapshot(
        [[("Measure with and without the setting.", "unset NCCL_NET_GDR_LEVEL")]]
    )
