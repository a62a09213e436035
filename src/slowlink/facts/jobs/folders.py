"""Which job owns a folder: what tells nothing of its job belongs to that of its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


def folder_of(source: str) -> str:
    """The folder that an input lies in; an archive is a folder."""
    return source.replace("!", "/").rpartition("/")[0]


def stem_of(source: str) -> str:
    """The path without its endings: ``a/job`` of ``a/job.err.gz``."""
    folder, slash, name = source.replace("!", "/").rpartition("/")
    return folder + slash + (name.partition(".")[0] or name)


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


class Tops:
    """What the names of all files of each bundle begin with."""

    def __init__(self, tops: Iterable[str]) -> None:
        self._place = {top: place for place, top in reversed([*enumerate(tops)])}
        self._lengths = sorted({len(top) for top in self._place})

    def of(self, source: str) -> list[str]:
        """Those that a source lies in, in their order."""
        known = (source[:length] for length in self._lengths if length <= len(source))
        return sorted((top for top in known if top in self._place), key=lambda top: self._place[top])


class Folders(Generic[T]):
    """Whose inputs lie in each folder or below it."""

    def __init__(self) -> None:
        self._owners: dict[str, dict[int, T]] = {}
        self._stems: dict[str, dict[int, T]] = {}

    def add(self, sources: Iterable[str], owner: T) -> None:
        for source in sources:
            self._stems.setdefault(stem_of(source), {})[id(owner)] = owner
            for folder in _upwards(folder_of(source)):
                self._owners.setdefault(folder, {})[id(owner)] = owner

    def nearest(self, sources: Iterable[str], among: Iterable[T] | None = None) -> T | None:
        """The one owner of the same name or in the nearest folder that has any; None where there are several."""
        allowed = {id(owner) for owner in among} if among is not None else None
        found = {id(owner): owner for source in sources for owner in self._of(source, allowed)}
        return next(iter(found.values())) if len(found) == 1 else None

    def _of(self, source: str, allowed: set[int] | None) -> list[T]:
        places = [self._stems.get(stem_of(source), {})]
        places += [self._owners.get(folder, {}) for folder in _upwards(folder_of(source))]
        for place in places:
            owners = [owner for key, owner in place.items() if allowed is None or key in allowed]
            if owners:
                return owners
        return []
