from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

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
