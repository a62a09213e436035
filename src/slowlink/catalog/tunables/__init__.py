"""Settings that are worth a try, from ``tunables.toml``; or from a file of the same form that somebody else wrote."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from slowlink.catalog.load import table
from slowlink.errors import SlowlinkError
from slowlink.inputs.small_toml import small_toml

LIBRARIES = ("nccl", "openmpi", "ucx")
_KEYS = {"library", "values", "networks", "collectives", "nodes", "why"}


class Tunable(Struct, frozen=True):
    """One variable and the values to try."""

    name: str
    library: str
    values: tuple[str, ...]
    networks: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    nodes: str = ""
    why: str = ""

    def may_matter(self, collective: str, several_nodes: bool) -> bool:
        """For this collective, on so many nodes."""
        if self.collectives and collective not in self.collectives:
            return False
        return not self.nodes or (self.nodes == "several") == several_nodes


def tunables(path: str | None = None) -> tuple[Tunable, ...]:
    """All of them, in the order of the file. Raises SlowlinkError for a ``path`` that cannot be read, or is none."""
    if path is None:
        return _parsed(table("tunables/tunables.toml"), "tunables.toml")
    try:
        document = small_toml(Path(path))
    except OSError as error:
        raise SlowlinkError(
            f"cannot read {path}: {error.strerror}", hint="check the path", slug="input-not-found"
        ) from error
    except ValueError as error:
        raise SlowlinkError(
            f"{path} is no TOML: {error}", hint="docs/tune.md shows one", slug="bad-tunables"
        ) from error
    return _parsed(document, path)


def library_of(name: str) -> str:
    """Who reads a variable, by its name; "" where nobody known does."""
    if name.startswith(("NCCL_", "RCCL_", "MCCL_")):
        return "nccl"
    return "openmpi" if name.startswith("OMPI_MCA_") else "ucx" if name.startswith("UCX_") else ""


def _parsed(document: Mapping[str, Any], where: str) -> tuple[Tunable, ...]:
    return tuple(_tunable(name, entry, where) for name, entry in document.items() if name != "source")


def _tunable(name: str, entry: object, where: str) -> Tunable:
    if not isinstance(entry, dict) or entry.keys() - _KEYS or not isinstance(entry.get("values"), list):
        raise SlowlinkError(
            f"{where}: [{name}] is no setting to try",
            hint=f"it has values = [...], and may have {', '.join(sorted(_KEYS - {'values'}))}",
            slug="bad-tunables",
        )
    lists = [entry.get(key, []) for key in ("values", "networks", "collectives")]
    words = [entry.get(key, "") for key in ("library", "nodes", "why")]
    if not all(isinstance(each, list) for each in lists) or not all(isinstance(word, str) for word in words):
        raise SlowlinkError(f"{where}: [{name}]: lists of words, and words", hint="", slug="bad-tunables")
    if not lists[0] or words[1] not in ("", "one", "several"):
        raise SlowlinkError(
            f"{where}: [{name}]: no value, or nodes is neither one nor several", hint="", slug="bad-tunables"
        )
    values, networks, collectives = (tuple(map(str, each)) for each in lists)
    return Tunable(name, words[0] or library_of(name), values, networks, collectives, words[1], words[2])
