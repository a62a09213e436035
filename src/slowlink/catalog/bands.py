"""Classes of bounds and what healthy systems reach of them, from ``bands.toml``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from slowlink.catalog.gpus import Shares
from slowlink.catalog.load import CatalogueError, table


@dataclass(frozen=True, slots=True)
class Band:
    """Shares of a bound."""

    name: str
    title: str
    typical: float
    warn: float
    fail: float
    headroom: float
    source: str

    def with_shares(self, shares: Shares) -> Band:
        """The same class on hardware whose healthy results differ from it."""
        typical, warn, fail = shares
        return replace(self, typical=typical, warn=warn, fail=fail)


@cache
def all_bands() -> dict[str, Band]:
    """Every class by name."""
    found = {name: Band(name=name, **entry) for name, entry in table("bands.toml").items()}
    for band in found.values():
        if not 0 < band.fail <= band.warn <= band.typical <= band.headroom:
            raise CatalogueError(f"bands.toml: {band.name}: shares out of order")
    return found


def band(name: str) -> Band:
    """The class of that name. Raises KeyError."""
    return all_bands()[name]
