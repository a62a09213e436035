"""GPUs of all nodes, as NVIDIA's tools tell: models, versions, errors, links, processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from slowlink.facts.readings import by_part, growth, latest, latest_of
from slowlink.facts.stretches import Kind, Shape, Told, distinct, joined, number_of, of_each_node, told, where
from slowlink.model.facts import State
from slowlink.model.state import Reading, Value

_VALUES = {
    "gpu_count": "gpu-count",
    "gpu_names": "gpu-name",
    "gpu_bus_ids": "gpu-bus-id",
    "driver_versions": "driver-version",
    "cuda_versions": "cuda-version",
    "nvml_versions": "nvml-version",
    "gpu_last_xids": "gpu-last-xid",
    "gpu_memory_temperature_c": "gpu-memory-temperature",
    "gpu_temperature_margin_c": "gpu-temperature-margin",
    "gpu_clock_sm_max_mhz": "gpu-clock-sm-max",
    "gpu_memory_utilisation_percent": "gpu-memory-utilisation",
    "gpu_power_limit_max_w": "gpu-power-limit-max",
    "gpu_ecc_volatile_correctable": "gpu-ecc-volatile-correctable",
    "xgmi_errors": "xgmi-errors",
    "xgmi_lane_rate_gbits": "xgmi-lane-rate",
    "xgmi_link_rate_gbits": "xgmi-link-rate",
    "gpu_persistence": "gpu-persistence",
    "gpu_mig": "gpu-mig",
    "gpu_ecc": "gpu-ecc",
    "gpu_performance_states": "gpu-pstate",
    "gpu_recovery_actions": "gpu-recovery-action",
    "gpu_vbios": "gpu-vbios",
    "gpu_gsp_firmware": "gpu-gsp-firmware",
    "gpu_fabric_states": "gpu-fabric-state",
    "gpu_power_limit_w": "gpu-power-limit",
    "gpu_utilisation_percent": "gpu-utilisation",
    "gpu_temperature_c": "gpu-temperature",
    "gpu_power_w": "gpu-power",
    "gpu_clock_sm_mhz": "gpu-clock-sm",
    "gpu_clock_memory_mhz": "gpu-clock-memory",
    "gpu_compute_modes": "gpu-compute-mode",
    "gpu_addressing_modes": "gpu-addressing-mode",
    "gpu_fabric_status": "gpu-fabric-status",
    "gpu_fabric_health": "gpu-fabric-health",
    "gpu_pcie_replays": "gpu-pcie-replays",
    "gpu_reset_required": "gpu-reset-required",
    "gpu_sram_threshold_exceeded": "gpu-sram-threshold-exceeded",
    "gpu_ecc_volatile_dram_uncorrectable": "gpu-ecc-volatile-dram-uncorrectable",
    "gpu_ecc_volatile_sram_uncorrectable": "gpu-ecc-volatile-sram-uncorrectable",
    "gpu_ecc_sram_uncorrectable": "gpu-ecc-aggregate-sram-uncorrectable",
    "gpu_ecc_sram_correctable": "gpu-ecc-aggregate-sram-correctable",
    "gpu_ecc_aggregate_uncorrectable": "gpu-ecc-aggregate-uncorrectable",
    "gpu_ecc_aggregate_correctable": "gpu-ecc-aggregate-correctable",
    "gpu_remap_pending": "gpu-remap-pending",
    "gpu_remap_failed": "gpu-remap-failed",
    "gpu_retirement_pending": "gpu-retirement-pending",
    "gpu_retired_pages_double_bit": "gpu-retired-pages-double-bit",
    "gpu_retired_pages_single_bit": "gpu-retired-pages-single-bit",
    "gpu_rows_remapped_correctable": "gpu-rows-remapped-correctable",
    "gpu_rows_remapped_uncorrectable": "gpu-rows-remapped-uncorrectable",
    "gpu_ecc_dram_correctable": "gpu-ecc-aggregate-dram-correctable",
    "gpu_ecc_dram_uncorrectable": "gpu-ecc-aggregate-dram-uncorrectable",
    "gpu_ecc_volatile_uncorrectable": "gpu-ecc-volatile-uncorrectable",
    "nvlink_speed_gbs": "nvlink-speed",
    "nvlink_replay_errors": "nvlink-replay-errors",
    "nvlink_recovery_errors": "nvlink-recovery-errors",
    "nvlink_crc_errors": "nvlink-crc-errors",
}
"""Name in the report -> attribute; its distinct latest values."""
_PCIE = {"gpu_pcie_gts": "pcie-speed", "gpu_pcie_gts_max": "pcie-speed-max"}
_WIDTHS = {"gpu_pcie_width": "pcie-width", "gpu_pcie_width_max": "pcie-width-max"}
_MEMORY = {"gpu_memory_mib": "gpu-memory-total", "gpu_memory_used_mib": "gpu-memory-used"}
_REASONS = {
    "gpu-clocks-idle": "idle",
    "gpu-clocks-application-setting": "application clocks setting",
    "gpu-clocks-power-cap": "SW power cap",
    "gpu-clocks-hw-slowdown": "HW slowdown",
    "gpu-clocks-hw-thermal": "HW thermal slowdown",
    "gpu-clocks-power-brake": "HW power brake slowdown",
    "gpu-clocks-sync-boost": "sync boost",
    "gpu-clocks-sw-thermal": "SW thermal slowdown",
}
"""Why clocks are low, in nvidia-smi's words."""
_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}


