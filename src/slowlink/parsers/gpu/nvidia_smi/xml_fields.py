"""What the elements of ``nvidia-smi -q -x`` say, by the names of the last elements: ``clocks/sm_clock``.

Source: nvidia-smi's document types nvsmi_device_v10 to v13 (drivers 418 to 595).
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
    "driver_version": Field("driver-version", words),
    "cuda_version": Field("cuda-version", words),
    "attached_gpus": Field("gpu-count", count),
}

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
    "sw_therm_slowdown": "gpu-time-sw-thermal",
    "hw_therm_slowdown": "gpu-time-hw-thermal",
    "hw_power_brake": "gpu-time-power-brake",
}
_ECC = {
    "sram_correctable": "sram-correctable",
    "sram_uncorrectable": "sram-uncorrectable",
    "sram_uncorrectable_parity": "sram-parity",
    "sram_uncorrectable_secded": "sram-secded",
    "dram_correctable": "dram-correctable",
    "dram_uncorrectable": "dram-uncorrectable",
    "single_bit/total": "correctable",
    "double_bit/total": "uncorrectable",
    "single_bit/device_memory": "dram-correctable",
    "double_bit/device_memory": "dram-uncorrectable",
}
_POWER = {
    "power_draw": "gpu-power",
    "instant_power_draw": "gpu-power",
    "average_power_draw": "gpu-power-average",
    "power_limit": "gpu-power-limit",
    "current_power_limit": "gpu-power-limit",
    "default_power_limit": "gpu-power-limit-default",
    "max_power_limit": "gpu-power-limit-max",
}

FIELDS = {
    "product_name": Field("gpu-name", words),
    "uuid": Field("gpu-uuid", identifier),
    "persistence_mode": Field("gpu-persistence", switch),
    "addressing_mode": Field("gpu-addressing-mode", words),
    "vbios_version": Field("gpu-vbios", words),
    "gsp_firmware_version": Field("gpu-gsp-firmware", words),
    "gpu_recovery_action": Field("gpu-recovery-action", wanted_action),
    "performance_state": Field("gpu-pstate", words),
    "compute_mode": Field("gpu-compute-mode", words),
    "mig_mode/current_mig": Field("gpu-mig", switch),
    "gpu_reset_status/reset_required": Field("gpu-reset-required", answer),
    "gpu_reset_status/drain_and_reset_recommended": Field("gpu-drain-recommended", answer),
    "pci/replay_counter": Field("gpu-pcie-replays", count),
    "pcie_gen/current_link_gen": Field("pcie-speed", transfers),
    "pcie_gen/max_link_gen": Field("pcie-speed-max", transfers),
    "pcie_gen/max_device_link_gen": Field("pcie-speed-device", transfers),
    "pcie_gen/max_host_link_gen": Field("pcie-speed-host", transfers),
    "link_widths/current_link_width": Field("pcie-width", lanes),
    "link_widths/max_link_width": Field("pcie-width-max", lanes),
    "fb_memory_usage/total": Field("gpu-memory-total", size),
    "fb_memory_usage/used": Field("gpu-memory-used", size),
    "bar1_memory_usage/total": Field("gpu-bar1-total", size),
    "bar1_memory_usage/used": Field("gpu-bar1-used", size),
    "utilization/gpu_util": Field("gpu-utilisation", measure),
    "utilization/memory_util": Field("gpu-memory-utilisation", measure),
    "ecc_mode/current_ecc": Field("gpu-ecc", switch),
    "ecc_mode/pending_ecc": Field("gpu-ecc-pending", switch),
    "aggregate/sram_threshold_exceeded": Field("gpu-sram-threshold-exceeded", answer),
    "ecc_errors/channel_repair_pending": Field("gpu-channel-repair-pending", answer),
    "ecc_errors/tpc_repair_pending": Field("gpu-tpc-repair-pending", answer),
    "ecc_errors/unrepairable_memory": Field("gpu-unrepairable-memory", answer),
    "multiple_single_bit_retirement/retired_count": Field("gpu-retired-pages-single-bit", count),
    "double_bit_retirement/retired_count": Field("gpu-retired-pages-double-bit", count),
    "retired_pages/pending_retirement": Field("gpu-retirement-pending", answer),
    "retired_pages/pending_blacklist": Field("gpu-retirement-pending", answer),
    "remapped_rows/remapped_row_corr": Field("gpu-rows-remapped-correctable", count),
    "remapped_rows/remapped_row_unc": Field("gpu-rows-remapped-uncorrectable", count),
    "remapped_rows/remapped_row_pending": Field("gpu-remap-pending", answer),
    "remapped_rows/remapped_row_failure": Field("gpu-remap-failed", answer),
    "row_remapper_histogram/row_remapper_histogram_none": Field("gpu-remap-banks-exhausted", count),
    "temperature/gpu_temp": Field("gpu-temperature", measure),
    "temperature/gpu_temp_tlimit": Field("gpu-temperature-margin", measure),
    "temperature/gpu_temp_slow_threshold": Field("gpu-temperature-slowdown", measure),
    "temperature/gpu_temp_max_threshold": Field("gpu-temperature-shutdown", measure),
    "temperature/memory_temp": Field("gpu-memory-temperature", measure),
    "clocks/sm_clock": Field("gpu-clock-sm", measure),
    "clocks/mem_clock": Field("gpu-clock-memory", measure),
    "max_clocks/sm_clock": Field("gpu-clock-sm-max", measure),
    "max_clocks/mem_clock": Field("gpu-clock-memory-max", measure),
    "applications_clocks/graphics_clock": Field("gpu-clock-application", measure),
    "fabric/state": Field("gpu-fabric-state", words),
    "fabric/status": Field("gpu-fabric-status", words),
    "fabric/cliqueId": Field("gpu-fabric-clique", words),
    "fabric/clusterUuid": Field("gpu-fabric-cluster", identifier),
    "health/summary": Field("gpu-fabric-health", words),
    "health/bandwidth": Field("gpu-fabric-bandwidth", words),
    **{
        f"clocks_{word}_reasons/clocks_{word}_reason_{label}": Field(name, activity)
        for word in ("throttle", "event")
        for label, name in _REASONS.items()
    },
    **{
        f"clocks_event_reasons_counters/clocks_event_reasons_counters_{label}": Field(name, count)
        for label, name in _TIMES.items()
    },
    **{
        f"{block}/{label}": Field(f"gpu-ecc-{block}-{name}", count)
        for block in ("volatile", "aggregate")
        for label, name in _ECC.items()
    },
    **{
        f"{block}/{label}": Field(name, measure)
        for block in ("power_readings", "gpu_power_readings")
        for label, name in _POWER.items()
    },
}
"""Elements of a GPU."""
