"""The state of all nodes and their differences in few words: equal nodes cost one line, however many they are."""

from __future__ import annotations

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import latest_of
from slowlink.facts.stretches import Shape
from slowlink.model.facts import Differences, NodeDifference, State
from slowlink.model.report import Difference, SaidBy
from slowlink.model.state import Value
from slowlink.nodes import fold

NODE_STATE = "node_state"
KEPT = ("setting", "version", "shape", "state", "identity")
"""What may be compared with another time; temperatures and counters may not."""


def folded_state(state: State | None) -> dict[str, object]:
    """``{"node_state": {attribute: [{"value", "parts": [name ...], "nodes": "node[01-16]"}]}}``; empty without state.

    Lossless for what it keeps: two reports can be compared by it.
    """
    if state is None:
        return {}
    folded = {name: _folded(state, name) for name in sorted(state.readings) if attribute(name).kind in KEPT}
    return {NODE_STATE: folded}


def _folded(state: State, name: str) -> list[dict[str, object]]:
    now = latest_of(state.readings[name].all)
    holders: dict[tuple[str, Value], list[Shape]] = {}
    for shape in now.shapes:
        for part, value in shape.pairs():
            holders.setdefault((part.name, value), []).append(shape)
    nodes = {shapes: now.hosts_of(shapes) for shapes in map(tuple, holders.values())}
    parts: dict[tuple[Value, tuple[str, ...]], list[str]] = {}
    for (part_name, value), shapes in holders.items():
        parts.setdefault((value, nodes[tuple(shapes)]), []).append(part_name)
    return [{"value": value, "parts": names, "nodes": fold(owners)} for (value, owners), names in parts.items()]


def told_differences(found: Differences | None) -> tuple[Difference, ...]:
    """The minority report as the report shows it."""
    return tuple(map(_told, found.all)) if found is not None else ()


def _told(difference: NodeDifference) -> Difference:
    entry = attribute(difference.attribute)
    names = [name for name in difference.parts if name]
    return Difference(
        attribute=entry.id,
        title=entry.title,
        parts=f"{entry.part} {fold(names)}" if names else "",
        unit=entry.unit,
        matters=entry.matters,
        said=tuple(SaidBy(camp.value, fold(camp.nodes), len(camp.nodes)) for camp in difference.camps),
    )
