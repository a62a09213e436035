"""What the properties of ``nvidia-smi --query-gpu`` and its sisters say, by name without unit.

Source: ``nvidia-smi --help-query-gpu`` of drivers 450 to 595. Properties have older and shorter names.
"""

from __future__ import annotations

from slowlink.parsers.gpu.nvidia_smi.named import named

PROPERTIES = named("csv")
"""Properties of a GPU and of its node."""

SILENT = ("timestamp", "index", "pci.", "serial", "gpu_serial", "display_", "accounting", "driver_model.", "inforom.")
"""Known properties that name the row or say nothing of use: beginnings."""

KNOWN_STARTS = (
    *SILENT,
    "vgpu_",
    "pcie.",
    "gom.",
    "gpu_operation_mode",
    "fan.",
    "clocks",
    "memory.",
    "utilization.",
    "encoder.",
    "dramEncryption.",
    "ecc.",
    "retired_pages.",
    "remapped_rows.",
    "temperature.",
    "power",
    "module.",
    "enforced.",
    "edpp_",
    "mig.",
    "gsp.",
    "c2c.",
    "protected_memory.",
    "fabric.",
    "platform.",
    "compute_",
    "gpu_",
    "pid",
    "process_name",
    "used_",
    "max_memory_usage",
    "mem_util",
    "time",
    "hostname",
    "kmd_version",
    "umd_version",
    "cuda_version",
    "reset_status.",
)
"""Beginnings of every property, to know a header by."""

REASON_BITS = {
    0x1: "gpu-clocks-idle",
    0x2: "gpu-clocks-application-setting",
    0x4: "gpu-clocks-power-cap",
    0x8: "gpu-clocks-hw-slowdown",
    0x10: "gpu-clocks-sync-boost",
    0x20: "gpu-clocks-sw-thermal",
    0x40: "gpu-clocks-hw-thermal",
    0x80: "gpu-clocks-power-brake",
}
"""``clocks_event_reasons.active``: bits of nvml.h (NVML_CLOCKS_EVENT_REASON_*)."""
