"""What the fields of ``nvidia-smi -q`` say, by their last headings: ``PCIe Generation/Current``.

Source: nvidia-smi's manual page, outputs of drivers 450 to 595. Names change between branches; older ones stand beside
the newer ones. The same labels stand below "Clocks Event Reasons" (states) and its counters (microseconds).
"""

from __future__ import annotations

from slowlink.parsers.gpu.nvidia_smi.named import named

OF_LOG = named("query_log")
"""Fields that stand before the GPUs, at the margin."""
FIELDS = named("query")
"""Fields of a GPU."""
PLAIN = {name: field for name, field in FIELDS.items() if "/" not in name}
"""Fields of a GPU whose label is enough, also in a line that grep left alone."""

SECTIONS = frozenset(key.split("/", 1)[0] for key in FIELDS if "/" in key) | {
    "Processes",
    "MIG Mode",
    "GPU Link Info",
    "GPU Operation Mode",
    "Driver Model",
    "Inforom Version",
    "Accounting Mode",
    "GPU Utilization Samples",
    "Memory Utilization Samples",
    "ENC Utilization Samples",
    "DEC Utilization Samples",
    "Supported Clocks",
    "SM Clock Samples",
    "Power Samples",
    "Encoder Stats",
    "FBC Stats",
    "Clock Policy",
}
"""Headings with which a block that lacks its GPU's line may begin."""
