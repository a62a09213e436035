"""Reads the TOML files of this package. They are data: a new device or system needs no Python."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
"""Not importlib.resources: to import it takes longer than to read the files."""


class CatalogueError(Exception):
    """A file of the catalogue is wrong: a defect of slowlink, never of the user's input."""


@cache
def table(name: str) -> dict[str, Any]:
    """The document ``name`` (``gpus.toml``, ``systems/hgx_h100.toml``) of this package.

    Callers must not change what they get: it is read once and shared.
    """
    import tomli  # compiled: it takes half the time of tomllib, and a run reads sixty documents

    path = _HERE / name
    try:
        document: dict[str, Any] = tomli.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CatalogueError(f"catalogue file {name}: {error}") from error
    return document


def names(folder: str) -> tuple[str, ...]:
    """Paths below ``folder`` (with suffix) of its TOML documents and those of its folders, by the files' own names."""
    found = sorted((_HERE / folder).rglob("*.toml"), key=lambda entry: entry.name)
    return tuple(entry.relative_to(_HERE / folder).as_posix() for entry in found)
