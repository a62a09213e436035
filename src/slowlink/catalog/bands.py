"""Classes of bounds and what healthy systems reach of them, from ``bands.toml`` and ``published.toml``."""

from __future__ import annotations

from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.gpus import Shares
from slowlink.catalog.load import CatalogueError, table


class Published(Struct, frozen=True):
    """Healthy results of one class, and where they lie."""

    rows: int
    low: float
    """The lowest, as a share of what is typical."""
    high: float

    @property
    def words(self) -> str:
        """``10 published results at 0.94 to 1.06 of it``."""
        if self.rows == 0:
            return "no published result stands behind it"
        if self.rows == 1:
            return f"1 published result at {self.low:.2f} of it"
        return f"{self.rows} published results at {self.low:.2f} to {self.high:.2f} of it"


_NOTHING = Published(0, 0.0, 0.0)


class Band(Struct, frozen=True):
    """Shares of a reference: of what the limits usually give."""

    name: str
    title: str
    typical: float
    warn: float
    fail: float
    source: str
    versions: str = ""
    """Where releases of the library differ: which, and by how much."""
    owner: str = ""
    """The GPU or system whose own shares these are; "" for the class."""

    def with_shares(self, shares: Shares, owner: str) -> Band:
        """The same class on hardware whose healthy results differ from it."""
        typical, warn, fail = shares
        return replace(self, typical=typical, warn=warn, fail=fail, owner=owner)

    @property
    def key(self) -> str:
        """``nvls``, or ``nvls.b200`` for shares of its own."""
        return f"{self.name}.{self.owner}" if self.owner else self.name

    @property
    def published(self) -> Published:
        """The healthy results that stand behind these shares."""
        entry = table("published.toml").get(self.key)
        return Published(**entry) if entry is not None else _NOTHING


@cache
def all_bands() -> dict[str, Band]:
    """Every class by name."""
    found = {name: Band(name=name, **entry) for name, entry in table("bands.toml").items()}
    for band in found.values():
        if not 0 < band.fail <= band.warn <= band.typical <= 1:
            raise CatalogueError(f"bands.toml: {band.name}: shares out of order")
    return found


def band(name: str) -> Band:
    """The class of that name. Raises KeyError."""
    return all_bands()[name]
