"""Readings of all sources joined into the state of nodes: each gets its node, its time and its part's one name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import cast

from msgspec.structs import replace

from slowlink.facts.fabric_names import with_fabric_names
from slowlink.facts.held_readings import Held, OneByOne
from slowlink.facts.placing.held import of_attributes, one_by_one, renamed
from slowlink.facts.placing.nodes_apart import nodes_apart
from slowlink.facts.placing.one_node import on_one_node
from slowlink.facts.placing.places import Places
from slowlink.facts.stretches import Told
from slowlink.model.blocks import Block
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
        readings={name: _of_attribute(name, readings) for name, readings in by_attribute.items()},
        nodes=tuple(nodes),
        unnamed=frozenset(each for each in nodes if places.unnamed & {each, each.rpartition("#")[0]}),
        collected=tuple(asked),
    )


def _named(records: Records, places: Places) -> tuple[dict[str, Told], dict[str, None]]:
    """Attribute -> its readings, each of its node and with its part's one name; and these nodes, in order."""
    placed = [*places.placed(records.readings)]
    if places.unnamed:
        placed = _of_one_node([*one_by_one(placed)], records, places)
    named = with_fabric_names(_with_one_name(nodes_apart(placed)))
    by_attribute: dict[str, list[Held]] = {}
    hosts: dict[str | None, None] = {}
    for is_block, some in groupby(named, lambda each: type(each) is Block):
        if is_block:
            for block in cast(Iterable[Block], some):
                hosts[block.host] = None
                for piece in block.pieces():
                    by_attribute.setdefault(piece.column.attribute, []).append(piece)
        else:
            single: dict[str, list[Reading]] = {}
            for reading in cast(Iterable[Reading], some):
                hosts[reading.host] = None
                single.setdefault(reading.attribute, []).append(reading)
            for name, readings in single.items():
                by_attribute.setdefault(name, []).append(OneByOne(readings))
    told = {name: Told(pieces=pieces) for name, pieces in by_attribute.items()}
    return told, {host: None for host in hosts if host is not None}


def _of_attribute(name: str, readings: Told) -> Readings:
    return Readings(readings, {name: readings})


def _of_one_node(placed: list[Reading], records: Records, places: Places) -> list[Reading | Block]:
    """With the readings of files that name no node on that of the files beside them."""
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
    return [replace(r, host=nodes[r.host]) if r.host in nodes else r for r in placed]


def _with_one_name(held: Sequence[Reading | Block]) -> Sequence[Reading | Block]:
    """GPUs and HCAs that a tool names by PCI address or UUID get the name that another tool of the node gives them."""
    names = {
        (r.host, r.part.kind, r.value): r.part.name
        for r in of_attributes(held, ("gpu-bus-id", "gpu-uuid", "hca-bus-id"))
        if r.part.name != r.value
    }
    kinds = {kind for _, kind, _ in names}

    def other(part: Part, host: str | None) -> Part | None:
        known = names.get((host, part.kind, part.name)) if part.kind in kinds else None
        return None if known is None else Part(part.kind, known)

    return renamed(held, other)
