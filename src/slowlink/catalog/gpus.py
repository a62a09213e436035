"""GPUs, from ``gpus.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from slowlink.catalog.load import CatalogueError, table
from slowlink.patterns import regex

Shares = tuple[float, float, float]
"""Typical, warn and fail share of a bound."""

FABRICS = ("nvswitch", "mesh", "hybrid", "bridge", "none", "unknown")


class Gpu(Struct, frozen=True):
    """One entry of ``gpus.toml``. Bandwidths in GB/s, one direction, per GPU; None means unknown."""

    id: str
    title: str
    vendor: str
    architecture: str
    names: tuple[re.Pattern[str], ...]
    fabric: str
    """``nvswitch mesh hybrid bridge none unknown``: how GPUs of a usual node are joined."""
    nvls: bool
    source: str
    links: int | None = None
    link_gbs: float | None = None
    peak_gbs: float | None = None
    """The most that copies between two GPUs were measured to carry over all links."""
    usable_gbs: float | None = None
    """What collectives usually have of all links: no bound."""
    pair_gbs: float | None = None
    """Mesh: what a pair of GPUs reaches over its one link, where that was measured."""
    peers: int | None = None
    """Mesh: the number of partners among which the links are divided."""
    island: int | None = None
    """Bridge: the number of GPUs that a bridge joins."""
    small_mesh: int | None = None
    """Smaller boards with this GPU have a mesh of that many partners instead of switches."""
    nvls_share: float | None = None
    rack: int | None = None
    """GPUs that NVLink joins over the nodes of a rack; None where it ends with the node."""
    pcie_gen: int | None = None
    memory_bytes: int | None = None
    watts: float | None = None
    """The power that the vendor sells the board with."""
    fp64_tflops: float | None = None
    """The vendor's rate in double precision, of its matrix units where they have it."""
    shares: Mapping[str, Shares] | None = None

    @property
    def wire_gbs(self) -> float | None:
        """What all links together can carry at most: the highest copy measured, else the vendor's rate."""
        if self.peak_gbs is not None:
            return self.peak_gbs
        return self.links * self.link_gbs if self.links and self.link_gbs else None


@cache
def all_gpus() -> dict[str, Gpu]:
    """Every GPU by id."""
    return {name: _gpu(name, entry) for name, entry in table("gpus.toml").items()}


def find_gpu(text: str) -> Gpu | None:
    """The GPU with this catalogue id, or with this device name as a driver prints it; None when unknown."""
    name = " ".join(text.split())
    by_id = all_gpus().get(name.lower().replace("_", "-"))
    if by_id is not None:
        return by_id
    for gpu in all_gpus().values():
        if any(pattern.fullmatch(name) for pattern in gpu.names):
            return gpu
    return None


def read_shares(entry: Mapping[str, Any]) -> dict[str, Shares]:
    """The ``shares`` table of a GPU or a system."""
    found: dict[str, Shares] = {}
    for name, values in entry.items():
        if name == "source":
            continue
        typical, warn, fail = values
        if not 0 < fail <= warn <= typical <= 1.1:
            raise CatalogueError(f"shares {name}: {values} are not typical >= warn >= fail")
        found[name] = (float(typical), float(warn), float(fail))
    return found


def _gpu(name: str, entry: Mapping[str, Any]) -> Gpu:
    if entry["fabric"] not in FABRICS:
        raise CatalogueError(f"gpus.toml: {name}: fabric {entry['fabric']!r}")
    gib = entry.get("memory_gib")
    return Gpu(
        id=name,
        title=entry["title"],
        vendor=entry["vendor"],
        architecture=entry["architecture"],
        names=tuple(regex(pattern, re.IGNORECASE) for pattern in entry["names"]),
        fabric=entry["fabric"],
        nvls=entry["nvls"],
        source=entry["source"],
        links=entry.get("links"),
        link_gbs=entry.get("link_gbs"),
        peak_gbs=entry.get("peak_gbs"),
        usable_gbs=entry.get("usable_gbs"),
        pair_gbs=entry.get("pair_gbs"),
        peers=entry.get("peers"),
        island=entry.get("island"),
        small_mesh=entry.get("small_mesh"),
        nvls_share=entry.get("nvls_share"),
        rack=entry.get("rack"),
        pcie_gen=entry.get("pcie_gen"),
        watts=entry.get("watts"),
        fp64_tflops=entry.get("fp64_tflops"),
        memory_bytes=None if gib is None else gib << 30,
        shares=read_shares(entry.get("shares", {})),
    )
