"""Bundles among the inputs: their texts are named ``bundle!captures/run-1/stdout``, and their sums are no log."""

from __future__ import annotations

from pathlib import Path

from slowlink.inputs.stream import ByteStream
from slowlink.model.bundle import MANIFEST_NAME, SCHEMA_FAMILY, SUMS_NAME

_HEAD_BYTES = 4096
_MARK = f'"schema": "{SCHEMA_FAMILY}'.encode()


def is_sums(name: str) -> bool:
    """Is this the file of a bundle's sums?"""
    return name.rpartition("/")[2] == SUMS_NAME


def is_bundle_directory(folder: str) -> bool:
    """Does a manifest of a bundle lie in ``folder``? A link to one is none."""
    path = Path(folder) / MANIFEST_NAME
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            return _MARK in file.read(_HEAD_BYTES)
    except OSError:
        return False


def bundle_top(member: str, body: ByteStream) -> str:
    """``slowlink-x/`` when ``member``, the first of an archive, is the manifest of a bundle in that directory."""
    top, slash, name = member.rpartition("/")
    found = name == MANIFEST_NAME and "/" not in top and _MARK in body.peek(_HEAD_BYTES)
    return top + slash if found else ""
