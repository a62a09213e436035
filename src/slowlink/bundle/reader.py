"""Reads a bundle back, from its directory or its archive. A killed or damaged one gives what it holds and says so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from slowlink.bundle import disk
from slowlink.bundle.manifest import manifest_from
from slowlink.bundle.sums import entries_of
from slowlink.errors import SlowlinkError
from slowlink.inputs.bundle_check import MISSING, MOST_BYTES, NO_JSON, BundleCheck, Integrity
from slowlink.inputs.directory import Entry
from slowlink.inputs.stream import ONLY_SUMMED, UNBOUNDED, Budget, ByteStream, DamagedError
from slowlink.inputs.tar import is_tar, tar_members
from slowlink.inputs.unpack import compression, unpacked
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME, SUMS_NAME, Manifest
from slowlink.quoting import quote


class StoredFile(Struct, frozen=True):
    """One file of a bundle."""

    path: str
    size_bytes: int
    sha256: str
    """Of what is there now, not of what the sums say."""


class Bundle(Struct, frozen=True):
    """What a bundle holds. ``integrity`` is ``verified`` when every file is as its sum says and none is missing,
    ``differs`` when not, or when its sums were taken away; ``unfinished`` when none were written: slowlink was killed,
    or is still at it."""

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
    try:
        bare = place.is_dir() and not any((place / name).exists() for name in (MANIFEST_NAME, SUMS_NAME, CAPTURES_NAME))
    except OSError as problem:
        raise _no_bundle(path, f": {problem.strerror}") from problem
    if bare:
        raise _no_bundle(path, "")
    members = _of_directory(place, problems) if place.is_dir() else _of_archive(place, problems)
    check = BundleCheck(every=True)
    sizes, written = _read(members, check, problems)
    top = _top(sizes)
    files = [StoredFile(path.removeprefix(top), size, check.digest(path) or "") for path, size in sizes.items()]
    if top + MANIFEST_NAME not in sizes and top + SUMS_NAME not in sizes and not _has_captures(files):
        raise _no_bundle(path, f": {problems[0]}" if problems else "")
    check.add_bundle(top)
    problems += [f"{name.removeprefix(top)}: {words}" for name, words in check.rest()]
    manifest = _manifest(written.get(top + MANIFEST_NAME), problems)
    kept = tuple(file for file in files if file.path != SUMS_NAME)
    return Bundle(str(path), manifest, kept, check.integrity(top), tuple(dict.fromkeys(problems)))


def _has_captures(files: Iterable[StoredFile]) -> bool:
    return any(file.path.startswith(f"{CAPTURES_NAME}/") for file in files)


def _no_bundle(path: str | Path, why: str) -> SlowlinkError:
    hint = f"to analyze plain logs: slowlink analyze {quote([str(path)])}"
    return SlowlinkError(f"{path} is no bundle{why}", hint=hint, slug="bundle-not-found")


def _of_directory(directory: Path, problems: list[str]) -> Iterator[_Member]:
    for name, entry in entries_of(directory):
        if entry.problem:
            problems.append(f"{name}: {entry.problem}")
        else:
            yield _Member(name, _file_pieces(entry))


def _file_pieces(entry: Entry) -> Iterator[bytes]:
    file, _ = entry.open()
    with file:
        while data := file.read(disk.PIECE):
            yield data


def _of_archive(archive: Path, problems: list[str]) -> Iterator[_Member]:
    budget = Budget(
        share_of_bytes=ONLY_SUMMED, share_of_lines=UNBOUNDED, share_of_members=UNBOUNDED
    )  # nothing is nested
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


def _read(
    members: Iterable[_Member], check: BundleCheck, problems: list[str]
) -> tuple[dict[str, int], dict[str, bytes]]:
    """The size of every file, and the bytes of manifests. ``check`` hears of all."""
    sizes: dict[str, int] = {}
    written: dict[str, bytes] = {}
    first = ""
    for path, pieces in members:
        first = first or path.partition("/")[0]
        may_be = (MANIFEST_NAME, f"{first}/{MANIFEST_NAME}")  # one bundle has one: an archive may hold thousands
        is_manifest = path in may_be and path not in written
        size, held = 0, bytearray()
        try:
            for piece in check.passing(path, pieces):
                size += len(piece)
                if is_manifest and size <= MOST_BYTES[MANIFEST_NAME]:
                    held += piece
        except OSError as problem:
            problems.append(f"{path}: cannot be read: {problem.strerror}")
            continue
        except DamagedError as problem:
            problems.append(f"{path}: cut off: {problem}")
            continue
        sizes.setdefault(path, size)
        if is_manifest:
            written[path] = bytes(held)
    return sizes, written


def _top(paths: Iterable[str]) -> str:
    """The directory that an archive has around its bundle, with its ``/``; "" where there is none."""
    tops = {path.partition("/")[0] + "/" if "/" in path else "" for path in paths}
    top = tops.pop() if len(tops) == 1 else ""
    return "" if top == f"{CAPTURES_NAME}/" else top


def _manifest(data: bytes | None, problems: list[str]) -> Manifest | None:
    if data is None:
        problems.append(f"{MANIFEST_NAME}: {MISSING}")
        return None
    try:
        return manifest_from(json.loads(data))
    except (ValueError, RecursionError):
        problems.append(f"{MANIFEST_NAME}: {NO_JSON}")
    except SlowlinkError as problem:
        if problem.slug == "bundle-newer":
            raise
        problems.append(f"{MANIFEST_NAME}: {problem.message}")
    return None
