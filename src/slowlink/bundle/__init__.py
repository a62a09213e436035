"""The bundle: a directory of raw evidence with a manifest, written as it happens; docs/bundle.md describes it."""

from __future__ import annotations

from slowlink.bundle.writer import BundleWriter, CaptureWriter, Sink

__all__ = ["BundleWriter", "CaptureWriter", "Sink"]
