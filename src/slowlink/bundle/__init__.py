"""The bundle: a directory of raw evidence with a manifest, written as it happens; docs/bundle.md describes it.

Names are loaded when they are first used: a run that starts needs the writer, not the archives.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slowlink.bundle.archive import Unpacked, pack, unpack
    from slowlink.bundle.reader import Bundle, StoredFile, read_bundle
    from slowlink.bundle.writer import BundleWriter, CaptureWriter, Sink

_HOMES = {
    "Bundle": "slowlink.bundle.reader",
    "BundleWriter": "slowlink.bundle.writer",
    "CaptureWriter": "slowlink.bundle.writer",
    "Sink": "slowlink.bundle.writer",
    "StoredFile": "slowlink.bundle.reader",
    "Unpacked": "slowlink.bundle.archive",
    "pack": "slowlink.bundle.archive",
    "read_bundle": "slowlink.bundle.reader",
    "unpack": "slowlink.bundle.archive",
}

__all__ = [
    "Bundle",
    "BundleWriter",
    "CaptureWriter",
    "Sink",
    "StoredFile",
    "Unpacked",
    "pack",
    "read_bundle",
    "unpack",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'slowlink.bundle' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
