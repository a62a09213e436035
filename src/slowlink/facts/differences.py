"""The minority report: in which settings, versions and parts the nodes differ, and who is alone with what.

A cluster is built of equal nodes, so most differences are somebody's slip, and the few are suspected before the many.
Only what nodes should share is compared (``catalog.attributes``): serial numbers and temperatures differ rightly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest

from slowlink.catalog.attributes import Attribute, attribute
from slowlink.facts.readings import latest_of, node_of
from slowlink.facts.stretches import Shape, Told, node_by_node, told
from slowlink.model.facts import Camp, Differences, NodeDifference, State
from slowlink.model.state import Part, Reading, Value

COMPARED = ("setting", "version", "shape", "state")
ABSENT = "absent"
_COUNTED_PARTS = frozenset({"gpu", "hca", "port"})
"""Parts that equal nodes have in equal number and by equal names; of others (processes, bridges) only those that both
nodes have are compared."""

MOST_WAYS_TO_LACK = 64
"""Sets of nodes that lack different parts, of one attribute. Where there are more, the nodes do not name their parts
alike, and each part would name nearly all nodes; what fewest nodes lack is kept."""

Table = Mapping[str, Mapping[Part, Reading]]
"""Node -> part -> reading of one attribute."""
_Camps = tuple[tuple[str, tuple[str, ...]], ...]
"""(value, nodes), the largest first."""


def differences(state: State | None) -> Differences | None:
    """None when there are not two nodes to compare."""
    if state is None or len(state.nodes) < 2:
        return None
    found: list[NodeDifference] = []
    missing_parts: set[tuple[str, _Camps]] = set()
    for name, readings in state.readings.items():
        entry = attribute(name)
        if entry.kind in COMPARED and entry.matters:
            now = latest_of(readings.all)
            if not _is_told_alike(now):
                found.extend(_of_attribute(entry, now, missing_parts))
    found.sort(key=_rank)
    return Differences(tuple(found), *_compared(state))


def _compared(state: State) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The nodes of which something was compared, and those among them that lack what most others tell: of a node whose
    tool did not answer nobody knows that it is like its peers."""
    attributes = [
        {host or "" for host in told(readings.all).hosts}
        for name, readings in state.readings.items()
        if attribute(name).kind in COMPARED and attribute(name).matters
    ]
    nodes = [node for node in state.nodes if any(node in found for found in attributes)]
    usual = [found for found in attributes if 2 * len(found) > len(nodes)]
    return tuple(nodes), tuple(node for node in nodes if any(node not in found for found in usual))


def minority(difference: NodeDifference) -> tuple[Camp, ...]:
    """The camps of fewer nodes; empty where no camp has more than half of the nodes."""
    nodes = sum(len(camp.nodes) for camp in difference.camps)
    return difference.camps[1:] if 2 * len(difference.camps[0].nodes) > nodes else ()


def in_words(value: Value) -> str:
    """A value as people write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_told_alike(now: Told) -> bool:
    """Does every node say the same of the same parts? So it is with most attributes of most clusters."""
    return now.is_parted and len(list(now.shapes)) == 1


def _table(readings: Iterable[Reading]) -> Table:
    table: dict[str, dict[Part, Reading]] = {}
    for reading in readings:
        table.setdefault(node_of(reading), {})[reading.part] = reading
    return table


def _of_attribute(entry: Attribute, now: Told, missing_parts: set[tuple[str, _Camps]]) -> Iterator[NodeDifference]:
    """Parts that differ in the same way are one difference. Nodes without any reading were not asked: no difference."""
    nodes = [host or "" for host in now.hosts]
    told_apart = _told(node_by_node(now), nodes) if len(nodes) > 1 else []
    table = _table(now) if told_apart else {}
    for camps, differing in told_apart:
        if any(value == ABSENT for value, _ in camps):
            # A part that is gone lacks every attribute; it is told once.
            key = (differing[0].kind, tuple((ABSENT if v == ABSENT else "", nodes) for v, nodes in camps))
            if key in missing_parts:
                continue
            missing_parts.add(key)
        yield _difference(entry, camps, differing, table)


def _told(now: Told, nodes: Sequence[str]) -> list[tuple[_Camps, list[Part]]]:
    """Parts with the camps that they divide the nodes into, those together that divide them alike."""
    of_part: dict[Part, dict[str, list[Shape]]] = {}
    for shape in now.shapes:
        for part, value in shape.pairs():
            of_part.setdefault(part, {}).setdefault(in_words(value), []).append(shape)
    every = {tuple(shapes) for of_value in of_part.values() for shapes in of_value.values()}
    said_by = {shapes: now.hosts_of(shapes) for shapes in every}
    alike: dict[tuple[bool, _Camps], list[Part]] = {}
    for part, of_value in of_part.items():
        camps = tuple((value, said_by[tuple(shapes)]) for value, shapes in of_value.items())
        lacked = part.kind in _COUNTED_PARTS and sum(len(names) for _, names in camps) < len(nodes)
        if lacked or len(camps) > 1:
            alike.setdefault((lacked, camps), []).append(part)
    ways = [camps for lacked, camps in alike if lacked]
    if len(ways) > MOST_WAYS_TO_LACK:
        ways = nlargest(MOST_WAYS_TO_LACK, ways, key=lambda camps: sum(len(names) for _, names in camps))
    kept = set(ways)
    return [
        (_in_order(camps, nodes if lacked else ()), parts)
        for (lacked, camps), parts in alike.items()
        if not lacked or camps in kept
    ]


def _in_order(camps: _Camps, nodes: Iterable[str]) -> _Camps:
    """The largest first; of two as large, that of the first node. Those of ``nodes`` in no camp lack the part."""
    place = {node: at for at, node in enumerate(nodes)}
    there = {node for _, names in camps for node in names}
    lacking = tuple(node for node in place if node not in there)
    every = (*camps, (ABSENT, lacking)) if lacking else camps
    return tuple(sorted(every, key=lambda camp: (-len(camp[1]), place.get(camp[1][0], 0))))


def _difference(entry: Attribute, camps: _Camps, parts: list[Part], table: Table) -> NodeDifference:
    return NodeDifference(
        attribute=entry.id,
        parts=tuple(part.name for part in parts),
        camps=tuple(
            Camp(value, tuple(table[n][p] for n in nodes for p in parts if p in table[n]), nodes)
            for value, nodes in camps
        ),
    )


def _rank(difference: NodeDifference) -> tuple[object, ...]:
    """What matters most first; then where few stand against many, which is more telling than a divided cluster."""
    sizes = [len(camp.nodes) for camp in difference.camps]
    return -attribute(difference.attribute).matters, -sizes[0] / sum(sizes), difference.attribute, difference.parts
