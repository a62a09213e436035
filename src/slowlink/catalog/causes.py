"""The causes that slowlink can name, from ``causes.toml``."""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

from msgspec import Struct

from slowlink.catalog.load import CatalogueError, table
from slowlink.model.report import Layer


class Cause(Struct, frozen=True):
    """One entry of ``causes.toml``."""

    id: str
    layer: Layer
    kind: Literal["cause", "symptom"]
    """A symptom leads a report only when no cause explains it."""
    title: str
    meaning: str
    """Why it matters, in one sentence."""
    proof: str
    """What shows it."""

    @property
    def is_symptom(self) -> bool:
        return self.kind == "symptom"


@cache
def all_causes() -> dict[str, Cause]:
    """Every cause by id, in the order of the file (by layer)."""
    return {name: _cause(name, entry) for name, entry in table("causes.toml").items()}


def cause(name: str) -> Cause:
    """The cause with this id. Raises KeyError for an id that the catalogue does not have."""
    return all_causes()[name]


def _cause(name: str, entry: dict[str, str]) -> Cause:
    if entry["layer"] not in get_args(Layer) or entry["kind"] not in ("cause", "symptom"):
        raise CatalogueError(f"causes.toml: {name}: unknown layer or kind")
    return Cause(
        id=name,
        layer=entry["layer"],  # type: ignore[arg-type]
        kind="symptom" if entry["kind"] == "symptom" else "cause",
        title=entry["title"],
        meaning=entry["meaning"],
        proof=entry["proof"],
    )
