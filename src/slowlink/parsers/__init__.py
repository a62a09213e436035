"""Bytes to records: one module for each format, in families. ``forms/interface.py`` says how one plugs in."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slowlink.parsers.forms.interface import BinaryParser, DocumentParser, LineParser


def unit_names() -> list[str]:
    """Full names of the modules (or packages) of all families, by their own names whatever their family."""
    families = (f"{__name__}.{found.name}" for found in iter_modules(__path__) if found.ispkg)
    names = [f"{family}.{found.name}" for family in families for found in iter_modules(import_module(family).__path__)]
    return sorted(names, key=lambda name: name.rpartition(".")[2])


@lru_cache(maxsize=1)
def _units() -> tuple[tuple[object, ...], tuple[object, ...], tuple[object, ...]]:
    """``PARSER``, ``DOCUMENT`` and ``BINARY`` of every module of every family, in order of the modules' own names: it
    decides who takes a line that several want. Imported at the first read."""
    lines: list[object] = []
    documents: list[object] = []
    binaries: list[object] = []
    for name in unit_names():
        module = import_module(name)
        for attribute, units in (("PARSER", lines), ("DOCUMENT", documents), ("BINARY", binaries)):
            unit = getattr(module, attribute, None)
            if unit is not None:
                units.append(unit)
    lines.sort(key=lambda unit: int(getattr(unit, "last_resort", 0)))
    return tuple(lines), tuple(documents), tuple(binaries)


def line_parsers() -> tuple[type[LineParser], ...]:
    """Every ``PARSER`` class; the index in this tuple is its number in the scan."""
    return _units()[0]  # type: ignore[return-value]


def document_parsers() -> tuple[type[DocumentParser], ...]:
    """Every ``DOCUMENT`` class."""
    return _units()[1]  # type: ignore[return-value]


def binary_parsers() -> tuple[type[BinaryParser], ...]:
    """Every ``BINARY`` class."""
    return _units()[2]  # type: ignore[return-value]
