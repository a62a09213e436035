"""Bytes to records: one module for each format, found by being here. ``interface`` says how one plugs in."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slowlink.parsers.interface import BinaryParser, DocumentParser, LineParser


@lru_cache(maxsize=1)
def _units() -> tuple[tuple[object, ...], tuple[object, ...], tuple[object, ...]]:
    """``PARSER`` (``PARSERS`` of a package with several), ``DOCUMENT`` and ``BINARY`` of every module here, in order of
    names. Imported at the first read."""
    lines: list[object] = []
    documents: list[object] = []
    binaries: list[object] = []
    for name in sorted(found.name for found in iter_modules(__path__)):
        module = import_module(f"{__name__}.{name}")
        for attribute, units in (("PARSER", lines), ("DOCUMENT", documents), ("BINARY", binaries)):
            unit = getattr(module, attribute, None)
            if unit is not None:
                units.append(unit)
        lines.extend(getattr(module, "PARSERS", ()))
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
