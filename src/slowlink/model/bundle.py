"""What a bundle says of itself: the content of its ``manifest.json``."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from slowlink.model.plan import Capture, Plan

SCHEMA_FAMILY = "slowlink.bundle/"
SCHEMA_VERSION = 1
SCHEMA = f"{SCHEMA_FAMILY}{SCHEMA_VERSION}"
MANIFEST_NAME = "manifest.json"
SUMS_NAME = "SHA256SUMS"
CAPTURES_NAME = "captures"


class Manifest(Struct, frozen=True):
    """What was run where and when. Paths are relative to the bundle, with ``/`` between their parts."""

    slowlink: str
    """Version that wrote it."""
    created: str
    """UTC, ``2026-01-31T23:59:59Z``."""
    command: tuple[str, ...] = ()
    """The command line of slowlink itself, redacted."""
    plan: Plan | None = None
    """The plan as it was run, redacted."""
    nodes: tuple[str, ...] = ()
    captures: tuple[Capture, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict)
    """Kind -> how many values were taken out."""
    anonymized: bool = False
    finished: str | None = None
    """UTC; None while it is written, and for ever when slowlink was killed."""
