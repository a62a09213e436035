"""Bytes to records: one module for each format, in families. ``forms/interface.py`` says how one plugs in."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from slowlink import families

if TYPE_CHECKING:
    from slowlink.parsers.forms.interface import BinaryParser, DocumentParser, LineParser, Taker

FOLDER = os.path.dirname(__file__)  # noqa: PTH120  (pathlib would cost start-up time)
LITERALS = "literals.json"
"""All literals of all parsers, those too that a parser looks for by itself."""


def unit_names() -> list[str]:
    """Full names of the modules (or packages) of all families, by their own names whatever their family."""
    return sorted((f"{__name__}.{module.name}" for module in families.modules(FOLDER)), key=_own_name)


def _own_name(name: str) -> str:
    return name.rpartition(".")[2]


@lru_cache(maxsize=1)
def _units() -> tuple[tuple[object, ...], ...]:
    """``PARSER``, ``DOCUMENT``, ``BINARY`` and ``TAKER`` of every module of every family, in order of the modules'
    own names: it decides who takes a line that several want. Each stands for its class and is imported when it is first
    used."""
    from slowlink.parsers.declared import Declared, Later, declared_by, expect_literals

    expect_literals(f"{FOLDER}/{LITERALS}")
    lines: list[Later] = []
    documents: list[object] = []
    binaries: list[object] = []
    taking: list[object] = []
    for name, known in sorted(families.declared(FOLDER, Declared), key=lambda each: _own_name(each[0])):
        full = f"{__name__}.{name}"
        says = known if known is not None else declared_by(import_module(full))
        if says.lines is not None:
            lines.append(Later(full, "PARSER", says.lines))
        if says.document:
            documents.append(Later(full, "DOCUMENT"))
        if says.binary:
            binaries.append(Later(full, "BINARY", of_text=says.of_text))
        if says.taker is not None:
            begins = says.taker.begins.encode()
            taking.append(Later(full, "TAKER", kind=says.taker.kind, begins=begins))
    lines.sort(key=lambda unit: unit.last_resort)
    return tuple(lines), tuple(documents), tuple(binaries), tuple(taking)


def line_parsers() -> tuple[type[LineParser], ...]:
    """Every ``PARSER`` class; the index in this tuple is its number in the scan."""
    return _units()[0]  # type: ignore[return-value]


def document_parsers() -> tuple[type[DocumentParser], ...]:
    """Every ``DOCUMENT`` class."""
    return _units()[1]  # type: ignore[return-value]


def binary_parsers() -> tuple[type[BinaryParser], ...]:
    """Every ``BINARY`` class."""
    return _units()[2]  # type: ignore[return-value]


def takers() -> tuple[type[Taker], ...]:
    """Every ``TAKER`` class."""
    return _units()[3]  # type: ignore[return-value]
