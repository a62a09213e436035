"""Keeps reports: one that was just made, and those of bundles that lie about."""

from __future__ import annotations

import json
import time
from calendar import timegm
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.json import encode

from slowlink.bundle import read_bundle
from slowlink.bundle.manifest import manifest_from
from slowlink.errors import SlowlinkError
from slowlink.inputs.small_text import small_text
from slowlink.model.bundle import MANIFEST_NAME, Manifest
from slowlink.quoting import quote
from slowlink.store.connect import open_store
from slowlink.store.write import save
from slowlink.workflows.history.bundles_below import MOST_MANIFEST_BYTES, bundles_below
from slowlink.workflows.history.record import Origin, record_of

if TYPE_CHECKING:
    from slowlink.model.facts import Hardware
    from slowlink.model.history import Kept, RunRecord
    from slowlink.model.report import Report


def keep(report: Report, place: str, *, command: str, bundle: Path | None = None) -> Kept:
    """Put ``report`` into the history at ``place``. Raises SlowlinkError."""
    manifest = _manifest_in(bundle) if bundle is not None and bundle.is_dir() else None
    record = record_of(report, _origin(command, bundle, manifest), time.time())
    store = open_store(place, create=True)
    try:
        return save(store, record)
    finally:
        store.close()


class Rebuilt(Struct, frozen=True):
    """What became of one bundle or saved report."""

    path: str
    kept: Kept | None
    why: str = ""
    """Why it could not be kept."""


def rebuild(
    places: Iterable[Path],
    place: str,
    *,
    hardware: Hardware | None,
    rules: Mapping[str, Mapping[str, object]] | None,
) -> Iterator[Rebuilt]:
    """Analyze every bundle at and below ``places``, read saved reports that are named; keep what is not there yet.

    One that cannot be read is told, and the others go on. Raises SlowlinkError where the store cannot be used.
    """
    store = open_store(place, create=True)
    try:
        for path, why in bundles_below(places):
            if why:
                yield Rebuilt(str(path), None, why)
                continue
            try:
                record = _record_at(path, hardware, rules)
            except SlowlinkError as error:
                yield Rebuilt(str(path), None, error.message)
                continue
            yield Rebuilt(str(path), save(store, record))
    finally:
        store.close()


def _record_at(path: Path, hardware: Hardware | None, rules: Mapping[str, Mapping[str, object]] | None) -> RunRecord:
    from slowlink.workflows.compare import report_at

    report = report_at(str(path), hardware, rules)
    if path.suffix == ".json":
        return record_of(report, Origin("report"), path.stat().st_mtime)
    manifest = _manifest_in(path) if path.is_dir() else read_bundle(path).manifest
    command = manifest.command[1] if manifest is not None and len(manifest.command) > 1 else "bundle"
    return record_of(report, _origin(command, path, manifest), path.stat().st_mtime)


def _origin(command: str, bundle: Path | None, manifest: Manifest | None) -> Origin:
    if manifest is None:
        return Origin(command, bundle=str(bundle.absolute()) if bundle is not None else "")
    made = (manifest.created, manifest.finished, manifest.command, manifest.nodes)
    identity = sha256(encode((made, [capture.name for capture in manifest.captures]))).hexdigest()
    return Origin(
        command,
        argv=quote(manifest.command[1:]),
        bundle=str(bundle.absolute()) if bundle is not None else "",
        at=_seconds(manifest.created),
        identity=identity,
    )


def _seconds(stamp: str) -> float | None:
    try:
        return float(timegm(time.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")))
    except (ValueError, OverflowError):
        return None


def _manifest_in(directory: Path) -> Manifest | None:
    try:
        return manifest_from(json.loads(small_text(directory / MANIFEST_NAME, MOST_MANIFEST_BYTES)))
    except (OSError, ValueError, RecursionError, SlowlinkError):
        return None
