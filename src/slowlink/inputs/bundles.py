"""Bundles among the inputs: their texts are named ``bundle!captures/run-1/stdout``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from slowlink.inputs.bundle_check import HEAD_BYTES, has_mark, has_sums_of_captures
from slowlink.inputs.stream import ByteStream
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME, SUMS_NAME


def is_bundle_directory(folder: str) -> bool:
    """Does a bundle's manifest lie in ``folder``, or its sums beside its captures? A link to one is none."""
    place = Path(folder)
    if _begins(place / MANIFEST_NAME, has_mark):
        return True
    return (place / CAPTURES_NAME).is_dir() and _begins(place / SUMS_NAME, has_sums_of_captures)


def _begins(path: Path, as_it_should: Callable[[bytes], bool]) -> bool:
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            return as_it_should(file.read(HEAD_BYTES))
    except OSError:
        return False


def bundle_top(member: str, body: ByteStream) -> str:
    """``slowlink-x/`` when ``member``, the first of an archive, is the manifest of a bundle in that directory."""
    top, slash, name = member.rpartition("/")
    found = name == MANIFEST_NAME and "/" not in top and has_mark(body.peek(HEAD_BYTES))
    return top + slash if found else ""
