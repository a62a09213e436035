"""Rules and parsers are modules of families (folders) below a package, found by being there.

To import hundreds of them takes longer than to read a small log, and a log needs few. So ``index.json`` in the
package says what each declares, as far as it is asked before the module is needed (``make index`` writes it). A line
of it counts only while the module has the very size that it was written for: one that was added or changed since is
imported and asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct, json

INDEX = "index.json"
T = TypeVar("T")


class Module(NamedTuple):
    """A module (or a package) of a family."""

    name: str
    """``gpu.nvidia_smi``: below the package."""
    size: int
    """Bytes of its source; of a package those of all its modules."""


class Entry(Struct, Generic[T], frozen=True):
    """What the index says of one module."""

    size: int
    declares: T


def modules(folder: str) -> Iterator[Module]:
    """Those of all families of the package in ``folder``."""
    for family in _packages(folder):
        with os.scandir(family) as entries:
            for entry in entries:
                name, suffix = os.path.splitext(entry.name)  # noqa: PTH122  (pathlib would cost start-up time)
                if suffix == ".py" and name != "__init__":
                    yield Module(f"{family.name}.{name}", entry.stat().st_size)
        for package in _packages(family.path):
            yield Module(f"{family.name}.{package.name}", _size_of(package.path))


def declared(folder: str, kind: type[T]) -> Iterator[tuple[str, T | None]]:
    """Each module of the package in ``folder`` with what the index says; None where nothing that still counts."""
    try:
        with open(f"{folder}/{INDEX}", "rb") as file:  # noqa: PTH123
            index = json.decode(file.read(), type=dict[str, Entry[kind]])  # type: ignore[valid-type]
    except OSError:  # a checkout without one is slower, not wrong
        index = {}
    for module in modules(folder):
        entry = index.get(module.name)
        yield module.name, entry.declares if entry is not None and entry.size == module.size else None


def _packages(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if entry.is_dir() and os.path.exists(f"{entry.path}/__init__.py")]  # noqa: PTH110


def _size_of(package: str) -> int:
    """Bytes of all sources below ``package``."""
    with os.scandir(package) as entries:
        found: list[os.DirEntry[str]] = [*entries]
    below = sum(_size_of(entry.path) for entry in found if entry.is_dir() and entry.name != "__pycache__")
    return sum((entry.stat().st_size for entry in found if entry.name.endswith(".py")), below)
