"""The bundle: a directory of raw evidence with a manifest, written as it happens; docs/bundle.md describes it."""

from __future__ import annotations

from slowlink.bundle.archive import Unpacked, pack, unpack
from slowlink.bundle.reader import Bundle, StoredFile, read_bundle
from slowlink.bundle.writer import BundleWriter, CaptureWriter, Sink

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
