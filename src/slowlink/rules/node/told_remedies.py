"""What to do about a cause that a health check or somebody's own words name: how to ask the part, and how to mend it.

The rules that see the part itself know more; these steps are for where only somebody's word is there.
"""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.rules.evidence.findings import Step

ASKS: Mapping[str, str] = {
    "acs-enabled": "lspci -vvv | grep -i ACSCtl",
    "cpu-governor-not-performance": "cpupower frequency-info -p",
    "fabric-manager-down": "systemctl status nvidia-fabricmanager",
    "gpu-busy": "nvidia-smi pmon -c 5",
    "gpu-clocks-throttled": "nvidia-smi -q -d PERFORMANCE",
    "gpu-driver-hung": "nvidia-smi; dmesg -T | grep -i xid",
    "gpu-memory-errors": "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT",
    "gpu-missing": "nvidia-smi -L; lspci -d 10de:",
    "gpu-persistence-off": "nvidia-smi --query-gpu=index,persistence_mode --format=csv",
    "hca-missing": "ibstat -l; lspci -d 15b3:",
    "host-memory-errors": "ras-mc-ctl --errors",
    "iommu-translating": "cat /proc/cmdline; dmesg | grep -i 'default domain type'",
    "link-errors": "perfquery -x; ethtool -S INTERFACE",
    "memlock-limit": "ulimit -l",
    "numa-balancing-on": "sysctl kernel.numa_balancing",
    "nvlink-down": "nvidia-smi nvlink -s",
    "pcie-errors": "dmesg -T | grep -i aer",
    "pcie-link-degraded": "lspci -vvv | grep -E 'LnkCap:|LnkSta:'",
    "peer-memory-missing": "lsmod | grep -i peermem",
    "port-down": "ibstat; ip -br link",
    "port-rate-low": "ibstat | grep -E 'Rate|State'",
    "shm-too-small": "df -h /dev/shm",
}
"""Cause -> the command that shows the part."""

_REPLACE = Step("Drain the node; reset the GPU, and have it replaced if the error comes again.")
_MENDS: Mapping[str, tuple[Step, ...]] = {
    "cpu-governor-not-performance": (Step("Set the governor.", "cpupower frequency-set -g performance"),),
    "fabric-manager-down": (
        Step(
            "Start it now and at boot; its version must be the driver's.", "systemctl enable --now nvidia-fabricmanager"
        ),
    ),
    "gpu-busy": (Step("End what works there, or wait for it."),),
    "gpu-hardware-fault": (_REPLACE,),
    "gpu-memory-errors": (_REPLACE,),
    "gpu-persistence-off": (
        Step("Run NVIDIA's daemon at boot.", "systemctl enable --now nvidia-persistenced"),
        Step("Or switch it on until the next boot.", "nvidia-smi -pm 1"),
    ),
    "memlock-limit": (
        Step("Raise the limit for jobs: memlock unlimited in /etc/security/limits.d and in systemd units."),
    ),
    "numa-balancing-on": (Step("Switch it off.", "sysctl -w kernel.numa_balancing=0"),),
    "peer-memory-missing": (Step("Load the module.", "modprobe nvidia_peermem"),),
    "shm-too-small": (Step("Give the container more: --shm-size, or a memory volume at /dev/shm."),),
}
"""Cause -> what mends it, where that does not depend on more than the cause."""


def ask(cause: str, words: str) -> Step:
    """``words`` with the command that shows the part, where there is one."""
    return Step(words, ASKS.get(cause, ""))


def mends(cause: str) -> tuple[Step, ...]:
    """Steps that mend it; none where the cause alone does not tell."""
    return _MENDS.get(cause, ())
