"""``SHA256SUMS``, as ``sha256sum --check`` reads it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from slowlink.bundle import disk
from slowlink.errors import SlowlinkError
from slowlink.inputs.directory import Entry, entries_below
from slowlink.model.bundle import SUMS_NAME


def _sum_of(path: Path, entry: Entry) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with opened(path, entry) as (file, _):
        while data := file.read(disk.PIECE):
            digest.update(data)
    return digest.hexdigest()


@contextmanager
def opened(path: Path, entry: Entry) -> Iterator[tuple[BinaryIO, int]]:
    """A file of a bundle and its size in bytes. Raises SlowlinkError where it cannot be read."""
    if entry.problem:
        raise SlowlinkError(f"{path} {entry.problem}", hint="ask its owner", slug="bundle-unreadable")
    try:
        file, size = entry.open()
    except OSError as problem:
        raise SlowlinkError(
            f"cannot read {path}: {problem.strerror}", hint="ask its owner", slug="bundle-unreadable"
        ) from problem
    with file:
        yield file, size


def entries_of(directory: Path) -> Iterator[tuple[str, Entry]]:
    """Everything below a bundle's directory by its path in the bundle, with ``/``. To be read before the next is asked
    for; a folder that becomes a link meanwhile leads nowhere."""
    top = str(directory)
    for entry in entries_below(top):
        yield Path(entry.path).relative_to(top).as_posix(), entry


def write_sums(directory: Path) -> None:
    """Write the sums of every file in ``directory`` but their own; links are left out. Raises SlowlinkError."""
    sums = {
        name: _sum_of(directory / name, entry)
        for name, entry in entries_of(directory)
        if name != SUMS_NAME and (not entry.problem or entry.partial)
    }
    disk.replace_text(directory / SUMS_NAME, "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)))
