from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def xid(number: int, words: str) -> str:
    return f"[ 77.1] NVRM: Xid (PCI:0000:3b:00): {number}, pid=4711, name=train, {words}\n"


def test_a_board_without_power() -> None:
    assert said("gpu-board-fault", xid(54, "Auxiliary power is not connected")) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "error",
                "certain",
                "GPU 0000:3b:00.0: Xid 54 (auxiliary power is missing or too weak)",
            )
        ]
    )


def test_a_link_between_processor_and_gpu() -> None:
    assert said("gpu-board-fault", xid(173, "C2C link down")) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "error",
                "certain",
                "GPU 0000:3b:00.0: Xid 173 (link between processor and GPU (C2C) failed)",
            )
        ]
    )


def test_wear_is_a_warning() -> None:
    assert said("gpu-board-fault", xid(164, "low lifetime")) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "warning",
                "certain",
                "GPU 0000:3b:00.0: Xid 164 (circuit against power swings is nearly worn out)",
            )
        ]
    )


def test_corrected_errors_of_pcie() -> None:
    assert said("gpu-board-fault", xid(176, "threshold reached")) == snapshot(
        [("pcie-errors", "warning", "certain", "GPU 0000:3b:00.0: Xid 176 (too many corrected errors on PCIe)")]
    )


def test_silent_on_a_fault_of_the_program() -> None:
    assert findings_of("gpu-board-fault", xid(31, "MMU Fault")) == ()


def test_it_says_what_nvidia_advises() -> None:
    assert remedies_of("gpu-board-fault", xid(54, "Auxiliary power is not connected")) == snapshot(
        [
            [
                ("See what else this GPU logged.", "dmesg -T | grep -e Xid -e NVRM"),
                (
                    "NVIDIA advises for Xid 54: look at the power cables and the power supplies of this GPU.",
                    "ipmitool sel list",
                ),
            ]
        ]
    )
