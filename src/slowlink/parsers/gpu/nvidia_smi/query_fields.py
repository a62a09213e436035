"""What the fields of ``nvidia-smi -q`` say, by their last headings: ``PCIe Generation/Current``.

Source: nvidia-smi's manual page, outputs of drivers 450 to 595. Names change between branches; older ones stand beside
the newer ones. The same labels stand below "Clocks Event Reasons" (states) and its counters (microseconds).
"""

from __future__ import annotations

from slowlink.parsers.gpu.nvidia_smi.values import (
    Field,
    activity,
    answer,
    count,
    identifier,
    lanes,
    measure,
    size,
    switch,
    transfers,
    wanted_action,
    words,
)

OF_LOG = {
    "Driver Version": Field("driver-version", words),
    "CUDA Version": Field("cuda-version", words),
    "Attached GPUs": Field("gpu-count", count),
}
"""Fields that stand before the GPUs, at the margin."""

_REASONS = {
    "Idle": "gpu-clocks-idle",
    "Applications Clocks Setting": "gpu-clocks-application-setting",
    "SW Power Cap": "gpu-clocks-power-cap",
    "HW Slowdown": "gpu-clocks-hw-slowdown",
    "HW Thermal Slowdown": "gpu-clocks-hw-thermal",
    "HW Power Brake Slowdown": "gpu-clocks-power-brake",
    "Sync Boost": "gpu-clocks-sync-boost",
    "SW Thermal Slowdown": "gpu-clocks-sw-thermal",
}
_HELD_DOWN = tuple(label for label in _REASONS if "Slowdown" in label or "Power Cap" in label)
"""Labels of reasons that no other field has; ``Idle`` alone may be anything."""
PLAIN = {
    **{label: Field(_REASONS[label], activity) for label in _HELD_DOWN},
    "Product Name": Field("gpu-name", words),
    "GPU UUID": Field("gpu-uuid", identifier),
    "Persistence Mode": Field("gpu-persistence", switch),
    "Addressing Mode": Field("gpu-addressing-mode", words),
    "VBIOS Version": Field("gpu-vbios", words),
    "GSP Firmware Version": Field("gpu-gsp-firmware", words),
    "GPU Recovery Action": Field("gpu-recovery-action", wanted_action),
    "Performance State": Field("gpu-pstate", words),
    "Compute Mode": Field("gpu-compute-mode", words),
    "Replays Since Reset": Field("gpu-pcie-replays", count),
    "Replay Number Rollovers": Field("gpu-pcie-replay-rollovers", count),
}
"""Fields of a GPU whose label is enough, also in a line that grep left alone."""

_TIMES = {
    "SW Power Capping": "gpu-time-power-cap",
    "Sync Boost": "gpu-time-sync-boost",
    "SW Thermal Slowdown": "gpu-time-sw-thermal",
    "HW Thermal Slowdown": "gpu-time-hw-thermal",
    "HW Power Braking": "gpu-time-power-brake",
}
_ECC = {
    "SRAM Correctable": "sram-correctable",
    "SRAM Uncorrectable": "sram-uncorrectable",
    "SRAM Uncorrectable Parity": "sram-parity",
    "SRAM Uncorrectable SEC-DED": "sram-secded",
    "DRAM Correctable": "dram-correctable",
    "DRAM Uncorrectable": "dram-uncorrectable",
    "Single Bit/Total": "correctable",
    "Double Bit/Total": "uncorrectable",
    "Single Bit/Device Memory": "dram-correctable",
    "Double Bit/Device Memory": "dram-uncorrectable",
}
_POWER = {
    "Power Draw": "gpu-power",
    "Instantaneous Power Draw": "gpu-power",
    "Average Power Draw": "gpu-power-average",
    "Power Limit": "gpu-power-limit",
    "Current Power Limit": "gpu-power-limit",
    "Default Power Limit": "gpu-power-limit-default",
    "Max Power Limit": "gpu-power-limit-max",
}

