"""amd-smi's keys that are attributes, by their path: the same in its text (upper case) and in its JSON.

Source: ``amdsmi_cli/amdsmi_commands.py`` of amd-smi 23.4 to 26.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import bus_id, number, says_something, whole

Convert = Callable[[str], Value | None]
_UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def _words(text: str) -> str | None:
    return text.strip()[:120]


def _size(text: str) -> int | None:
    """``196592 MB``: amd-smi's MB is 2^20."""
    found = re.fullmatch(r"(\d{1,15}) ?([KMG]?B)?", text.strip())
    return int(found[1]) * _UNITS[found[2] or "MB"] if found else None


def _count(text: str) -> int | None:
    return whole(text.split(" ", 1)[0])


FIELDS: dict[tuple[str, ...], tuple[str, Convert]] = {
    ("bdf",): ("gpu-bus-id", bus_id),
    ("bus", "bdf"): ("gpu-bus-id", bus_id),
    ("uuid",): ("gpu-uuid", _words),
    ("asic", "market_name"): ("gpu-name", _words),
    ("driver", "version"): ("driver-version", _words),
    ("driver", "driver_version"): ("driver-version", _words),
    ("vbios", "version"): ("gpu-vbios", _words),
    ("ifwi", "version"): ("gpu-vbios", _words),
    ("bus", "max_pcie_width"): ("pcie-width-max", whole),
    ("bus", "max_pcie_speed"): ("pcie-speed-max", number),
    ("pcie", "width"): ("pcie-width", whole),
    ("pcie", "speed"): ("pcie-speed", number),
    ("pcie", "replay_count"): ("gpu-pcie-replays", _count),
    ("vram", "size"): ("gpu-memory-total", _size),
    ("mem_usage", "total_vram"): ("gpu-memory-total", _size),
    ("mem_usage", "used_vram"): ("gpu-memory-used", _size),
    ("usage", "gfx_activity"): ("gpu-utilisation", number),
    ("usage", "umc_activity"): ("gpu-memory-utilisation", number),
    ("power", "socket_power"): ("gpu-power", number),
    ("power", "throttle_status"): ("gpu-throttle-status", _words),
    ("limit", "socket_power"): ("gpu-power-limit", number),
    ("limit", "power_cap"): ("gpu-power-limit", number),
    ("limit", "max_power"): ("gpu-power-limit-max", number),
    ("temperature", "hotspot"): ("gpu-temperature", number),
    ("temperature", "mem"): ("gpu-memory-temperature", number),
    ("clock", "gfx_0", "clk"): ("gpu-clock-sm", number),
    ("clock", "mem_0", "clk"): ("gpu-clock-memory", number),
    ("ecc", "total_correctable_count"): ("gpu-ecc-volatile-correctable", _count),
    ("ecc", "total_uncorrectable_count"): ("gpu-ecc-volatile-uncorrectable", _count),
    ("numa", "node"): ("gpu-numa-node", whole),
    ("partition", "compute_partition"): ("gpu-partition", _words),
    ("partition", "accelerator_partition"): ("gpu-partition", _words),
    ("perf_level",): ("gpu-performance-level", _words),
    ("xgmi_err",): ("xgmi-errors", _count),
}


def field_of(path: tuple[str, ...], text: str) -> tuple[str, Value] | None:
    """Attribute and value at ``path`` below a GPU; None for another key or a value that says nothing."""
    entry = FIELDS.get(path)
    if entry is None or not says_something(text):
        return None
    value = entry[1](text)
    return None if value is None else (entry[0], value)
