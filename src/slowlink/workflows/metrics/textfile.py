"""A file for node_exporter's textfile collector: whole or not at all, and readable by the user that collects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from slowlink.bundle.disk import put_whole
from slowlink.errors import SlowlinkError
from slowlink.model.metrics import MetricFamily
from slowlink.report.metrics.text import metrics_text

SUFFIX = ".prom"
_FOR_ALL = 0o644


def require_textfile(path: Path) -> None:
    """Look before the work whether the file can be there. Raises SlowlinkError: ``textfile-place``."""
    if path.suffix != SUFFIX:
        raise _misplaced(path, f"its name must end with {SUFFIX}: nothing else is collected")
    if not path.parent.is_dir():
        raise _misplaced(path, f"there is no directory {path.parent}")
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise _misplaced(path, "it is no regular file")


def _misplaced(path: Path, why: str) -> SlowlinkError:
    hint = "a file in the directory of node_exporter's --collector.textfile.directory"
    return SlowlinkError(f"cannot write {path}: {why}", hint=hint, slug="textfile-place")


def write_textfile(path: Path, families: Sequence[MetricFamily]) -> None:
    """Put the metrics at ``path``; a symbolic link there is replaced, not followed. Where the disk is full the file of
    before stays, and its time tells that it is old. Raises SlowlinkError: ``textfile-unwritten``."""
    try:
        put_whole(path, metrics_text(families).encode("utf-8", "backslashreplace"), _FOR_ALL)
    except OSError as problem:
        raise SlowlinkError(
            f"the metrics are not in {path}: {problem.strerror or problem}",
            hint="make room there, or let this user write there; what was collected before stays, and grows old",
            slug="textfile-unwritten",
        ) from problem
