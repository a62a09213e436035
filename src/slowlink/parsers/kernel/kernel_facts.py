"""What runs and how it was built, from single lines: kernel, its command line and build options, the GPU's driver.

For example::

    Linux gpu01 5.14.0-427.13.1.el9_4.x86_64 #1 SMP PREEMPT_DYNAMIC x86_64
    BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0 root=/dev/sda2 ro iommu=pt
    NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build
    CONFIG_PCI_P2PDMA=y

Sources: ``uname -a``, start-up messages of Linux 4.18 to 6.x, /boot/config-*, /proc/cmdline and
/proc/driver/nvidia/version as ``cat`` prints them, Module.symvers, kallsyms. Of a command line only the parameters of
the IOMMU and some others are kept; the rest may name disks and passwords.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.state import Value
from slowlink.parsers.forms.kernel_parameters import iommu_parameters, other_parameters
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex

_COMMAND_LINE = r"(?:\[ {0,8}[\d.]{3,16}\] )?(?:kernel: )?(?:Kernel c|C)ommand line: (?P<value>.{1,4000})"
_BARE_COMMAND_LINE = r"(?P<value>BOOT_IMAGE=.{1,4000})"
_STAMP = r"(?:\[ {0,8}[\d.]{3,16}\] )?(?:kernel: )?"


def _iommu(match: re.Match[str]) -> Value | None:
    return iommu_parameters(match["value"])


def _others(match: re.Match[str]) -> Value | None:
    return other_parameters(match["value"])


def _built(match: re.Match[str]) -> Value | None:
    return match["value"] in ("=y", "=m")


def _yes(_match: re.Match[str]) -> Value | None:
    return True


def _option(attribute: str, name: str, pattern: str) -> LineFact:
    return LineFact(
        attribute,
        "CONFIG_",
        rf"(?:# )?{pattern}(?P<value>=[ymn]| is not set)\s*$",
        {f"{name}=y": True, f"# {name} is not set": False},
        _built,
    )


FACTS = (
    LineFact(
        "kernel-release",
        "Linux ",
        r"Linux [\w.-]{1,80} (?P<value>\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+~-]{0,80}) #\d",
        {"Linux gpu01 5.14.0-427.13.1.el9_4.x86_64 #1 SMP PREEMPT_DYNAMIC x86_64": "5.14.0-427.13.1.el9_4.x86_64"},
    ),
    LineFact(
        "kernel-release",
        "Linux version ",
        _STAMP + r"Linux version (?P<value>\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+~-]{0,80}) \(",
        {"[    0.000000] Linux version 6.8.0-31-generic (build@host) (gcc 13.2.0)": "6.8.0-31-generic"},
    ),
    LineFact(
        "iommu-parameters",
        "ommand line: ",
        _COMMAND_LINE,
        {"[    0.000000] Kernel command line: BOOT_IMAGE=/vmlinuz-6.8 ro amd_iommu=on": "amd_iommu=on"},
        _iommu,
    ),
    LineFact(
        "kernel-parameters",
        "ommand line: ",
        _COMMAND_LINE,
        {"[    0.000000] Command line: BOOT_IMAGE=/vmlinuz-6.8 ro nosmt quiet": "nosmt"},
        _others,
    ),
    LineFact(
        "iommu-parameters",
        "BOOT_IMAGE=",
        _BARE_COMMAND_LINE,
        {"BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0 root=/dev/sda2 ro iommu=pt": "iommu=pt", "BOOT_IMAGE=/v ro": "none"},
        _iommu,
    ),
    LineFact(
        "kernel-parameters",
        "BOOT_IMAGE=",
        _BARE_COMMAND_LINE,
        {"BOOT_IMAGE=/vmlinuz-5.15 ro pci=realloc=off audit=0 password=x": "audit=0 pci=realloc=off"},
        _others,
    ),
    LineFact(
        "iommu-default-domain",
        "efault domain type",
        _STAMP + r"iommu: Default domain type: (?P<value>Translated|Passthrough)\b",
        {"[    0.812345] iommu: Default domain type: Passthrough (set via kernel command line)": "Passthrough"},
    ),
    LineFact(
        "iommu-present",
        "IOMMU enabled",
        _STAMP + r"DMAR: IOMMU enabled",
        {"[    0.045678] DMAR: IOMMU enabled": True},
        _yes,
    ),
    LineFact(
        "iommu-present",
        "AMD-Vi",
        _STAMP
        + r"(?:pci [\da-f:.]{7,12}: )?AMD-Vi: (?:Found IOMMU|IOMMU performance counters|Interrupt remapping enabled)",
        {"[    1.234567] pci 0000:60:00.2: AMD-Vi: IOMMU performance counters supported": True},
        _yes,
    ),
    LineFact(
        "gpu-driver-open",
        "NVRM version",
        r"NVRM version: NVIDIA UNIX (?P<value>Open Kernel Module|[\w-]{3,10}  ?Kernel Module)",
        {
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build": True,
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19": False,
        },
        lambda match: match["value"].startswith("Open"),
    ),
    LineFact(
        "mm-kobj-exported",
        "mm_kobj",
        r"(?:[\da-f]{8,16} [a-zA-Z] __ksymtab_mm_kobj|0x[\da-f]{8}\s{1,8}mm_kobj\s{1,8}vmlinux\s{1,8}EXPORT_SYMBOL)",
        {"ffffffffa1485b2c r __ksymtab_mm_kobj": True, "0x1d1a5f8a\tmm_kobj\tvmlinux\tEXPORT_SYMBOL_GPL": True},
        _yes,
    ),
    _option("kernel-dma-buf", "CONFIG_DMA_SHARED_BUFFER", "CONFIG_DMA_SHARED_BUFFER"),
    _option("kernel-pci-p2pdma", "CONFIG_PCI_P2PDMA", r"CONFIG_PCI_P\dPDMA"),
)


class KernelFacts(ReadingParser):
    """Readings of the node's kernel and GPU driver: release, parameters, IOMMU, exported symbols, build options."""

    kind: ClassVar[str] = "kernel"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = ("GCC version:", "CONFIG_")
    legend: ClassVar[re.Pattern[str] | None] = regex(r"GCC version:\s|CONFIG_[A-Z\d_]{2,60}=[ymn]$")


PARSER = KernelFacts
