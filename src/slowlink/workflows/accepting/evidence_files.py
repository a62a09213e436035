"""Every file that was given as evidence, with its SHA-256: what a record rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from slowlink.bundle.disk import PIECE
from slowlink.errors import SlowlinkError
from slowlink.inputs.directory import entries_below
from slowlink.model.acceptance import EvidenceFile
from slowlink.workflows.accepting.names import FileNames


def evidence_files(given: Sequence[str], files: FileNames) -> tuple[EvidenceFile, ...]:
    """In the order of their paths. Raises SlowlinkError: ``evidence-piped`` for standard input and pipes,
    ``evidence-unreadable`` for what cannot be read whole: a record must not rest on what nobody can look at again."""
    found = [each for path in given for each in _of(path, files)]
    return tuple(sorted(found, key=lambda each: each.path))


def _of(path: str, files: FileNames) -> Iterator[EvidenceFile]:
    place, top = Path(path), files.top(path)
    if path == "-" or (place.exists() and not (place.is_dir() or place.is_file())):
        raise SlowlinkError(
            f"{path} can be read once only, and evidence must be there to be read again",
            hint="write it into a file first",
            slug="evidence-piped",
        )
    try:
        if not place.is_dir():
            with place.open("rb") as file:
                yield _summed(top, file)
            return
        for entry in entries_below(str(place)):
            name = f"{top}/{Path(entry.path).relative_to(place).as_posix()}"
            if entry.partial:
                raise SlowlinkError(
                    f"{entry.path} {entry.problem}", hint="give less at once", slug="evidence-unreadable"
                )
            if not entry.problem:
                opened, _ = entry.open()
                with opened:
                    yield _summed(name, opened)
    except OSError as problem:
        slug = "input-not-found" if isinstance(problem, FileNotFoundError) else "evidence-unreadable"
        raise SlowlinkError(f"cannot read {path}: {problem.strerror}", hint="check the path", slug=slug) from problem


def _summed(name: str, file: BinaryIO) -> EvidenceFile:
    digest, size = hashlib.sha256(), 0
    while data := file.read(PIECE):
        digest.update(data)
        size += len(data)
    return EvidenceFile(name, size, digest.hexdigest())
