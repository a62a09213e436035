"""The kernel, how it was started and built, and the GPU's driver, from lines of many origins."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.kernel.kernel_facts import KernelFacts

TEXT = """\
$ uname -a
Linux gpu01 5.14.0-427.13.1.el9_4.x86_64 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux
$ cat /proc/cmdline
BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0 root=/dev/sda2 ro iommu=pt intel_iommu=on pci=realloc=off quiet
$ dmesg | grep -i iommu
[    0.045678] DMAR: IOMMU enabled
[    0.812345] iommu: Default domain type: Passthrough (set via kernel command line)
[    0.812346] iommu: DMA domain TLB invalidation policy: lazy mode
$ cat /proc/driver/nvidia/version
NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  (dvs-builder@x)
GCC version:  gcc version 11.4.1
$ grep -E 'DMA_SHARED|P2PDMA' /boot/config-5.14.0
CONFIG_DMA_SHARED_BUFFER=y
# CONFIG_PCI_P2PDMA is not set
CONFIG_NUMA_BALANCING=y
$ grep mm_kobj /proc/kallsyms
ffffffffa1485b2c r __ksymtab_mm_kobj
"""


def said(*lines: str) -> list[tuple[str, object]]:
    return [(found.attribute, found.value) for found in feed(KernelFacts, lines)]


def test_a_session_on_a_node() -> None:
    assert said(*TEXT.splitlines()) == snapshot(
        [
            ("kernel-release", "5.14.0-427.13.1.el9_4.x86_64"),
            ("iommu-parameters", "intel_iommu=on iommu=pt"),
            ("kernel-parameters", "pci=realloc=off"),
            ("iommu-present", True),
            ("iommu-default-domain", "Passthrough"),
            ("gpu-driver-open", True),
            ("kernel-dma-buf", True),
            ("kernel-pci-p2pdma", False),
            ("mm-kobj-exported", True),
        ]
    )


def test_lines_of_the_format_say_nothing_and_are_known() -> None:
    assert KernelFacts.wants("GCC version:  gcc version 11.4.1")
    assert KernelFacts.wants("CONFIG_NUMA_BALANCING=y")
    assert said("GCC version:  gcc version 11.4.1", "CONFIG_NUMA_BALANCING=y") == []


@pytest.mark.parametrize(
    "text",
    [
        "Linux is the kernel of all our nodes",
        "Linux version 6.8 will be installed",
        "add BOOT_IMAGE= to the command line",
        "iommu: Default domain type: whatever",
        "CONFIG_DMA_SHARED_BUFFER=maybe",
        "gpu01:1:2 [0] NCCL INFO Linux gpu01 5.14.0-427.13.1 #1",
    ],
)
def test_sentences_are_no_facts(text: str) -> None:
    assert said(text) == []


def test_other_parameters_do_not_leave_the_command_line() -> None:
    found = said("[    0.000000] Command line: BOOT_IMAGE=/vmlinuz-6.8 root=UUID=0a1b ro nosmt password=secret")
    assert "secret" not in str(found)
    assert "0a1b" not in str(found)


@given(st.lists(st.text(max_size=80) | st.sampled_from(TEXT.splitlines()), max_size=12), st.integers(0, 100))
def test_a_text_cut_anywhere_gives_a_result(lines: list[str], end: int) -> None:
    cut = [line[:end] for line in lines]
    assert all(1 <= found.ref.line <= len(cut) for found in feed(KernelFacts, cut))
