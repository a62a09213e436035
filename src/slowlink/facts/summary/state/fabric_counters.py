"""Plain values of the counters of fabric ports: how many ports have each, and the numbers where ports are few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from slowlink.catalog.attributes import all_attributes
from slowlink.facts.fabric import PORT, node_of
from slowlink.facts.stretches import where
from slowlink.model.facts import State

_FEW = 16
"""Ports of which every counter is shown."""
_SATURATED = 0xFFFF
"""Where the counter of symbol errors stays when it is not extended (InfiniBand, PortCounters)."""
_MOST_NAMES = 100


def summarise(state: State) -> dict[str, object]:
    """``fabric_counters`` and ``fabric_ports_with``; nothing where no counter of a fabric port was read."""
    by_counter: dict[str, dict[str, int]] = {}
    for name, readings in state.readings.items():
        if all_attributes()[name].kind != "counter":
            continue
        for reading in where(readings.all, lambda part, value: part.kind == PORT and isinstance(value, int)):
            by_counter.setdefault(name, {})[reading.part.name] = cast(int, reading.value)
    if not by_counter:
        return {}
    ports = list(dict.fromkeys(port for counts in by_counter.values() for port in counts))
    values: dict[str, object] = {
        "fabric_ports_counted": len(ports),
        "fabric_ports_with": {name: sum(map(bool, counts.values())) for name, counts in by_counter.items()},
        "fabric_counters_max": {name: max(counts.values()) for name, counts in by_counter.items()},
        "fabric_counters_max_hex": {name: hex(max(counts.values())) for name, counts in by_counter.items()},
    }
    saturated = [port for port, count in by_counter.get("port-symbol-errors", {}).items() if count == _SATURATED]
    if saturated:
        values["fabric_ports_saturated"] = saturated[:_MOST_NAMES]
        values["fabric_nodes_saturated"] = [node_of(port).replace(" ", "/") for port in saturated[:_MOST_NAMES]]
    if len(ports) <= _FEW:
        values["fabric_counted_ports"] = ports
        values["fabric_counted_lids"] = [node_of(port).removeprefix("lid ") for port in ports]
        values["fabric_counted_numbers"] = [port.rsplit("/", 1)[-1] for port in ports]
        values["fabric_counters"] = {name: _by_port(counts) for name, counts in by_counter.items()}
    return values


def _by_port(counts: Mapping[str, int]) -> object:
    """One number for one port; else by port."""
    return next(iter(counts.values())) if len(counts) == 1 else dict(counts)
