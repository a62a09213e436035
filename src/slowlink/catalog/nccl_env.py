"""What NCCL reads from the environment, from ``nccl_env.toml``."""

from __future__ import annotations

from functools import cache
from typing import Literal

from msgspec import Struct

from slowlink.catalog.load import table


class Variable(Struct, frozen=True):
    """One variable that NCCL reads."""

    name: str
    type: str
    """``int text flag list path``."""
    default: str | None
    area: str
    meaning: str
    harm: str
    """When setting it does damage; "" where none is known."""
    since: tuple[int, ...] | None
    """First NCCL version that reads it; None where unknown or always."""
    until: tuple[int, ...] | None
    """First NCCL version that no longer reads it."""

    def read_by(self, version: tuple[int, ...] | None) -> bool:
        """Does this NCCL version read it? True for an unknown version: no accusation without proof."""
        if version is None:
            return True
        too_old = self.since is not None and version[:2] < self.since
        return not too_old and (self.until is None or version[:2] < self.until)


class Standing(Struct, frozen=True):
    """What a name is: ``read`` by NCCL, read ``elsewhere``, known as ``not-read``, or ``unknown``."""

    kind: Literal["read", "elsewhere", "not-read", "unknown"]
    truth: str
    """One clause: its meaning, who reads it, or why it has no effect."""
    suggestions: tuple[str, ...] = ()
    """Names that NCCL does read and that may be meant, nearest first."""


@cache
def all_variables() -> dict[str, Variable]:
    """Every variable by name."""
    return {
        name: Variable(
            name=name,
            type=entry["type"],
            default=entry.get("default"),
            area=entry["area"],
            meaning=entry["meaning"],
            harm=entry.get("harm", ""),
            since=_version(entry.get("since")),
            until=_version(entry.get("until")),
        )
        for name, entry in table("nccl_env.toml")["variables"].items()
    }


def variable(name: str) -> Variable | None:
    """The variable of that name; RCCL and the MCCLs read NCCL's names too, MetaX MCCL with its own prefix."""
    return all_variables().get(name)


def standing(name: str, *, suggests: bool = True) -> Standing:
    """What is known about a name in an environment. An unknown one may be newer than the catalogue. ``suggests``: look
    for the names that may be meant, which takes milliseconds."""
    document = table("nccl_env.toml")
    known = variable(name)
    if known is not None:
        return Standing("read", known.meaning)
    if name in document["further"]["names"]:
        return Standing("read", "stands in NCCL's source, of some versions at least")
    refused = document["not_read"].get(name)
    if refused is not None:
        return Standing("not-read", refused["truth"], (refused["use"],) if refused["use"] else ())
    if name in document["elsewhere"]:
        return Standing("elsewhere", f"read by {document['elsewhere'][name]}")
    for prefix, reader in document["elsewhere_prefix"].items():
        if name.startswith(prefix):
            return Standing("elsewhere", f"read by {reader}")
    return Standing("unknown", "not among the variables known to this catalogue", nearest(name) if suggests else ())


def nearest(name: str, limit: int = 3) -> tuple[str, ...]:
    """Known variables with the most similar names (Ratcliff-Obershelp, as in difflib), best first."""
    from difflib import get_close_matches

    return tuple(get_close_matches(name.upper()[:64], all_variables(), n=limit, cutoff=0.75))


def _version(text: str | None) -> tuple[int, ...] | None:
    return None if text is None else tuple(int(part) for part in text.split("."))
