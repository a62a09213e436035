"""``SHA256SUMS``, as ``sha256sum --check`` reads it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from slowlink.bundle import disk
from slowlink.model.bundle import SUMS_NAME


def sum_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(disk.PIECE):
            digest.update(data)
    return digest.hexdigest()


def files_below(directory: Path) -> list[str]:
    """Regular files of a bundle but the sums themselves, as paths with ``/``, sorted. Links are left out."""
    found = (path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(name for path in found if (name := path.relative_to(directory).as_posix()) != SUMS_NAME)


def write_sums(directory: Path) -> None:
    """Write the sums of every file in ``directory``."""
    lines = [f"{sum_of(directory / name)}  {name}\n" for name in files_below(directory)]
    disk.replace_text(directory / SUMS_NAME, "".join(lines))
