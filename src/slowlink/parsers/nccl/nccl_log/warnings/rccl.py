"""Warnings that only RCCL prints (``instablity`` is its spelling)."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_BOTH = ("WARN", "INFO")

MESSAGES = (
    warning(
        "iommu-not-passthrough",
        "The kernel was started without iommu=pt.",
        r"Missing \"iommu=pt\" from kernel command line",
        Sample("RCCL", 'Missing "iommu=pt" from kernel command line which can lead to system instablity or hang!'),
        bare=True,
    ),
    warning(
        "numa-balancing-on",
        "The kernel moves pages between NUMA nodes while the ranks run.",
        r"NUMA auto balancing enabled",
        Sample("RCCL", "NUMA auto balancing enabled which can lead to variability in the RCCL performance! Disable by"),
        bare=True,
    ),
    warning(
        "fine-grain-pcie-missing",
        "HSA_FORCE_FINE_GRAIN_PCIE=1 is missing.",
        r"Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\"",
        Sample("RCCL", 'Missing "HSA_FORCE_FINE_GRAIN_PCIE=1" from environment which can lead to low RCCL performance'),
    ),
    warning(
        "rccl-gdr-missing",
        "The HCA cannot read GPU memory: no memory_peers directory and no peer_memory symbol.",
        r"GDRDMA not enabled\. Could not find (?P<what>\S+)",
        Sample("RCCL", "GDRDMA not enabled. Could not find memory_peers directory or peer_memory symbol"),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "dmabuf-unsupported",
        "The kernel has no DMA-BUF support for this GPU.",
        r"DMA_BUF Support Failed|DMA_BUF_SUPPORT Failed(?P<why>.{0,120})",
        *sample("RCCL", "DMA_BUF Support Failed", "DMA_BUF_SUPPORT Failed due to OS kernel version"),
        levels=_BOTH,
    ),
)
