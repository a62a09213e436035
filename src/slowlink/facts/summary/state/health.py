"""Plain values of health checks.

``health_tests``: ``{name: pass}``, the worst over all nodes; ``health_results``: distinct ones as printed;
``health_test_count health_failed_count health_warned_count health_counts_by_tool``; ``health_failed health_warned``:
names; ``health_values``: ``{name: number measured}``; ``health_parts``: ``{name: devices covered}``;
``health_warnings``: ``{topic: devices with a warning}``; ``health_categories``; ``dcgm_version eud_version
gpu_device_ids dcgm_gpus dcgm_groups``.
"""

from __future__ import annotations

import re
from collections import Counter

from slowlink.facts.readings import latest_in
from slowlink.facts.stretches import Told, counts, distinct, joined, number_of
from slowlink.model.facts import State
from slowlink.model.state import Reading

_RANKS = {result: rank for rank, result in enumerate(("fail", "unknown", "warn", "pass", "skip", "not run"))}


def summarise(state: State) -> dict[str, object]:
    """Values of all nodes together, for what was collected."""
    return {**_tests(state), **_versions(state), **_groups(state), **_exporter(state), **_errors(state)}


def _tests(state: State) -> dict[str, object]:
    worst: dict[str, str] = {}
    for reading in latest_in(state, "health-test"):
        name, value = _short(reading), str(reading.value)
        if value in _RANKS and (name not in worst or _RANKS[value] < _RANKS[worst[name]]):
            worst[name] = value
    values: dict[str, object] = {}
    if worst:
        values = {
            "health_tests": worst,
            "health_results": _results(state),
            "health_counts_by_tool": _by_tool(state),
            "health_test_count": len(worst),
            "health_failed": [name for name, value in worst.items() if value == "fail"],
            "health_warned": [name for name, value in worst.items() if value == "warn"],
            "health_failed_count": list(worst.values()).count("fail"),
            "health_warned_count": list(worst.values()).count("warn"),
        }
    for key, attribute in (("health_values", "health-test-value"), ("health_parts", "health-test-parts")):
        found = latest_in(state, attribute)
        if found:
            values[key] = {_short(reading): reading.value for reading in found}
    warnings = latest_in(state, "health-test-warnings")
    if warnings:
        values["health_warnings"] = {_topic(_short(reading)): reading.value for reading in warnings}
    categories = latest_in(state, "health-test-category")
    if categories:
        values["health_categories"] = list(dict.fromkeys(str(reading.value) for reading in categories))
    return values


def _results(state: State) -> list[str]:
    """Distinct results as printed: ``pass``, ``pass - All``."""
    devices = {(r.host, r.part): str(r.value) for r in latest_in(state, "health-test-devices")}
    found = ((str(r.value), devices.get((r.host, r.part))) for r in latest_in(state, "health-test"))
    return list(dict.fromkeys(f"{result} - {whom}" if whom else result for result, whom in found))


def _by_tool(state: State) -> dict[str, int]:
    tests = {reading.part.name for reading in latest_in(state, "health-test")}
    return dict(Counter(name.partition("/")[0] for name in sorted(tests)))


def _short(reading: Reading) -> str:
    return reading.part.name.partition("/")[2] or reading.part.name


def _topic(name: str) -> str:
    """``gpu_temperature_check``: temperature."""
    return re.sub(r"^(?:check_|gpu_)+|_(?:check|test)$", "", name)


def _versions(state: State) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, attribute in (
        ("dcgm_version", "dcgm-version"),
        ("eud_version", "eud-version"),
        ("gpu_device_ids", "gpu-device-id"),
    ):
        found = latest_in(state, attribute)
        if found:
            values[key] = list(dict.fromkeys(str(reading.value) for reading in found))
            if attribute == "gpu-device-id":
                values["dcgm_gpus"] = len({reading.part for reading in found})
    return values


def _groups(state: State) -> dict[str, object]:
    names = {reading.part: str(reading.value) for reading in latest_in(state, "dcgm-group-name")}
    if not names:
        return {}
    members = {reading.part: str(reading.value) for reading in latest_in(state, "dcgm-group-members")}
    supported = [part for part, name in names.items() if name.startswith("DCGM_ALL_SUPPORTED")]
    switches = [part for part in supported if names[part].endswith("NVSWITCHES")]
    values: dict[str, object] = {"dcgm_groups": names and {p.name: n for p, n in names.items()}}
    values["dcgm_default_groups"] = len(supported)
    if switches:
        listed = [members[part] for part in switches if part in members]
        values["dcgm_nvswitches"] = [entry.strip() for text in listed for entry in text.split(",")]
    return values


def _exporter(state: State) -> dict[str, object]:
    values: dict[str, object] = {}
    for key in ("exporter-metrics", "exporter-values", "exporter-first-metric"):
        found = latest_in(state, key)
        if found:
            values[key.replace("-", "_")] = found[0].value
    return values


def _errors(state: State) -> dict[str, object]:
    """NVLink errors as dcgmi counts them: sums over all links, and the links seen."""
    values: dict[str, object] = {}
    counted: list[Told] = []
    for key, attribute in (
        ("crc_data_errors", "nvlink-crc-data-errors"),
        ("crc_flit_errors", "nvlink-crc-flit-errors"),
        ("replay_errors", "nvlink-replay-errors"),
        ("recovery_errors", "nvlink-recovery-errors"),
    ):
        found = latest_in(state, attribute)
        counted.append(found)
        if found:
            values[key] = sum(count * times for count, times in counts(found, lambda _, value: int(value)).items())
    if links := joined(counted):
        values["nvlinks_counted"] = sum(number_of(links, lambda part: part.name).values())
        gpus = distinct(links, lambda part, _: part.name.partition("/")[0])
        values["nvlink_gpus"] = sorted({int(gpu) for gpu in gpus if gpu[:1].isdecimal()})
    return values
