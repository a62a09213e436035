"""Nodes that no name tells apart: another Node GUID under the same HCA name is another node.

Output of one command on several nodes is often pasted below one another. Without this the port of the later node would
stand for that of the earlier one, and a slow port would be hidden by a fast one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.model.state import Reading, Value

_GUID = "hca-node-guid"


def nodes_apart(readings: Sequence[Reading]) -> list[Reading]:
    """``readings`` are placed. Those of a source that stands for a node, and holds several, get ``SOURCE#1`` ..."""
    told: dict[tuple[str, str], set[Value]] = {}
    for reading in readings:
        if _tells(reading):
            told.setdefault((reading.ref.source, reading.part.name), set()).add(reading.value)
    several = {source for (source, _), guids in told.items() if len(guids) > 1}
    begins = {source: _begins([r for r in readings if r.host == r.ref.source == source]) for source in several}
    return [
        replace(r, host=_numbered(r, begins[r.ref.source])) if r.host == r.ref.source and r.host in begins else r
        for r in readings
    ]


def _tells(reading: Reading) -> bool:
    """A GUID of zeros is one that was not set yet."""
    return reading.attribute == _GUID and reading.host == reading.ref.source and bool(str(reading.value).strip("0x:"))


def _begins(readings: Sequence[Reading]) -> list[tuple[int, int]]:
    """(line, number of the node that begins there), in order; a node may come again."""
    in_order = sorted(readings, key=lambda reading: reading.ref.line)
    nodes: list[dict[str, Value]] = [{}]
    begins, now = [(0, 0)], 0
    for at, reading in enumerate(in_order):
        if not _tells(reading):
            continue
        name, guid = reading.part.name, reading.value
        before, now = now, next((n for n, node in enumerate(nodes) if node.get(name) == guid), now)
        if nodes[now].get(name, guid) != guid:
            now = len(nodes)
            nodes.append({})
        nodes[now][name] = guid
        if now != before:
            begins.append((_first_line(in_order, at), now))
    return begins


def _first_line(in_order: Sequence[Reading], at: int) -> int:
    """Where the block of this HCA begins: its model and firmware stand above its GUID."""
    first, seen = at, {in_order[at].attribute}
    while first > 0 and in_order[first - 1].part == in_order[at].part and in_order[first - 1].attribute not in seen:
        first -= 1
        seen.add(in_order[first].attribute)
    return in_order[first].ref.line


def _numbered(reading: Reading, begins: Sequence[tuple[int, int]]) -> str:
    place = bisect_right(begins, reading.ref.line, key=lambda begin: begin[0]) - 1
    return f"{reading.ref.source}#{begins[place][1] + 1}"
