"""What changed on the nodes, from the folded state that every report carries (``facts.folded_state``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.attributes import all_attributes
from slowlink.facts.differences import ABSENT, in_words
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.comparison import BOOT, StateChange
from slowlink.model.report import Report
from slowlink.nodes import expand, expand_or_none, fold

_COUNTED_PARTS = {"gpu": "GPU", "hca": "HCA", "port": "port"}
"""Parts whose coming or going is a change; processes come and go by nature."""
THERE = "there"
_PART_MATTERS = 3

Values = Mapping[str, Mapping[str, str]]
"""Node -> part -> value of one attribute."""
_Owners = dict[tuple[str, str, str], list[str]]
"""(part, old, new) -> nodes."""


class NodeChanges(Struct, frozen=True):
    """Changes on nodes that both reports know, and which nodes only one of them knows."""

    changes: tuple[StateChange, ...]
    nodes_gone: tuple[str, ...]
    nodes_silent: tuple[str, ...]
    """Those that the new one asked, too, and of which it knows nothing."""
    nodes_added: tuple[str, ...]


_Sets = dict[str, list[str]]
"""Folded -> the nodes of it: a report names the same sets for each of its attributes."""


def node_changes(old: Report, new: Report) -> NodeChanges:
    """What matters most first. Two reports of one node each are about the same node, whatever its name."""
    before, after = _unfolded(old), _unfolded(new)
    nodes_before, nodes_after = nodes_of(before), nodes_of(after)
    if len(nodes_before) == len(nodes_after) == 1 and nodes_before != nodes_after:
        (here,), (there,) = nodes_before, nodes_after
        # Another name may be another node: that it has another boot says nothing.
        before = {name: {there: values[here]} for name, values in before.items() if here in values and name != BOOT}
        nodes_before = nodes_after
    found = [change for name in before if name in after for change in _of_attribute(name, before[name], after[name])]
    found = _rebooted_together(found)
    found += _parts_come_and_gone(before, after)
    found.sort(key=lambda change: (-change.matters, -change.count, change.attribute))
    asked = asked_of(new)
    missing = [node for node in nodes_before if node not in nodes_after]
    return NodeChanges(
        tuple(found),
        tuple(node for node in missing if node not in asked) if nodes_after else (),
        tuple(node for node in missing if node in asked),
        tuple(node for node in nodes_after if node not in nodes_before) if nodes_before else (),
    )


def _rebooted_together(found: list[StateChange]) -> list[StateChange]:
    """Every boot has a number of its own: nodes that were rebooted are one change all the same."""
    boots = [change for change in found if change.attribute == BOOT]
    if not boots:
        return found
    nodes = [node for change in boots for node in expand(change.nodes)]
    one = replace(boots[0], nodes=fold(nodes), count=len(nodes), old="", new="")
    return [*(change for change in found if change.attribute != BOOT), one]


def asked_of(report: Report) -> frozenset[str]:
    """The nodes that the snapshot behind a report asked."""
    asked = report.facts.get("nodes_asked")
    return frozenset(expand_or_none(asked) or ()) if isinstance(asked, str) and asked else frozenset()


def nodes_of(state: Mapping[str, Values]) -> tuple[str, ...]:
    """Nodes of an unfolded state, in order of appearance."""
    return tuple(dict.fromkeys(node for values in state.values() for node in values))


def nodes_named(report: Report) -> str:
    """The nodes whose state a report knows, folded."""
    return fold(nodes_of(_unfolded(report)))


def _unfolded(report: Report) -> dict[str, Values]:
    """Attribute -> node -> part -> value. A saved report is input like any other: what does not fit is passed over."""
    state = report.facts.get(NODE_STATE)
    unfolded: dict[str, Values] = {}
    sets: _Sets = {}
    for name, entries in state.items() if isinstance(state, Mapping) else ():
        values: dict[str, dict[str, str]] = {}
        for value, parts, nodes in _entries(entries, sets):
            for node in nodes:
                values.setdefault(node, {}).update(dict.fromkeys(parts, value))
        if name in all_attributes():
            unfolded[name] = values
    return unfolded


def _entries(entries: object, sets: _Sets) -> Iterator[tuple[str, list[str], list[str]]]:
    for entry in entries if isinstance(entries, (list, tuple)) else ():
        if not isinstance(entry, Mapping):
            continue
        value, parts, nodes = entry.get("value"), entry.get("parts"), entry.get("nodes")
        if isinstance(value, (str, int, float)) and isinstance(parts, (list, tuple)) and isinstance(nodes, str):
            if nodes not in sets:
                names = expand_or_none(nodes)
                sets[nodes] = [nodes] if names is None else names
            yield in_words(value), [str(part) for part in parts], sets[nodes]


def _of_attribute(name: str, before: Values, after: Values) -> Iterator[StateChange]:
    entry = all_attributes()[name]
    owners: _Owners = {}
    for node in (node for node in before if node in after):
        for part, old in before[node].items():
            new = after[node].get(part, old)
            if old != new:
                owners.setdefault((part, old, new), []).append(node)
    for parts, nodes, old, new in _alike(owners):
        yield StateChange(
            attribute=name,
            kind=entry.kind,
            title=entry.title,
            unit=entry.unit,
            # Another serial number is another part: worth knowing, whatever it matters between nodes.
            matters=max(entry.matters, 1),
            parts=f"{entry.part} {fold(parts)}" if parts else "",
            nodes=fold(nodes),
            count=len(nodes),
            old=old,
            new=new,
        )


def _parts_come_and_gone(before: Mapping[str, Values], after: Mapping[str, Values]) -> Iterator[StateChange]:
    """One change for a part, however many attributes it had, and none for the ports of an HCA that is gone. What both
    asked about decides: a part of which one side asked nothing is no part that is gone."""
    hcas: _Owners = {}
    for kind, title in _COUNTED_PARTS.items():
        asked = [name for name in before if name in after and all_attributes()[name].part == kind]
        was, now = _parts_of(asked, before, after), _parts_of(asked, after, before)
        owners: _Owners = {}
        for node in (node for node in was if node in now):
            for part in dict.fromkeys((*was[node], *now[node])):
                if (part in was[node]) != (part in now[node]):
                    old, new = (THERE, ABSENT) if part in was[node] else (ABSENT, THERE)
                    if node not in hcas.get((part.rpartition("/")[0], old, new), ()):
                        owners.setdefault((part, old, new), []).append(node)
        hcas = owners if kind == "hca" else {}
        for parts, nodes, old, new in _alike(owners):
            named, count = f"{kind} {fold(parts)}", len(nodes)
            yield StateChange(kind, "shape", title, "", _PART_MATTERS, named, fold(nodes), count, old, new)


def _parts_of(asked: Iterable[str], side: Mapping[str, Values], other: Mapping[str, Values]) -> dict[str, set[str]]:
    """Node -> its parts, from attributes of which both sides have something on this node."""
    found: dict[str, set[str]] = {}
    for name in asked:
        for node, values in side[name].items():
            if node in other[name]:
                found.setdefault(node, set()).update(values)
    return found


def _alike(owners: _Owners) -> Iterator[tuple[list[str], tuple[str, ...], str, str]]:
    """Parts whose change is the same on the same nodes: (parts, nodes, old, new)."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (part, old, new), nodes in owners.items():
        alike.setdefault((old, new, tuple(nodes)), []).append(part)
    for (old, new, nodes_alike), parts in alike.items():
        yield [part for part in parts if part], nodes_alike, old, new
