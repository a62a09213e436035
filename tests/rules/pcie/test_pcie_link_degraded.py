from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "[ 2.5] pci 0000:04:00.0: 126.016 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x16 "
    "link at 0000:01:00.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)\n"
)

FINE = (
    "[ 2.5] pci 0000:04:00.0: 7.876 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x1 link "
    "at 0000:01:00.0 (capable of 31.504 Gb/s with 8.0 GT/s PCIe x4 link)\n"
)


def test_names_device_and_limit() -> None:
    assert said("pcie-link-degraded", FAILED) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "0000:04:00.0 limited to 126 of 504 Gb/s on PCIe by the link at 0000:01:00.0",
            )
        ]
    )


def test_kernels_before_5_7_write_the_link_without_its_bus() -> None:
    old = (
        "[ 9.1] mlx5_core 0000:81:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8 GT/s x8 link at 0000:80:01.0"
        " (capable of 126.016 Gb/s with 8 GT/s x16 link)\n"
    )
    ((cause, *_, message),) = said("pcie-link-degraded", old)
    assert cause == "pcie-link-degraded"
    assert message == "0000:81:00.0 limited to 63 of 126 Gb/s on PCIe by the link at 0000:80:01.0"


def test_silent_on_a_device_that_is_no_gpu_or_hca() -> None:
    assert findings_of("pcie-link-degraded", FINE) == ()


def _tree(*speeds: str) -> str:
    prefix = "node07:4711:4712 [0] NCCL INFO"
    gpus = "".join(f"{prefix}           + PCI[{speed}] - GPU/{i}B000 ({i})\n" for i, speed in enumerate(speeds, 1))
    head = f"{prefix} === System : maxBw 24.0 totalBw 24.0 ===\n{prefix} CPU/0 (1/2/-1)\n"
    return f"{head}{gpus}{prefix} {'=' * 42}\n"


def test_a_gpu_on_a_narrower_link_than_the_others() -> None:
    assert said("pcie-link-degraded", _tree("24.0", "24.0", "6.0", "24.0")) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "node07: GPU/3B000 (3) on a PCIe link of 6 GB/s, while the other GPUs have more",
            )
        ]
    )


def test_gpus_that_lie_alike() -> None:
    assert findings_of("pcie-link-degraded", _tree("12.0", "12.0", "12.0", "12.0")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("pcie-link-degraded", FAILED) == snapshot(
        [
            [
                (
                    "Compare what the link can do with what it does, under load.",
                    "lspci -vv | grep -E 'LnkCap:|LnkSta:'",
                ),
                ("Reseat the card, and compare with a sound node.", ""),
            ]
        ]
    )
