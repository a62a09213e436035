"""Readings of all sources joined into the state of nodes: each gets its node, its time and its part's one name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from slowlink.facts.fabric_names import with_fabric_names
from slowlink.facts.placing.nodes_apart import nodes_apart
from slowlink.facts.placing.one_node import on_one_node
from slowlink.facts.placing.places import Places
from slowlink.facts.stretches import Told
from slowlink.model.facts import Readings, State
from slowlink.model.records import Records
from slowlink.model.state import Part, Reading


def state(records: Records, places: Places | None = None) -> State | None:
    """None when no state was read or asked for. ``places``: of these records."""
    if not records.readings and not records.collected:
        return None
    places = places or Places(records)
    by_attribute, hosts = _named(records, places)
    asked = [places.place_collected(each) for each in records.collected]
    nodes = dict.fromkeys(name for each in asked for name in places.nodes_in(each.host))
    nodes.update(hosts)
    return State(
        readings={name: _of_attribute(name, by_attribute.pop(name)) for name in list(by_attribute)},
        nodes=tuple(nodes),
        unnamed=frozenset(each for each in nodes if places.unnamed & {each, each.rpartition("#")[0]}),
        collected=tuple(asked),
    )


def _named(records: Records, places: Places) -> tuple[dict[str, list[Reading]], dict[str, None]]:
    """Attribute -> its readings, each of its node and with its part's one name; and these nodes, in order."""
    placed = _of_one_node(places.placed(records.readings), records, places)
    named = with_fabric_names(list(_with_one_name(nodes_apart(placed))))
    by_attribute: dict[str, list[Reading]] = {}
    for reading in named:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    return by_attribute, dict.fromkeys(host for each in named if (host := each.host) is not None)


def _of_attribute(name: str, found: Sequence[Reading]) -> Readings:
    readings = Told(found)
    return Readings(readings, {name: readings})


def _of_one_node(placed: list[Reading], records: Records, places: Places) -> list[Reading]:
    """With the readings of files that name no node on that of the files beside them."""
    if not places.unnamed:
        return placed
    pairs = [
        *((reading.ref.source, reading.host) for reading in placed if reading.host not in places.unnamed),
        *((event.ref.source, event.host) for event in records.events),
        *((log.source, process.host) for log in records.logs for process in log.processes),
        *((run.source, device.host) for run in records.runs for device in run.devices),
    ]
    named: dict[str, set[str]] = {}
    for source, host in pairs:
        if host is not None:
            named.setdefault(source, set()).add(host)
    nodes = on_one_node(placed, places.unnamed, named)
    return [replace(r, host=nodes[r.host]) if r.host in nodes else r for r in placed] if nodes else placed


def _with_one_name(readings: Sequence[Reading]) -> Iterable[Reading]:
    """GPUs and HCAs that a tool names by PCI address or UUID get the name that another tool of the node gives them."""
    names = {
        (r.host, r.part.kind, r.value): r.part.name
        for r in readings
        if r.attribute in ("gpu-bus-id", "gpu-uuid", "hca-bus-id") and r.part.name != r.value
    }
    kinds = {kind for _, kind, _ in names}
    for reading in readings:
        part = reading.part
        known = names.get((reading.host, part.kind, part.name)) if part.kind in kinds else None
        yield reading if known is None else replace(reading, part=Part(part.kind, known))
