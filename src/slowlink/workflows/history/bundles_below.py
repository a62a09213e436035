"""Bundles that lie about: found without following anything foreign, and without waiting for anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from slowlink.bundle.archive import SUFFIXES
from slowlink.bundle.manifest import schema_version
from slowlink.errors import SlowlinkError
from slowlink.inputs.directory import Entry, entries_below, kind_of_file
from slowlink.model.bundle import MANIFEST_NAME

MOST_MANIFEST_BYTES = 64 << 20


def bundles_below(places: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Bundles in the order of their names, each with "" or why it cannot be read; nothing inside one. What was not
    looked at for a limit or want of permission is among them. No link is followed.

    Saved reports are taken where they are named: those in a directory repeat its bundles. Raises SlowlinkError for a
    place that is not there.
    """
    for place in places:
        if not place.exists():
            raise SlowlinkError(f"{place} is not there", hint="check the path", slug="input-not-found")
        if place.is_dir():
            yield from _below(place)
        elif place.name.endswith((*SUFFIXES, ".json")):
            yield place, "" if place.is_file() else f"{kind_of_file(place.stat().st_mode)}, not read"


def _below(place: Path) -> Iterator[tuple[Path, str]]:
    for entry in entries_below(str(place), _is_bundle):
        is_archive = entry.path.endswith(SUFFIXES) and not Path(entry.path).is_symlink()
        if entry.whole or entry.partial or is_archive:
            yield Path(entry.path), entry.problem


def _is_bundle(folder: int) -> bool:
    """Is there a bundle's manifest in this open folder? Only a regular file is read."""
    try:
        file, size = Entry(MANIFEST_NAME, "", folder).open()
        with file:
            text = file.read(MOST_MANIFEST_BYTES + 1) if size <= MOST_MANIFEST_BYTES else b""
        return schema_version(json.loads(text)) is not None
    except (OSError, ValueError, RecursionError):
        return False
