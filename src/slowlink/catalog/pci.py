"""What a PCI device is to collectives, from its class and name (``pci.toml``)."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple, get_args

from slowlink.catalog.load import CatalogueError, table
from slowlink.patterns import regex

Role = Literal["gpu", "hca", "nic", "nvswitch", "bridge", "other"]

_FAMILIES = (
    ("network", regex(r"ethernet|infiniband|network|fabric|^02[0-9a-f]{2}", re.IGNORECASE)),
    ("display", regex(r"3d controller|vga|display|accelerator|co-processor|^03|^12|^0b40", re.IGNORECASE)),
    ("pci bridge", regex(r"pci bridge|^0604", re.IGNORECASE)),
    ("bridge", regex(r"^bridge|^0680", re.IGNORECASE)),
)


class _Entry(NamedTuple):
    role: Role
    family: str | None
    """Family of classes; "" for devices without a class; None for either."""
    name: re.Pattern[str]


def role_of(kind: str, name: str) -> Role:
    """The role of a device of class ``kind`` (``3D controller``, ``0302``, "" where it is not printed)."""
    family = family_of(kind)
    for entry in _entries():
        if entry.family in (family, None) and entry.name.search(name):
            return entry.role
    return "other"


def family_of(kind: str) -> str:
    """``network``, ``display``, ``pci bridge``, ``bridge``; the class itself for any other; "" for none."""
    return next((family for family, pattern in _FAMILIES if pattern.search(kind)), kind.lower())


def is_integrated(name: str) -> bool:
    """Is it a GPU inside a processor, by the name that lspci prints?"""
    return bool(name) and _integrated().search(name) is not None


@cache
def _integrated() -> re.Pattern[str]:
    return re.compile(table("pci.toml")["integrated"]["name"], re.IGNORECASE)


@cache
def _entries() -> tuple[_Entry, ...]:
    found = []
    for entry in table("pci.toml")["device"]:
        if entry["role"] not in get_args(Role):
            raise CatalogueError(f"pci.toml: unknown role {entry['role']}")
        found.append(_Entry(entry["role"], entry.get("class"), re.compile(entry["name"], re.IGNORECASE)))
    return tuple(found)
