"""What the properties of ``nvidia-smi --query-gpu`` and its sisters say, by name without unit.

Source: ``nvidia-smi --help-query-gpu`` of drivers 450 to 595. Properties have older and shorter names.
"""

from __future__ import annotations

from slowlink.parsers.gpu.nvidia_smi.values import (
    Field,
    activity,
    address,
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

_REASONS = {
    "gpu_idle": "gpu-clocks-idle",
    "applications_clocks_setting": "gpu-clocks-application-setting",
    "sw_power_cap": "gpu-clocks-power-cap",
    "hw_slowdown": "gpu-clocks-hw-slowdown",
    "hw_thermal_slowdown": "gpu-clocks-hw-thermal",
    "hw_power_brake_slowdown": "gpu-clocks-power-brake",
    "sync_boost": "gpu-clocks-sync-boost",
    "sw_thermal_slowdown": "gpu-clocks-sw-thermal",
}
_TIMES = {
    "sw_power_cap": "gpu-time-power-cap",
    "sync_boost": "gpu-time-sync-boost",
    "sw_thermal_slowdown": "gpu-time-sw-thermal",
    "hw_thermal_slowdown": "gpu-time-hw-thermal",
    "hw_power_brake_slowdown": "gpu-time-power-brake",
}
_ECC = {
    "total": "",
    "device_memory": "-dram",
    "dram": "-dram",
    "sram": "-sram",
}

PROPERTIES = {
    "driver_version": Field("driver-version", words),
    "count": Field("gpu-count", count),
    "name": Field("gpu-name", words),
    "gpu_name": Field("gpu-name", words),
    "uuid": Field("gpu-uuid", identifier),
    "gpu_uuid": Field("gpu-uuid", identifier),
    "pci.bus_id": Field("gpu-bus-id", address),
    "gpu_bus_id": Field("gpu-bus-id", address),
    "vbios_version": Field("gpu-vbios", words),
    "persistence_mode": Field("gpu-persistence", switch),
    "addressing_mode": Field("gpu-addressing-mode", words),
    "gpu_recovery_action": Field("gpu-recovery-action", wanted_action),
    "pstate": Field("gpu-pstate", words),
    "compute_mode": Field("gpu-compute-mode", words),
    "mig.mode.current": Field("gpu-mig", switch),
    "pcie.link.gen.current": Field("pcie-speed", transfers),
    "pcie.link.gen.gpucurrent": Field("pcie-speed", transfers),
    "pcie.link.gen.max": Field("pcie-speed-max", transfers),
    "pcie.link.gen.gpumax": Field("pcie-speed-device", transfers),
    "pcie.link.gen.hostmax": Field("pcie-speed-host", transfers),
    "pcie.link.width.current": Field("pcie-width", lanes),
    "pcie.link.width.max": Field("pcie-width-max", lanes),
    "memory.total": Field("gpu-memory-total", size),
    "memory.used": Field("gpu-memory-used", size),
    "utilization.gpu": Field("gpu-utilisation", measure),
    "utilization.memory": Field("gpu-memory-utilisation", measure),
    "ecc.mode.current": Field("gpu-ecc", switch),
    "ecc.mode.pending": Field("gpu-ecc-pending", switch),
    "ecc.errors.uncorrected.volatile.sram.parity": Field("gpu-ecc-volatile-sram-parity", count),
    "ecc.errors.uncorrected.volatile.sram.secded": Field("gpu-ecc-volatile-sram-secded", count),
    "ecc.errors.uncorrected.aggregate.sram.parity": Field("gpu-ecc-aggregate-sram-parity", count),
    "ecc.errors.uncorrected.aggregate.sram.secded": Field("gpu-ecc-aggregate-sram-secded", count),
    "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded": Field("gpu-sram-threshold-exceeded", answer),
    "retired_pages.single_bit_ecc.count": Field("gpu-retired-pages-single-bit", count),
    "retired_pages.sbe": Field("gpu-retired-pages-single-bit", count),
    "retired_pages.double_bit.count": Field("gpu-retired-pages-double-bit", count),
    "retired_pages.dbe": Field("gpu-retired-pages-double-bit", count),
    "retired_pages.pending": Field("gpu-retirement-pending", answer),
    "remapped_rows.correctable": Field("gpu-rows-remapped-correctable", count),
    "remapped_rows.uncorrectable": Field("gpu-rows-remapped-uncorrectable", count),
    "remapped_rows.pending": Field("gpu-remap-pending", answer),
    "remapped_rows.failure": Field("gpu-remap-failed", answer),
    "remapped_rows.histogram.none": Field("gpu-remap-banks-exhausted", count),
    "temperature.gpu": Field("gpu-temperature", measure),
    "temperature.gpu.tlimit": Field("gpu-temperature-margin", measure),
    "temperature.memory": Field("gpu-memory-temperature", measure),
    "power.draw": Field("gpu-power", measure),
    "power.draw.average": Field("gpu-power-average", measure),
    "power.limit": Field("gpu-power-limit", measure),
    "enforced.power.limit": Field("gpu-power-limit", measure),
    "power.default_limit": Field("gpu-power-limit-default", measure),
    "power.max_limit": Field("gpu-power-limit-max", measure),
    "clocks.current.sm": Field("gpu-clock-sm", measure),
    "clocks.sm": Field("gpu-clock-sm", measure),
    "clocks.current.memory": Field("gpu-clock-memory", measure),
    "clocks.mem": Field("gpu-clock-memory", measure),
    "clocks.max.sm": Field("gpu-clock-sm-max", measure),
    "clocks.max.memory": Field("gpu-clock-memory-max", measure),
    "clocks.applications.graphics": Field("gpu-clock-application", measure),
    "fabric.state": Field("gpu-fabric-state", words),
    "fabric.status": Field("gpu-fabric-status", words),
    "fabric.cliqueId": Field("gpu-fabric-clique", words),
    "fabric.clusterUuid": Field("gpu-fabric-cluster", identifier),
    "fabric.health.summary": Field("gpu-fabric-health", words),
    "fabric.health.bandwidth": Field("gpu-fabric-bandwidth", words),
    **{
        f"clocks_{word}_reasons.{label}": Field(name, activity)
        for word in ("throttle", "event")
        for label, name in _REASONS.items()
    },
    **{f"clocks_event_reasons_counters.{label}": Field(name, count) for label, name in _TIMES.items()},
    **{
        f"ecc.errors.{printed}.{block}.{place}": Field(f"gpu-ecc-{block}{name}-{kind}", count)
        for printed, kind in (("corrected", "correctable"), ("uncorrected", "uncorrectable"))
        for block in ("volatile", "aggregate")
        for place, name in _ECC.items()
    },
}
"""Properties of a GPU and of its node."""

REMAPPED = {
    "remapped_rows.correctable": PROPERTIES["remapped_rows.correctable"],
    "remapped_rows.uncorrectable": PROPERTIES["remapped_rows.uncorrectable"],
    "remapped_rows.pending": PROPERTIES["remapped_rows.pending"],
    "remapped_rows.failure": PROPERTIES["remapped_rows.failure"],
}

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
