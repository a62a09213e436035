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

from msgspec import MsgspecError, Struct, json

INDEX = "index.json"
_SUFFIXES = (".py", ".pyc")
"""Images for containers may hold compiled modules alone."""
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
            files = {entry.name: entry for entry in entries if entry.name.endswith(_SUFFIXES)}
        for file, entry in files.items():
            name, suffix = os.path.splitext(file)  # noqa: PTH122  (pathlib would cost start-up time)
            if name != "__init__" and (suffix == ".py" or f"{name}.py" not in files):
                yield Module(f"{family.name}.{name}", entry.stat().st_size)
        for package in _packages(family.path):
            yield Module(f"{family.name}.{package.name}", _size_of(package.path))


def declared(folder: str, kind: type[T]) -> Iterator[tuple[str, T | None]]:
    """Each module of the package in ``folder`` with what the index says; None where nothing that still counts."""
    try:
        with open(f"{folder}/{INDEX}", "rb") as file:  # noqa: PTH123
            index = json.decode(file.read(), type=dict[str, Entry[kind]])  # type: ignore[valid-type]
    except (OSError, MsgspecError):  # an installation without one, or with a part of it, is slower, not wrong
        index = {}
    for module in modules(folder):
        entry = index.get(module.name)
        yield module.name, entry.declares if entry is not None and entry.size == module.size else None


def _packages(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if entry.is_dir() and any(map(os.path.exists, _inits(entry.path)))]


def _inits(folder: str) -> Iterator[str]:
    return (f"{folder}/__init__{suffix}" for suffix in _SUFFIXES)


def _size_of(package: str) -> int:
    """Bytes of all sources below ``package``."""
    with os.scandir(package) as entries:
        found: list[os.DirEntry[str]] = [*entries]
    below = sum(_size_of(entry.path) for entry in found if entry.is_dir() and entry.name != "__pycache__")
    return sum((entry.stat().st_size for entry in found if entry.name.endswith(".py")), below)