_NAMED = ("gpu-name", "gpu-bus-id", "gpu-uuid")
_MEASURED = ("gpu-clock-sm", "gpu-power", "gpu-temperature", "gpu-utilisation", "gpu-memory-used")
"""A table that names no GPU has one of these for each."""


def summarise(state: State) -> dict[str, object]:
    """Distinct values, in order of appearance; an attribute that was not read is left out."""
    values: dict[str, object] = {}
    for name, attribute in _VALUES.items():
        found = _readings(state, attribute)
        if found:
            values[name] = _distinct(latest_of(found))
    gpus = where(_readings(state, *_NAMED), lambda part, _: part.kind == "gpu")
    gpus = gpus or where(_readings(state, *_MEASURED), lambda part, _: part.kind == "gpu")
    if gpus:
        values["gpus_shown"] = sum(number_of(gpus).values())
        values["gpu_indices"] = distinct(gpus, lambda part, _: part.name)
        values.setdefault("gpu_fabric_states", [])
    for name, attribute in _MEMORY.items():
        memory = latest_of(_readings(state, attribute))
        if memory:
            values[name] = distinct(memory, lambda _, value: int(value) >> 20)
    return {**values, **_reasons(state), **_pcie(state), **_links(state), **_processes(state)}


def _reasons(state: State) -> dict[str, object]:
    """Which reasons were active on any GPU, at any look."""
    read = [name for name in _REASONS if name in state.readings]
    active = [_REASONS[name] for name in read if where(state.readings[name].all, lambda _, value: value is True)]
    return {"gpu_clock_reasons": active} if read else {}


def _readings(state: State, *attributes: str) -> Told:
    found = [told(state.readings[name].all) for name in attributes if name in state.readings]
    return found[0] if len(found) == 1 else joined(found)  # as they are: what was found out of them is known


def _distinct(readings: Iterable[Reading]) -> list[Value]:
    return distinct(readings, lambda _, value: value)


def _pcie(state: State) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, attribute in {**_PCIE, **_WIDTHS}.items():
        found = where(_readings(state, attribute), lambda part, _: part.kind == "gpu")
        if found:
            values[name] = _distinct(latest_of(found))
            if name in _PCIE:
                known = [_GENERATIONS.get(float(v)) for v in _distinct(latest_of(found)) if isinstance(v, float)]
                values[name.replace("gts", "generation")] = known
    return values


def _links(state: State) -> dict[str, object]:
    """Links of each GPU, and the traffic of each link in KiB at the first and at the last look."""
    values: dict[str, object] = {}
    links = _readings(state, "nvlink-active", "nvlink-replay-errors", "nvlink-crc-errors", "nvlink-tx-bytes")
    if links:
        values["nvlinks_per_gpu"] = _numbers_of_links(links)
        values["nvlink_numbers"] = distinct(links, lambda part, _: part.number)
    down = [r.part.name for r in where(latest_of(_readings(state, "nvlink-active")), lambda _, value: value is False)]
    if down:
        values["nvlinks_inactive"] = down
        values["nvlinks_inactive_count"] = len(down)
    for name in ("tx", "rx"):
        series = by_part(_readings(state, f"nvlink-{name}-bytes"))
        if series:
            values[f"nvlink_{name}_kib_first"] = {
                _link(part.name): _kib(found[0]) for (_, part), found in series.items()
            }
            values[f"nvlink_{name}_kib_last"] = {
                _link(part.name): _kib(found[-1]) for (_, part), found in series.items()
            }
    grown = [g for name in ("replay", "recovery", "crc") for g in growth(_readings(state, f"nvlink-{name}-errors"))]
    if any(g.by for g in grown):
        values["nvlink_errors_grown"] = {g.last.part.name: g.by for g in grown if g.by}
    return values


def _numbers_of_links(links: Told) -> list[int]:
    """How many links GPUs have, each number once, in order of the first GPU that has so many."""
    table = of_each_node(links, _links_by_gpu)
    return list(dict.fromkeys(table[s.host][gpu] for s in links.stretches for gpu in s.shape.ask(_gpus)))


def _gpus(shape: Shape) -> Iterable[str]:
    return dict.fromkeys(part.name.partition("/")[0] for part in shape.parts)


def _links_by_gpu(kind: Kind) -> Mapping[str, int]:
    names = {part.name.partition("/") for shape in kind for part in shape.parts}
    return Counter(gpu for gpu, _, _ in names)


def _link(name: str) -> str:
    return name.replace("/", " link ")


def _kib(reading: Reading) -> int:
    return int(reading.value) >> 10


def _processes(state: State) -> dict[str, object]:
    """Names of processes on GPUs by pid, and how many there were."""
    names = latest(_readings(state, "process-name"))
    found = {part.name: str(reading.value) for (_, part), reading in names.items()}
    on_gpus = {(r.host, r.part.name) for r in _readings(state, "process-gpu")}
    values: dict[str, object] = {"gpu_processes": found} if found else {}
    if found:
        values["gpu_process_names"] = list(dict.fromkeys(found.values()))
    if on_gpus:
        values["gpu_process_count"] = len(on_gpus)
    return values
