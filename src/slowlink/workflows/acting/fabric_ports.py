"""Links of the fabric that are at fault, by the LID and port of the switch at one end: what ibportstate disables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from slowlink import exits
from slowlink.facts.fabric import node_of
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.acting import FabricPortAt
from slowlink.model.report import Diagnosis, Report

CAUSES = ("link-errors", "link-flapping", "port-rate-low")
"""A link that is up and harms who uses it; what is down needs no disabling."""
_MOST_LID = 0xBFFF
"""Of one port; above are those of multicast groups."""
_MOST_PORT = 254


def ports_at_fault(report: Report, fail_on: str) -> tuple[FabricPortAt, ...]:
    """Each link once, by the end at a switch, since an adapter's port would take the node's own way to it along.
    What is only possible disables nothing."""
    fabric = _Fabric(report)
    found: dict[frozenset[str], FabricPortAt] = {}
    for diagnosis in report.diagnoses:
        if diagnosis.cause not in CAUSES or diagnosis.confidence == "possible":
            continue
        if exits.fails(diagnosis.severity, fail_on):
            for suspect in diagnosis.suspects:
                if suspect.kind == "port" and (ends := fabric.ends(suspect.name)):
                    found.setdefault(frozenset(ends), _at(ends, diagnosis, fabric))
    return tuple(found.values())


def _at(ends: Sequence[str], diagnosis: Diagnosis, fabric: _Fabric) -> FabricPortAt:
    link = " - ".join(ends)
    switched = [end for end in ends if fabric.is_switch(node_of(end))]
    if not switched:
        return FabricPortAt(link, diagnosis, None, None, "no end of it is known to be a switch's")
    for end in switched:
        lid, number = fabric.lid(node_of(end)), _number(end)
        if lid is not None and number is not None:
            return FabricPortAt(link, diagnosis, lid, number, "")
    return FabricPortAt(link, diagnosis, None, None, f"the LID of {node_of(switched[0])} is not known, or not one")


def _number(port: str) -> int | None:
    """``leaf1/5``: 5. A label of a cage (``leafa/U1/P1``) is no number."""
    last = port.rpartition("/")[2]
    plain = last.isascii() and last.isdecimal() and len(last) <= 3
    return int(last) if plain and 0 < int(last) <= _MOST_PORT else None


class _Fabric:
    """What the report's state tells of links, by the name of the part. A part of which two values are told has none,
    and neither have two switches of which one LID is told, be it one of two: a port of another switch must not be
    disabled."""

    def __init__(self, report: Report) -> None:
        self._peers = _single(_values(report, "link-peer"))
        self._types = _single(_values(report, "fabric-node-type"))
        lids = _values(report, "fabric-node-lid")
        times = Counter(lid for told in lids.values() for lid in set(told))
        self._lids = {node: lid for node, lid in _single(lids).items() if times[lid] == 1}

    def ends(self, port: str) -> tuple[str, ...]:
        """Of the link of this port; () where it is no port of the fabric."""
        peer = self._peers.get(port)
        if isinstance(peer, str):
            return (port, peer)
        return (port,) if node_of(port) in self._types else ()

    def is_switch(self, node: str) -> bool:
        return self._types.get(node) == "switch"

    def lid(self, node: str) -> int | None:
        found = self._lids.get(node)
        return found if type(found) is int and 0 < found <= _MOST_LID else None


def _values(report: Report, attribute: str) -> Mapping[str, Sequence[int | str]]:
    """Part -> everything that is told of it."""
    state = report.facts.get(NODE_STATE)
    entries = state.get(attribute) if isinstance(state, Mapping) else None
    seen: dict[str, list[int | str]] = {}
    for entry in entries if isinstance(entries, (list, tuple)) else ():
        if isinstance(entry, Mapping) and isinstance(parts := entry.get("parts"), (list, tuple)):
            value = entry.get("value")
            if isinstance(value, (int, str)):
                for part in parts:
                    seen.setdefault(str(part), []).append(value)
    return seen


def _single(seen: Mapping[str, Sequence[int | str]]) -> dict[str, int | str]:
    """Parts of which one thing is told."""
    return {part: values[0] for part, values in seen.items() if all(value == values[0] for value in values)}
