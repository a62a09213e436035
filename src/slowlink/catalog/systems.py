"""Kinds of nodes, one file each in the folders of ``systems/``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from slowlink.catalog.gpus import FABRICS, Shares, all_gpus, read_shares
from slowlink.catalog.load import CatalogueError, names, table
from slowlink.model.facts import Hardware, NicGroup


class System(Struct, frozen=True):
    """One file of ``systems/``; its id is the file's name."""

    id: str
    title: str
    aliases: tuple[str, ...]
    gpu: str
    gpus_per_node: int
    nvlink_domain: int
    """GPUs that NVLink (or its like) joins; more than ``gpus_per_node`` where it joins nodes."""
    nics: tuple[NicGroup, ...]
    source: str
    fabric: str | None = None
    """Where this system joins its GPUs otherwise than the GPU's usual board."""
    peers: int | None = None
    shares: Mapping[str, Shares] | None = None

    def hardware(self, *, given: bool) -> Hardware:
        basis = f"catalogue {self.id}: {self.gpus_per_node} x {self.gpu}, {describe_network(self.nics)}"
        return Hardware(self.id, self.gpu, self.gpus_per_node, self.nics, basis, given)


def describe_nics(group: NicGroup) -> str:
    """``8 x 400 Gb/s RoCE``."""
    return f"{group.count} x {group.rate_gbit:g} Gb/s" + (f" {group.link_layer}" if group.link_layer else "")


def describe_network(groups: Iterable[NicGroup]) -> str:
    """``8 x 400 Gb/s``, ``4 x 100 Gb/s + 1 x 200 Gb/s``."""
    return " + ".join(describe_nics(group) for group in groups)


@cache
def all_systems() -> dict[str, System]:
    """Every system by id."""
    return {Path(name).stem: _system(Path(name).stem, table(f"systems/{name}")) for name in names("systems")}


def find_system(text: str) -> System | None:
    """The system with this id or alias; case, ``-``, ``.``, ``_`` and blanks do not matter. Else None."""
    return _by_any_name().get(_normal(text))


def near_systems(text: str, limit: int = 5) -> tuple[str, ...]:
    """Ids of the systems whose id or alias is nearest to ``text``, best first: those that hold all of it lead."""
    from difflib import get_close_matches

    wanted = _normal(text)
    known = _by_any_name()
    holding = sorted((name for name in known if len(wanted) > 1 and wanted in name), key=len)
    close = get_close_matches(wanted, known, n=2 * limit, cutoff=0.4)
    return tuple(dict.fromkeys(known[name].id for name in (*holding, *close)))[:limit]


@cache
def _by_any_name() -> dict[str, System]:
    found: dict[str, System] = {}
    for system in all_systems().values():
        for name in (system.id, *system.aliases):
            if found.setdefault(_normal(name), system) is not system:
                raise CatalogueError(f"systems/{system.id}.toml: the name {name} is taken")
    return found


def _normal(text: str) -> str:
    return text.strip().lower().replace("-", "_").replace(".", "_").replace(" ", "_")


def _system(name: str, entry: Mapping[str, Any]) -> System:
    if entry["gpu"] not in all_gpus() or entry.get("fabric", "none") not in FABRICS:
        raise CatalogueError(f"systems/{name}.toml: unknown GPU or fabric")
    return System(
        id=name,
        title=entry["title"],
        aliases=tuple(entry["aliases"]),
        gpu=entry["gpu"],
        gpus_per_node=entry["gpus_per_node"],
        nvlink_domain=entry["nvlink_domain"],
        nics=tuple(NicGroup(nic["count"], float(nic["rate_gbit"]), nic.get("link_layer")) for nic in entry["nics"]),
        source=entry["source"],
        fabric=entry.get("fabric"),
        peers=entry.get("peers"),
        shares=read_shares(entry.get("shares", {})),
    )