FIELDS = {
    **PLAIN,
    "MIG Mode/Current": Field("gpu-mig", switch),
    "GPU Reset Status/Reset Required": Field("gpu-reset-required", answer),
    "GPU Reset Status/Drain and Reset Recommended": Field("gpu-drain-recommended", answer),
    "PCIe Generation/Current": Field("pcie-speed", transfers),
    "PCIe Generation/Max": Field("pcie-speed-max", transfers),
    "PCIe Generation/Device Max": Field("pcie-speed-device", transfers),
    "PCIe Generation/Host Max": Field("pcie-speed-host", transfers),
    "Link Width/Current": Field("pcie-width", lanes),
    "Link Width/Max": Field("pcie-width-max", lanes),
    "FB Memory Usage/Total": Field("gpu-memory-total", size),
    "FB Memory Usage/Used": Field("gpu-memory-used", size),
    "BAR1 Memory Usage/Total": Field("gpu-bar1-total", size),
    "BAR1 Memory Usage/Used": Field("gpu-bar1-used", size),
    "Utilization/GPU": Field("gpu-utilisation", measure),
    "Utilization/Gpu": Field("gpu-utilisation", measure),
    "Utilization/Memory": Field("gpu-memory-utilisation", measure),
    "ECC Mode/Current": Field("gpu-ecc", switch),
    "Ecc Mode/Current": Field("gpu-ecc", switch),
    "ECC Mode/Pending": Field("gpu-ecc-pending", switch),
    "Ecc Mode/Pending": Field("gpu-ecc-pending", switch),
    "Aggregate/SRAM Threshold Exceeded": Field("gpu-sram-threshold-exceeded", answer),
    "ECC Errors/Channel Repair Pending": Field("gpu-channel-repair-pending", answer),
    "ECC Errors/TPC Repair Pending": Field("gpu-tpc-repair-pending", answer),
    "ECC Errors/Unrepairable Memory": Field("gpu-unrepairable-memory", answer),
    "Retired Pages/Single Bit ECC": Field("gpu-retired-pages-single-bit", count),
    "Retired Pages/Double Bit ECC": Field("gpu-retired-pages-double-bit", count),
    "Retired Pages/Pending": Field("gpu-retirement-pending", answer),
    "Retired Pages/Pending Page Blacklist": Field("gpu-retirement-pending", answer),
    "Retired Pages/Pending Page Retirement": Field("gpu-retirement-pending", answer),
    "Remapped Rows/Correctable Error": Field("gpu-rows-remapped-correctable", count),
    "Remapped Rows/Uncorrectable Error": Field("gpu-rows-remapped-uncorrectable", count),
    "Remapped Rows/Pending": Field("gpu-remap-pending", answer),
    "Remapped Rows/Remapping Failure Occurred": Field("gpu-remap-failed", answer),
    "Bank Remap Availability Histogram/None": Field("gpu-remap-banks-exhausted", count),
    "Temperature/GPU Current Temp": Field("gpu-temperature", measure),
    "Temperature/Gpu": Field("gpu-temperature", measure),
    "Temperature/GPU T.Limit Temp": Field("gpu-temperature-margin", measure),
    "Temperature/GPU Slowdown Temp": Field("gpu-temperature-slowdown", measure),
    "Temperature/GPU Shutdown Temp": Field("gpu-temperature-shutdown", measure),
    "Temperature/Memory Current Temp": Field("gpu-memory-temperature", measure),
    "Clocks/SM": Field("gpu-clock-sm", measure),
    "Clocks/Memory": Field("gpu-clock-memory", measure),
    "Max Clocks/SM": Field("gpu-clock-sm-max", measure),
    "Max Clocks/Memory": Field("gpu-clock-memory-max", measure),
    "Applications Clocks/Graphics": Field("gpu-clock-application", measure),
    "Fabric/State": Field("gpu-fabric-state", words),
    "Fabric/Status": Field("gpu-fabric-status", words),
    "Fabric/CliqueId": Field("gpu-fabric-clique", words),
    "Fabric/Clique Id": Field("gpu-fabric-clique", words),
    "Fabric/ClusterUUID": Field("gpu-fabric-cluster", identifier),
    "Fabric/Cluster UUID": Field("gpu-fabric-cluster", identifier),
    "Health/Summary": Field("gpu-fabric-health", words),
    "Health/Bandwidth": Field("gpu-fabric-bandwidth", words),
    **{
        f"{block}/{label}": Field(name, activity)
        for block in ("Clocks Throttle Reasons", "Clocks Event Reasons")
        for label, name in _REASONS.items()
    },
    **{f"Clocks Event Reasons Counters/{label}": Field(name, count) for label, name in _TIMES.items()},
    **{
        f"{block}/{label}": Field(f"gpu-ecc-{block.lower()}-{name}", count)
        for block in ("Volatile", "Aggregate")
        for label, name in _ECC.items()
    },
    **{
        f"{block}/{label}": Field(name, measure)
        for block in ("Power Readings", "GPU Power Readings")
        for label, name in _POWER.items()
    },
}
"""Fields of a GPU."""

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
