"""Steps that the remedies of several GPUDirect rules share."""

from __future__ import annotations

from slowlink.rules.evidence.findings import Step

USE_NEAR_HCA = Step("Look which HCA sits next to each GPU, and let NCCL use it.", "nvidia-smi topo -m")
CHANGE_KERNEL = Step("Boot a kernel that exports mm_kobj (RHEL 9.4 or 9.5) and rebuild OFED, or move to DMA-BUF.")
