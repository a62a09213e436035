"""Is a bundle as it was written? Its sums and its manifest are held against its files while their bytes pass by.

``slowlink analyze`` and ``slowlink bundle show`` both learn it here. Files may come in any order, and from several
bundles: each is known by its path, and a bundle by the path of its folder, which ends with ``/``, with ``!`` or is
empty.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from slowlink.inputs.stream import ByteStream
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME, SCHEMA_FAMILY, SUMS_NAME
from slowlink.patterns import regex

HEAD_BYTES = 4096
"""What is looked at to tell whether a file belongs to a bundle."""
MOST_BYTES = {MANIFEST_NAME: 16 << 20, SUMS_NAME: 20 << 20}
"""Of the two files that are read as a whole: the sums of 200,000 files, and as many captures as a manifest tells."""

_MOST_HELD_BYTES = 64 << 20
"""Of these files of all bundles in one input. What comes later is held to be damaged."""

DIFFERS = "differs from its sum: it is not as it was written"
ADDED = "in no sum: nobody can tell whether it is as it was written"
MISSING = "missing"
NO_SUMS = "missing: nobody can tell whether the files are as they were written"
SECOND = "a second file of this name"
NO_JSON = "damaged, it is no JSON"
NO_MANIFEST = "the manifest is not one of slowlink's"

Integrity = Literal["verified", "differs", "unfinished"]

_MARK = regex(rf'"schema"\s*:\s*"{SCHEMA_FAMILY}')
_SUM_OF_CAPTURE = regex(rf"(?m)^[0-9a-f]{{64}}  {CAPTURES_NAME}/")
_OWN = regex(rf"(?:^|[/!])(?:{MANIFEST_NAME}|{SUMS_NAME}|{CAPTURES_NAME}/[^!]+)$")
"""Paths that may belong to a bundle. Other files of archives are none of ours, and no time is spent on them."""
_BORDER = regex(r"[/!]")


def has_mark(start: bytes) -> bool:
    """Does a manifest of a bundle begin so?"""
    return _MARK.search(start[:HEAD_BYTES].decode("latin-1")) is not None


def has_sums_of_captures(start: bytes) -> bool:
    """Do the sums of a bundle begin so? Captures come first: sums are sorted by name."""
    return _SUM_OF_CAPTURE.search(start[:HEAD_BYTES].decode("latin-1")) is not None


def read_sums(text: str) -> dict[str, str]:
    """Path -> sum, of what ``sha256sum`` wrote. Lines that are none are passed over."""
    sums: dict[str, str] = {}
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        if len(digest) == 64 and name and not set(digest) - set("0123456789abcdef"):
            sums[name] = digest
    return sums


class _Manifest(Struct, frozen=True):
    """What a manifest says of the files beside it."""

    problem: str = ""
    finished: bool = False
    files: tuple[str, ...] = ()


class BundleCheck:
    """Hears of every file of a directory or an archive, and tells what is wrong with the bundles among them."""

    def __init__(self, *, every: bool = False) -> None:
        """``every``: sum up all files, because all are those of a bundle."""
        self._every = every
        self._bundles: set[str] = set()
        self._sums: dict[str, dict[str, str]] = {}
        self._manifests: dict[str, _Manifest] = {}
        self._digests: dict[str, str | None] = {}
        """Of each file that was there; None where it was not read to its end, or is of no bundle that we know."""
        self._twice: set[str] = set()
        self._told: set[tuple[str, str]] = set()
        self._left = _MOST_HELD_BYTES

    def add_bundle(self, folder: str) -> None:
        """What lies in ``folder`` is a bundle."""
        self._bundles.add(folder)

    def are_sums(self, path: str, stream: ByteStream) -> bool:
        """Is the file ``path`` the sums of a bundle? They are no log. ``stream`` holds it, and nothing is taken."""
        folder = _folder(path, SUMS_NAME)
        if folder is None:
            return False
        if has_sums_of_captures(stream.peek(HEAD_BYTES)):
            self.add_bundle(folder)
        return folder in self._bundles

    def passing(self, path: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """``pieces`` of the file ``path``, summed up on their way."""
        if path in self._digests:
            self._twice.add(path)
            yield from pieces
            return
        self._digests[path] = None
        if not (self._every or _OWN.search(path) or self._of(path)):
            yield from pieces
            return
        most = next((most for name, most in MOST_BYTES.items() if _folder(path, name) is not None), 0)
        most = min(most, self._left)
        digest, held = hashlib.sha256(), bytearray()
        for piece in pieces:
            digest.update(piece)
            held += piece[: most - len(held)]
            yield piece
        self._left -= len(held)
        self._digests[path] = digest.hexdigest()
        self._take(path, bytes(held))

    def digest(self, path: str) -> str | None:
        """The sum of a file that has passed to its end."""
        return self._digests.get(path)

    def wrong(self, path: str) -> str:
        """What is wrong with the file ``path``, as far as is known; "" for nothing. ``rest`` does not tell it again."""
        words = list(self._words(path))
        self._told.update((path, one) for one in words)
        return "; ".join(words)

    def rest(self) -> Iterator[tuple[str, str]]:
        """When all files have passed: (path, what is wrong with it), as far as ``wrong`` has not told it."""
        for path in self._digests:
            yield from ((path, words) for words in self._words(path) if (path, words) not in self._told)
        for folder in sorted(self._bundles):
            yield from self._missing(folder)

    def integrity(self, folder: str) -> Integrity:
        """Are all files of the bundle in ``folder`` as they were written, and none missing or added?"""
        sums = self._sums.get(folder)
        if sums is None:
            return "differs" if self._manifest_of(folder).finished else "unfinished"
        found = {path[len(folder) :]: digest for path, digest in self._digests.items() if path.startswith(folder)}
        found.pop(SUMS_NAME, None)
        return "verified" if found == sums else "differs"

    def _take(self, path: str, data: bytes) -> None:
        if (folder := _folder(path, SUMS_NAME)) is not None:
            self._sums[folder] = read_sums(data.decode("utf-8", "replace"))
        elif (folder := _folder(path, MANIFEST_NAME)) is not None:
            if has_mark(data):
                self.add_bundle(folder)
            self._manifests[folder] = (
                _manifest(data) if self._every or folder in self._bundles else _Manifest(NO_MANIFEST)
            )

    def _of(self, path: str) -> list[str]:
        """The folders of the bundles that ``path`` lies in; mostly one, or none."""
        if not self._bundles:
            return []
        ends = (0, *(border.end() for border in _BORDER.finditer(path)))
        return [path[:end] for end in ends if path[:end] in self._bundles]

    def _words(self, path: str) -> Iterator[str]:
        """In what ways ``path`` is not as it was written."""
        for folder in self._of(path):
            name, sums = path[len(folder) :], self._sums.get(folder)
            if name == MANIFEST_NAME and (problem := self._manifest_of(folder).problem):
                yield problem
            if path in self._twice:
                yield SECOND
            if sums is None or name == SUMS_NAME:
                continue
            if name not in sums:
                yield ADDED
            elif self._digests[path] not in (None, sums[name]):
                yield DIFFERS

    def _manifest_of(self, folder: str) -> _Manifest:
        return self._manifests.get(folder, _Manifest())

    def _missing(self, folder: str) -> Iterator[tuple[str, str]]:
        manifest = self._manifest_of(folder)
        if manifest.finished and folder not in self._sums:
            yield folder + SUMS_NAME, NO_SUMS
        for name in dict.fromkeys((MANIFEST_NAME, *manifest.files, *self._sums.get(folder, ()))):
            if folder + name not in self._digests:
                yield folder + name, MISSING


def _folder(path: str, name: str) -> str | None:
    """The folder of ``path`` if that is a file of this ``name``."""
    folder = path.removesuffix(name)
    return folder if folder != path and (not folder or folder[-1] in "/!") else None


def _manifest(data: bytes) -> _Manifest:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _Manifest(NO_JSON)
    if not isinstance(value, dict) or not str(value.get("schema")).startswith(SCHEMA_FAMILY):
        return _Manifest(NO_MANIFEST)
    captures = value.get("captures")
    files = [capture.get("files") for capture in _items(captures) if isinstance(capture, dict)]
    named = (name for some in files for name in _items(some) if isinstance(name, str))
    return _Manifest("", isinstance(value.get("finished"), str), tuple(named))


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []
