"""Adapters, from ``hcas.toml``."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table
from slowlink.patterns import regex


class Hca(Struct, frozen=True):
    """One entry of ``hcas.toml``."""

    id: str
    title: str
    names: tuple[re.Pattern[str], ...]
    types: tuple[str, ...]
    """What ibstat prints as CA type: ``MT4129``."""
    rate_gbit: float
    """Of one port."""
    ports: int | None
    pcie: tuple[int, int] | None
    """Generation and lanes of the host side; None when unknown."""
    link_layers: tuple[str, ...]
    source: str


@cache
def all_hcas() -> dict[str, Hca]:
    """Every adapter by id."""
    return {
        name: Hca(
            id=name,
            title=entry["title"],
            names=tuple(regex(pattern, re.IGNORECASE) for pattern in entry["names"]),
            types=tuple(entry.get("types", ())),
            rate_gbit=float(entry["rate_gbit"]),
            ports=entry.get("ports"),
            pcie=(entry["pcie"][0], entry["pcie"][1]) if "pcie" in entry else None,
            link_layers=tuple(entry["link_layers"]),
            source=entry["source"],
        )
        for name, entry in table("hcas.toml").items()
    }


def find_hca(text: str) -> Hca | None:
    """The adapter with this id, CA type (``MT4129``) or model name; None when unknown."""
    name = text.strip()
    for hca in all_hcas().values():
        if name.lower() == hca.id or name.upper() in hca.types:
            return hca
        if any(pattern.fullmatch(name) for pattern in hca.names):
            return hca
    return None
