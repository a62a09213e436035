"""The attributes that readings may have, from ``attributes/*.toml``: what slowlink knows of a node's state."""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

from msgspec import Struct

from slowlink.catalog.load import CatalogueError, names, table

AttributeClass = Literal["setting", "version", "shape", "state", "identity", "level", "counter"]


class Attribute(Struct, frozen=True):
    """One entry of ``attributes/*.toml``."""

    id: str
    part: str
    """Kind of the part that has it (``model.state.Part.kind``)."""
    kind: AttributeClass
    """``setting``, ``version``, ``shape`` (what a node is made of) and ``state`` are compared between nodes and over
    time; ``identity`` (serial numbers, GUIDs) over time only; ``level`` (temperature, clocks) is never compared;
    ``counter`` only grows, and only its growth says anything."""
    title: str
    """In words, for reports: ``persistence mode``."""
    unit: str
    matters: int
    """How much a difference matters: 3 breaks or halves collectives, 2 slows them, 1 is worth knowing, 0 is noise."""
    asked: str
    """Where it can be read: ``nvidia-smi -q``; said when it was not collected."""


@cache
def all_attributes() -> dict[str, Attribute]:
    """Every attribute by id."""
    found: dict[str, Attribute] = {}
    for name in names("attributes"):
        for key, entry in table(f"attributes/{name}").items():
            if key in found or entry["class"] not in get_args(AttributeClass):
                raise CatalogueError(f"attributes/{name}: {key}: defined twice, or of an unknown class")
            found[key] = Attribute(
                id=key,
                part=entry["part"],
                kind=entry["class"],
                title=entry["title"],
                unit=entry.get("unit", ""),
                matters=entry.get("matters", 1),
                asked=entry["asked"],
            )
    return found


def attribute(name: str) -> Attribute:
    """The attribute with this id. Raises KeyError for an id that the catalogue does not have."""
    return all_attributes()[name]
