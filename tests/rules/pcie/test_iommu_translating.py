from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import findings_of, remedies_of, said

FAILED = (
    'node07:4711:4712 [0] NCCL WARN Missing "iommu=pt" from kernel command line '
    "which can lead to system instablity or hang!\n"
)

FINE = "[    0.5] iommu: Default domain type: Passthrough\n"


def test_from_the_librarys_warning() -> None:
    assert said("iommu-translating", FAILED) == snapshot(
        [
            (
                "iommu-translating",
                "warning",
                "likely",
                "node07: the kernel was booted without iommu=pt, so the IOMMU may translate every transfer of a device",
            )
        ]
    )


def test_silent_when_it_passes_through() -> None:
    assert findings_of("iommu-translating", FINE) == ()


def test_the_kernel_is_certain() -> None:
    assert said("iommu-translating", "[    0.5] iommu: Default domain type: Translated\n") == snapshot(
        [("iommu-translating", "warning", "certain", "the IOMMU translates every transfer of a device")]
    )


def node(name: str, *lines: str) -> str:
    return "".join((f"[root@{name} ~]# sh collect\n", *(f"{line}\n" for line in lines)))


GROUP = "/sys/bus/pci/drivers/nvidia/0000:3b:00.0/iommu_group/type:"
CMDLINE = "/proc/cmdline:BOOT_IMAGE=/vmlinuz ro "


def test_what_the_kernel_does_for_a_gpu_counts_most() -> None:
    text = node("gpu01", GROUP + "DMA-FQ", CMDLINE + "iommu=pt") + node("gpu02", GROUP + "identity", CMDLINE)
    assert said("iommu-translating", text) == snapshot(
        [("iommu-translating", "warning", "certain", "gpu01: the IOMMU translates every transfer of a device")]
    )


def test_an_iommu_that_was_switched_on_without_passing_through() -> None:
    text = node("gpu01", CMDLINE + "amd_iommu=on") + node("gpu02", CMDLINE + "amd_iommu=on iommu=pt")
    assert said("iommu-translating", text) == snapshot(
        [
            (
                "iommu-translating",
                "warning",
                "likely",
                "gpu01: the kernel was booted without iommu=pt, so the IOMMU may translate every transfer of a device",
            )
        ]
    )


def test_groups_without_devices() -> None:
    groups = [f"/sys/kernel/iommu_groups/{n}/type:DMA" for n in range(5)]
    assert [entry[1:3] for entry in said("iommu-translating", node("gpu01", *groups))] == [("warning", "certain")]


def test_nothing_is_known_of_a_plain_command_line() -> None:
    assert said("iommu-translating", node("gpu01", CMDLINE + "quiet")) == []
    assert proofs_of("iommu-translating", node("gpu01", CMDLINE + "quiet")) == []


def test_proof() -> None:
    assert proofs_of("iommu-translating", node("gpu01", GROUP + "identity")) == snapshot(
        [("the IOMMU passes transfers through, or is off on gpu01", 0)]
    )


def test_refused_transfers_may_be_of_any_device() -> None:
    intel = "[91.2] DMAR: [DMA Read NO_PASID] Request device [3b:00.0] fault addr 0x7f00 [fault reason 0x06] PTE Read\n"
    amd = "[91.2] AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x001a address=0xdf00 flags=0x0020]\n"
    assert [entry for text in (intel * 2, amd) for entry in said("iommu-translating", text)] == snapshot(
        [
            ("iommu-translating", "warning", "possible", "the IOMMU refused 2 transfers of device 0000:3b:00.0"),
            ("iommu-translating", "warning", "possible", "the IOMMU refused 1 transfer of a device"),
        ]
    )
    assert [(remedy.text, remedy.command) for remedy in findings_of("iommu-translating", intel)[0].remedy] == snapshot(
        [
            ("See which device it is.", "lspci -s 0000:3b:00.0"),
            ("Boot with the IOMMU passing through.", "grubby --update-kernel=ALL --args=iommu=pt"),
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("iommu-translating", FAILED) == snapshot(
        [
            [
                ("See how the kernel was booted.", "cat /proc/cmdline"),
                ("Boot with the IOMMU passing through.", "grubby --update-kernel=ALL --args=iommu=pt"),
            ]
        ]
    )
