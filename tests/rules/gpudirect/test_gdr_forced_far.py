from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies

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


def test_data_takes_the_far_way() -> None:
    init = "".join(
        f"node0{7 + n}:4000:4100 [0] NCCL INFO comm 0x55d0c5e0b2a0 rank {n} nranks 2 cudaDev 0 busId 1000 "
        "commId 0xfa3841 - Init COMPLETE\n"
        for n in (0, 1)
    )
    channel = "node07:4000:4100 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0"
    for way, confidence in (("/GDRDMA", "likely"), ("", "possible")):
        (found,) = check("gdr-forced-far", f"{FORCED}{ACROSS}{init}{channel}{way}\n").findings
        assert (found.severity, found.confidence) == ("warning", confidence)


def test_the_old_number_for_the_same_level() -> None:
    assert len(findings("gdr-forced-far", FORCED.replace("SYS", "4") + ACROSS)) == 1


def test_a_level_below_forces_nothing() -> None:
    assert findings("gdr-forced-far", FORCED.replace("SYS", "PHB") + ACROSS) == []


def test_no_path_across_sockets() -> None:
    assert findings("gdr-forced-far", FORCED + ACROSS.replace("SYS", "PXB")) == []


def test_the_setting_alone_proves_nothing() -> None:
    assert findings("gdr-forced-far", FORCED) == []


def decision(distance: int, limit: int, gpu: str = "GPU 5") -> str:
    sign, state = ("<=", "Enabled") if distance <= limit else (">", "Disabled")
    return (
        f"node07:4000:4100 [0] NCCL INFO GPU Direct RDMA {state} for {gpu} / HCA 0 (distance {distance} {sign} {limit}), "
        "read 0\n"
    )


@pytest.mark.parametrize("level", [5, 6, 7, 8, 9])
def test_a_decision_at_the_forced_level_is_such_a_path_in_any_version(level: int) -> None:
    """2.7 calls it 5, 2.8 6, 2.12 7, 2.26 8 and 2.27 9."""
    assert len(findings("gdr-forced-far", FORCED + decision(level, level, "GPU b3000"))) == 1
    assert findings("gdr-forced-far", FORCED + decision(level - 1, level)) == []
    assert findings("gdr-forced-far", FORCED + decision(level + 1, level)) == []
    assert findings("gdr-forced-far", FORCED.replace("SYS", "PHB") + decision(level, level)) == []


def test_on_one_node_nothing_goes_through_an_hca() -> None:
    init = "".join(
        f"node07:{4000 + n}:{4100 + n} [{n}] NCCL INFO comm 0x55d0c5e0b2a0 rank {n} nranks 2 cudaDev {n} busId {n}1000 "
        "commId 0xfa3841 - Init COMPLETE\n"
        for n in (0, 1)
    )
    init += "node07:4000:4100 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB ; OOB ib0:10.0.0.7<0>\n"
    assert findings("gdr-forced-far", FORCED + decision(7, 7) + init) == []
    two = init.replace("node07:4001", "node08:4001")
    assert len(findings("gdr-forced-far", FORCED + decision(7, 7) + two)) == 1


def test_it_says_what_to_do() -> None:
    assert remedies("gdr-forced-far", FORCED + ACROSS) == snapshot(
        [[("Measure with and without the setting.", "unset NCCL_NET_GDR_LEVEL")]]
    )
