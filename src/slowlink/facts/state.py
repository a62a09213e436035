"""Readings of all sources joined into the state of nodes: each gets its node, its time and its part's one name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from slowlink.errors import SlowlinkError
from slowlink.facts.fabric_names import with_fabric_names
from slowlink.model.facts import Readings, State
from slowlink.model.records import Records
from slowlink.model.state import Collected, Origin, Part, Reading
from slowlink.nodes import expand

_MOST_GATHERED = 20_000
"""Nodes of one gathered answer."""


def state(records: Records) -> State | None:
    """None when no state was read or asked for."""
    if not records.readings and not records.collected:
        return None
    places = _Places(records)
    placed = [each for reading in records.readings for each in places.place(reading)]
    named = list(with_fabric_names(list(_with_one_name(placed))))
    by_attribute: dict[str, list[Reading]] = {}
    for reading in named:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    asked = [places.place_collected(each) for each in records.collected]
    hosts = [*(name for each in asked for name in nodes_in(each.host)), *(each.host for each in named)]
    nodes = dict.fromkeys(host for host in hosts if host is not None)
    return State(
        readings={name: Readings(tuple(found)) for name, found in by_attribute.items()},
        nodes=tuple(nodes),
        unnamed=frozenset(nodes).intersection(places.unnamed),
        collected=tuple(asked),
    )


class _Places:
    """Whose a line is, and when it was collected: by what stands above it in its source, then by its bundle."""

    def __init__(self, records: Records) -> None:
        self._origins: Mapping[str, Origin] = {origin.source: origin for origin in records.origins}
        self._sections: dict[str, list[Collected]] = {}
        for section in records.collected:
            self._sections.setdefault(section.ref.source, []).append(section)
        self._lines: dict[str, list[int]] = {}
        for source, sections in self._sections.items():
            sections.sort(key=lambda section: section.ref.line)
            self._lines[source] = [section.ref.line for section in sections]
        self.unnamed: set[str] = set()
        """Sources that stand for a node whose name nothing tells."""

    def place(self, reading: Reading) -> list[Reading]:
        """The reading with its node and time; of output that tools gathered (``node[1-5]``), one for each node."""
        section = self._section_above(reading.ref.source, reading.ref.line)
        host, at = self._node(reading.host, section, reading.ref.source), reading.at
        if at is None:
            at = section.at if section is not None else None
        if at is None and (origin := self._origins.get(reading.ref.source)) is not None:
            at = origin.at
        return [replace(reading, host=name, at=at) for name in nodes_in(host)]

    def place_collected(self, section: Collected) -> Collected:
        return replace(section, host=self._node(section.host, section, section.ref.source))

    def _node(self, told: str | None, section: Collected | None, source: str) -> str:
        if told is None and section is not None:
            told = section.host
        if told is None and (origin := self._origins.get(source)) is not None:
            told = origin.node
        if told is None:
            self.unnamed.add(source)
            return source
        return told

    def _section_above(self, source: str, line: int) -> Collected | None:
        found = bisect_right(self._lines.get(source, []), line)
        return self._sections[source][found - 1] if found else None


@cache
def nodes_in(host: str | None) -> tuple[str, ...]:
    """The nodes that a host name stands for: itself, or those of a node set (``clush -b``, ``dshbak -c``)."""
    if host is None:
        return ()
    if "[" not in host and "," not in host:
        return (host,)
    try:
        names = tuple(expand(host))
    except SlowlinkError:
        return (host,)
    return names if len(names) <= _MOST_GATHERED else (host,)


def _with_one_name(readings: Sequence[Reading]) -> Iterable[Reading]:
    """GPUs and HCAs that a tool names by PCI address or UUID get the name that another tool of the node gives them."""
    names = {
        (r.host, r.part.kind, r.value): r.part.name
        for r in readings
        if r.attribute in ("gpu-bus-id", "gpu-uuid", "hca-bus-id") and r.part.name != r.value
    }
    for reading in readings:
        known = names.get((reading.host, reading.part.kind, reading.part.name)) if names else None
        yield reading if known is None else replace(reading, part=Part(reading.part.kind, known))
