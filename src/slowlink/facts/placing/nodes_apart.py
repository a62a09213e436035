"""Nodes that no name tells apart: another Node GUID under the same HCA name is another node; so is another UUID of a
GPU at the same place.

Output of one command on several nodes is often pasted below one another. Without this the port of the later node would
stand for that of the earlier one, and a slow port would be hidden by a fast one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.facts.placing.held import one_by_one
from slowlink.model.blocks import Block
from slowlink.model.state import Part, Reading, Value

_OWN = ("hca-node-guid", "gpu-uuid")
"""What no two parts of this world share."""
_WHOLE = Part("node", "")


def nodes_apart(held: Sequence[Reading | Block]) -> Sequence[Reading | Block]:
    """``held`` are placed. Those of a source that stands for a node, and holds several, get ``SOURCE#1`` ... Blocks
    below a frame that names their node are of no such source."""
    readings = [
        each for each in one_by_one(each for each in held if not _is_named(each)) if each.host == each.ref.source
    ]
    told: dict[tuple[str, Part], set[Value]] = {}
    for reading in readings:
        if reading.attribute in _OWN and _tells(reading):
            told.setdefault((reading.ref.source, reading.part), set()).add(reading.value)
    several = {source for (source, _), guids in told.items() if len(guids) > 1}
    if not several:
        return held
    of_source: dict[str, list[Reading]] = {source: [] for source in several}
    for reading in readings:
        if reading.ref.source in of_source:
            of_source[reading.ref.source].append(reading)
    begins = {source: _begins(mine) for source, mine in of_source.items()}
    return [
        replace(r, host=_numbered(r, begins[r.ref.source])) if r.host == r.ref.source and r.host in begins else r
        for r in one_by_one(held)
    ]


def _is_named(each: Reading | Block) -> bool:
    return type(each) is Block and each.host != each.source


def _tells(reading: Reading) -> bool:
    """A GUID of zeros is one that was not set yet."""
    return reading.attribute in _OWN and reading.host == reading.ref.source and bool(str(reading.value).strip("0x:"))


def _begins(readings: Sequence[Reading]) -> list[tuple[int, int]]:
    """(line, number of the node that begins there), in order; a node may come again."""
    in_order = sorted(readings, key=lambda reading: reading.ref.line)
    nodes: list[dict[Part, Value]] = [{}]
    node_with: dict[tuple[Part, Value], int] = {}
    begins, now = [(0, 0)], 0
    for at, reading in enumerate(in_order):
        if not _tells(reading):
            continue
        part, own = reading.part, reading.value
        before, now = now, node_with.get((part, own), now)
        if nodes[now].get(part, own) != own:
            now = len(nodes)
            nodes.append({})
        nodes[now][part] = own
        node_with.setdefault((part, own), now)
        if now != before:
            begins.append((_first_line(in_order, at), now))
    return begins


def _first_line(in_order: Sequence[Reading], at: int) -> int:
    """Where the block of this part begins: its model and firmware stand above what is its own, and above them what is
    said of the node as a whole."""
    first, seen, part = at, {in_order[at].attribute}, in_order[at].part
    while first > 0 and in_order[first - 1].part in (part, _WHOLE) and in_order[first - 1].attribute not in seen:
        first -= 1
        seen.add(in_order[first].attribute)
        part = in_order[first].part  # above the node as a whole stands the node before
    return in_order[first].ref.line


def _numbered(reading: Reading, begins: Sequence[tuple[int, int]]) -> str:
    place = bisect_right(begins, reading.ref.line, key=lambda begin: begin[0]) - 1
    return f"{reading.ref.source}#{begins[place][1] + 1}"
