"""Ports and nodes that a tool names by LID alone get the name that another tool gives the same LID."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.facts.placing.held import of_attributes, renamed
from slowlink.model.blocks import Block
from slowlink.model.state import Part, Reading
from slowlink.patterns import regex

_BY_LID = regex(r"lid (\d{1,6})(/\d{1,3})?")
_KINDS = ("fabric-node", "fabric-port")
_LIDS = ("fabric-node-lid", "link-lid")


def with_fabric_names(held: Sequence[Reading | Block]) -> Sequence[Reading | Block]:
    """All readings, those of ``lid 12/5`` under ``leaf1/5`` where one name of LID 12 is known.

    LIDs are of one subnet: each node that was asked has its own table; where just one has, it is good for all.
    """
    tables = _tables(of_attributes(held, _LIDS))
    if not tables:
        return held
    only = next(iter(tables.values())) if len(tables) == 1 else {}

    def other(part: Part, host: str | None) -> Part | None:
        found = _BY_LID.fullmatch(part.name) if part.kind in _KINDS else None
        name = tables.get(host or "", only).get(int(found[1])) if found is not None else None
        return None if found is None or name is None else Part(part.kind, name + (found[2] or ""))

    return renamed(held, other)


def _tables(readings: Iterable[Reading]) -> dict[str, dict[int, str]]:
    """Node that was asked -> LID -> name of a fabric node; LIDs with two names are left out."""
    found: dict[str, dict[int, set[str]]] = {}
    for reading in readings:
        if not isinstance(reading.value, int):
            continue
        name = reading.part.name if reading.part.kind == "fabric-node" else reading.part.name.rsplit("/", 1)[0]
        if reading.value and _BY_LID.fullmatch(name) is None:
            found.setdefault(reading.host or "", {}).setdefault(reading.value, set()).add(name)
    return {
        host: {lid: next(iter(names)) for lid, names in table.items() if len(names) == 1}
        for host, table in found.items()
    }
