"""Settings of the kernel in /proc."""

from __future__ import annotations

from slowlink.parsers.forms.kernel_parameters import iommu_parameters, other_parameters
from slowlink.parsers.forms.limit_values import memlock
from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.kernel.sysfs.paths import PathFact
from slowlink.patterns import regex

_LOCKED = regex(r"Max locked memory {2,40}(\w{1,20})\b")
_FILES = regex(r"Max open files {2,40}(\w{1,20})\b")
_UPTIME = regex(r"(\d{1,12})\.\d{2}(?: \d|$)")
_BOOT = regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SAMPLE = "3d0d6a5e-0000-4000-8000-00000000002a"
_LIMITS = r"proc/(?:self|\d{1,9})/limits"


def _locked(content: str) -> str | None:
    found = _LOCKED.match(content)
    return memlock(found[1], 1) if found else None


def _files(content: str) -> str | None:
    found = _FILES.match(content)
    return found[1] if found else None


def _open_driver(content: str) -> bool | None:
    return "Open Kernel Module" in content if content.startswith("NVRM version") else None


def _exported(content: str) -> bool | None:
    """``grep -c __ksymtab_mm_kobj``, or the symbol's own line."""
    number = whole(content)
    return number > 0 if number is not None else True if content.endswith("__ksymtab_mm_kobj") else None


PATHS = (
    PathFact(
        r"proc/sys/kernel/numa_balancing",
        "numa-balancing",
        "",
        lambda text: {"0": False, "1": True, "2": True, "3": True}.get(text),
        {"/proc/sys/kernel/numa_balancing:1": True, "/proc/sys/kernel/numa_balancing:0": False},
    ),
    PathFact(
        r"proc/sys/vm/zone_reclaim_mode",
        "zone-reclaim",
        "",
        lambda text: None if (mode := whole(text)) is None else mode != 0,
        {"/proc/sys/vm/zone_reclaim_mode:0": False, "/proc/sys/vm/zone_reclaim_mode:1": True},
    ),
    PathFact(
        r"proc/sys/kernel/osrelease",
        "kernel-release",
        "",
        lambda text: text or None,
        {"/proc/sys/kernel/osrelease:5.15.0-91-generic": "5.15.0-91-generic"},
    ),
    PathFact(
        r"proc/sys/kernel/random/boot_id",
        "boot-id",
        "",
        lambda text: text if _BOOT.fullmatch(text) else None,
        {
            f"/proc/sys/kernel/random/boot_id:{_SAMPLE}": _SAMPLE,
            "/proc/sys/kernel/random/boot_id:": None,
        },
    ),
    PathFact(
        r"proc/uptime",
        "node-uptime",
        "",
        lambda text: int(found[1]) if (found := _UPTIME.match(text)) else None,
        {"/proc/uptime:181.52 9043.11": 181, "/proc/uptime:": None},
    ),
    PathFact(
        r"proc/cmdline",
        "iommu-parameters",
        "",
        iommu_parameters,
        {
            "/proc/cmdline:BOOT_IMAGE=/vmlinuz root=/dev/sda2 ro iommu=pt intel_iommu=on": "intel_iommu=on iommu=pt",
            "/proc/cmdline:BOOT_IMAGE=/vmlinuz root=/dev/sda2 ro": "none",
        },
    ),
    PathFact(
        r"proc/cmdline",
        "kernel-parameters",
        "",
        other_parameters,
        {"/proc/cmdline:BOOT_IMAGE=/vmlinuz ro pci=realloc mitigations=off": "mitigations=off pci=realloc"},
    ),
    PathFact(
        r"proc/driver/nvidia/version",
        "gpu-driver-open",
        "",
        _open_driver,
        {
            "/proc/driver/nvidia/version:NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.1": True,
            "/proc/driver/nvidia/version:NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1": False,
            "/proc/driver/nvidia/version:GCC version: gcc version 12.2.0": None,
        },
    ),
    PathFact(
        r"proc/kallsyms",
        "mm-kobj-exported",
        "",
        _exported,
        {
            "/proc/kallsyms:0": False,
            "/proc/kallsyms:1": True,
            "/proc/kallsyms:ffffffff81234568 r __ksymtab_mm_kobj": True,
        },
    ),
    PathFact(
        _LIMITS,
        "memlock-limit",
        "",
        _locked,
        {
            "/proc/self/limits:Max locked memory         65536                65536                bytes": "64 KiB",
            "/proc/self/limits:Max locked memory         unlimited            unlimited            bytes": "unlimited",
            "/proc/self/limits:Max cpu time              unlimited            unlimited            seconds": None,
        },
    ),
    PathFact(
        _LIMITS,
        "open-files-limit",
        "",
        _files,
        {"/proc/self/limits:Max open files            1024                 1048576              files": "1024"},
    ),
)
