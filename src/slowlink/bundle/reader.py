"""Reads a bundle back, from its directory or its archive. A killed or damaged one gives what it holds and says so."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from slowlink.bundle import disk
from slowlink.bundle.manifest import manifest_from
from slowlink.bundle.sums import read_sums
from slowlink.errors import SlowlinkError
from slowlink.inputs.stream import Budget, ByteStream, DamagedError
from slowlink.inputs.tar import is_tar, tar_members
from slowlink.inputs.unpack import compression, unpacked
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME, SUMS_NAME, Manifest

MOST_BYTES = {MANIFEST_NAME: 64 << 20, SUMS_NAME: 20 << 20}
"""Of the two files that are read as a whole: the sums of 200,000 files, and as many captures as a manifest tells."""
Integrity = Literal["verified", "differs", "unfinished"]


class StoredFile(Struct, frozen=True):
    """One file of a bundle."""

    path: str
    size_bytes: int
    sha256: str
    """Of what is there now, not of what the sums say."""


class Bundle(Struct, frozen=True):
    """What a bundle holds. ``integrity`` is ``verified`` when every file is as its sum says and none is missing,
    ``differs`` when not, ``unfinished`` when no sums were written: slowlink was killed, or is still at it."""

    path: str
    manifest: Manifest | None
    """None when it is missing or damaged beyond reading; ``problems`` says which."""
    files: tuple[StoredFile, ...]
    integrity: Integrity
    problems: tuple[str, ...] = ()
    """In words, each with the name of the file that it is about."""


class _Member(NamedTuple):
    path: str
    pieces: Iterable[bytes]


def read_bundle(path: str | Path) -> Bundle:
    """Read manifest and sums of the bundle ``path`` (a directory, ``.tar.zst`` or ``.tar.gz``), and check every file.

    Raises SlowlinkError: ``input-not-found``, ``bundle-not-found`` (nothing of a bundle is there), ``bundle-newer``.
    """
    place = Path(path)
    problems: list[str] = []
    if place.is_dir() and not any((place / name).exists() for name in (MANIFEST_NAME, SUMS_NAME, CAPTURES_NAME)):
        raise _no_bundle(path, "")
    members = _of_directory(place, problems) if place.is_dir() else _of_archive(place, problems)
    kept, files = _read(members, problems)
    if (
        MANIFEST_NAME not in kept
        and SUMS_NAME not in kept
        and not any(file.path.startswith(f"{CAPTURES_NAME}/") for file in files)
    ):
        raise _no_bundle(path, f": {problems[0]}" if problems else "")
    manifest = _manifest(kept.get(MANIFEST_NAME), problems)
    integrity = _integrity(kept.get(SUMS_NAME), files, problems)
    if manifest is not None:
        present = {file.path for file in files}
        for capture in manifest.captures:
            problems += [f"{name}: missing" for name in capture.files if name not in present]
    return Bundle(str(path), manifest, tuple(files), integrity, tuple(dict.fromkeys(problems)))


def _no_bundle(path: str | Path, why: str) -> SlowlinkError:
    hint = f"to analyze plain logs: slowlink analyze {path}"
    return SlowlinkError(f"{path} is no bundle{why}", hint=hint, slug="bundle-not-found")


def _of_directory(directory: Path, problems: list[str]) -> Iterator[_Member]:
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_symlink():
            problems.append(f"{name}: a symbolic link, not read")
        elif path.is_file():
            yield _Member(name, _file_pieces(path))


def _file_pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(disk.PIECE):
            yield data


def _of_archive(archive: Path, problems: list[str]) -> Iterator[_Member]:
    budget = Budget(lines_from=sys.maxsize)  # lines are only summed here
    try:
        file = archive.open("rb")
    except OSError as problem:
        raise SlowlinkError(
            f"cannot open {archive}: {problem.strerror}", hint="check the path", slug="input-not-found"
        ) from problem
    with file:
        stream = ByteStream(iter(lambda: file.read(disk.PIECE), b""))
        budget.packed = archive.stat().st_size
        try:
            if compression(stream):
                stream = ByteStream(unpacked(stream, budget))
            if not is_tar(stream):
                problems.append("it is neither a directory nor a tar archive")
                return
            for name, _, body in tar_members(stream, budget, lambda name, kind: problems.append(f"{name}: {kind}")):
                yield _Member(name, body)
        except DamagedError as problem:
            problems.append(f"the archive cannot be read to its end: {problem}")


def _read(members: Iterable[_Member], problems: list[str]) -> tuple[dict[str, bytes], list[StoredFile]]:
    """The bytes of manifest and sums, and size and sum of every file."""
    kept: dict[str, bytes] = {}
    files: dict[str, StoredFile] = {}
    for path, pieces in members:
        digest, size, held = hashlib.sha256(), 0, bytearray()
        most = MOST_BYTES.get(path.rpartition("/")[2], 0) if path.count("/") <= 1 else 0
        try:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                if size <= most:
                    held += piece
        except OSError as problem:
            problems.append(f"{path}: cannot be read: {problem.strerror}")
            continue
        except DamagedError as problem:
            problems.append(f"{path}: cut off: {problem}")
            continue
        if path in files or path in kept:
            problems.append(f"{path}: a second file of this name")
            continue
        if most:
            kept[path] = bytes(held)
        files[path] = StoredFile(path, size, digest.hexdigest())
    return _below_top(kept, list(files.values()))


def _below_top(kept: dict[str, bytes], files: list[StoredFile]) -> tuple[dict[str, bytes], list[StoredFile]]:
    """Paths without the directory that an archive has around its bundle; the sums are no file of their own."""
    tops = {file.path.partition("/")[0] + "/" for file in files}
    top = tops.pop() if len(tops) == 1 and all("/" in file.path for file in files) else ""
    if top != f"{CAPTURES_NAME}/":
        kept = {path.removeprefix(top): data for path, data in kept.items()}
        files = [StoredFile(file.path.removeprefix(top), file.size_bytes, file.sha256) for file in files]
    return kept, [file for file in files if file.path != SUMS_NAME]


def _manifest(data: bytes | None, problems: list[str]) -> Manifest | None:
    if data is None:
        problems.append(f"{MANIFEST_NAME}: missing")
        return None
    try:
        return manifest_from(json.loads(data))
    except (ValueError, RecursionError):
        problems.append(f"{MANIFEST_NAME}: damaged, it is no JSON")
    except SlowlinkError as problem:
        if problem.slug == "bundle-newer":
            raise
        problems.append(f"{MANIFEST_NAME}: {problem.message}")
    return None


def _integrity(data: bytes | None, files: list[StoredFile], problems: list[str]) -> Integrity:
    if data is None:
        return "unfinished"
    stated = read_sums(data.decode("utf-8", "replace"))
    found = {file.path: file.sha256 for file in files}
    wrong = [f"{name}: differs from its sum" for name in found if name in stated and stated[name] != found[name]]
    wrong += [f"{name}: in no sum" for name in found if name not in stated]
    wrong += [f"{name}: missing" for name in stated if name not in found]
    problems += wrong
    return "differs" if wrong else "verified"
