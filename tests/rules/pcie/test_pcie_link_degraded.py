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


LIMITED = (
    "[ 2.5] pci {pci}: {got} Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:60:01.1"
    " (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)\n"
)
DEVICE = "[ 2.4] pci {pci}: [{vendor}:1234] type 00 class {kind}\n"


def test_each_device_with_its_own_rates() -> None:
    text = "".join(
        LIMITED.format(pci=f"0000:{bus}:00.0", got=got)
        for bus, got in (("61", "126.016"), ("62", "63.008"), ("63", "126.016"))
    )
    assert [message for *_, message in said("pcie-link-degraded", text)] == [
        "0000:62:00.0 limited to 63 of 252 Gb/s on PCIe by the link at 0000:60:01.1; "
        "0000:61:00.0 and 0000:63:00.0 limited to 126 of 252 Gb/s on PCIe by the link at 0000:60:01.1"
    ]


def test_silent_on_the_gpu_inside_a_processor_and_on_drives() -> None:
    limit = LIMITED.format(pci="0000:61:00.0", got="126.016")
    inside = DEVICE.format(pci="0000:61:00.0", vendor="1002", kind="0x030000") + limit
    inside += DEVICE.format(pci="0000:61:00.3", vendor="1022", kind="0x0c0330")
    assert findings_of("pcie-link-degraded", inside) == ()
    assert (
        findings_of("pcie-link-degraded", DEVICE.format(pci="0000:61:00.0", vendor="144d", kind="0x010802") + limit)
        == ()
    )
    card = DEVICE.format(pci="0000:61:00.0", vendor="1002", kind="0x038000") + limit
    card += DEVICE.format(pci="0000:61:00.1", vendor="1002", kind="0x040300")
    assert [severity for _, severity, *_ in said("pcie-link-degraded", card)] == ["error"]


def test_a_machine_with_a_lid_may_be_built_so() -> None:
    text = LIMITED.format(pci="0000:61:00.0", got="63.008") + "[ 3.0] ACPI: button: Lid Switch [LID]\n"
    ((_, severity, confidence, message),) = said("pcie-link-degraded", text)
    assert (severity, confidence) == ("info", "possible")
    assert message.endswith("; the machine has a lid, and may be built so")


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
