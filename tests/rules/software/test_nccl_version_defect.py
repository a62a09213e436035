from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL version 2.22.3+cuda12.4\n"
    "node07:4711:4712 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL version 2.26.2+cuda12.4\n"
    "node07:4711:4712 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)\n"
)


def test_is_only_a_possibility() -> None:
    assert said("nccl-version-defect", FAILED) == snapshot(
        [
            (
                "nccl-version-defect",
                "warning",
                "possible",
                "NCCL 2.22.3 may have a known defect here: it looks for the peer-memory module under "
                "its old name and does not see nvidia_peermem",
            )
        ]
    )


def test_silent_on_a_newer_version() -> None:
    assert findings_of("nccl-version-defect", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("nccl-version-defect", FAILED) == snapshot(
        [
            [
                ("Use NCCL 2.23.4 or newer.", ""),
                ("See whether the module is there all the same.", "lsmod | grep nvidia_peermem"),
            ]
        ]
    )
