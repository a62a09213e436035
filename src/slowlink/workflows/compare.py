"""Two inputs to a comparison: each is analyzed, or read where it is a report already."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slowlink.inputs.small_text import MOST_REPORT_BYTES, small_text
from slowlink.model.report import Report
from slowlink.report.json import report_from_json

if TYPE_CHECKING:
    from slowlink.comparison.measured import Tolerances
    from slowlink.model.comparison import Comparison
    from slowlink.model.facts import Hardware

_HEAD_BYTES = 512
_MARK = b'"slowlink.report/'


def compare_paths(
    old: str,
    new: str,
    *,
    hardware: Hardware | None = None,
    rules: Mapping[str, Mapping[str, object]] | None = None,
    tolerances: Tolerances | None = None,
) -> Comparison:
    """Bundles, snapshots, logs or saved reports (``--format json``). Raises SlowlinkError for what cannot be read."""
    from slowlink.comparison.compare import compare

    reports = [report_at(path, hardware, rules) for path in (old, new)]
    return compare(*reports, names=(old, new), tolerances=tolerances)


def report_at(path: str, hardware: Hardware | None, rules: Mapping[str, Mapping[str, object]] | None) -> Report:
    """The report that lies at ``path``, or that of what lies there."""
    saved = _saved_report(path)
    if saved is not None:
        return report_from_json(saved)
    from slowlink.workflows.analyze import analyze

    return analyze(path, hardware=hardware, tolerances=rules)


def _saved_report(path: str) -> dict[str, Any] | None:
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > MOST_REPORT_BYTES:
            return None
        with file.open("rb") as opened:
            if _MARK not in opened.read(_HEAD_BYTES):
                return None
        value = json.loads(small_text(file, MOST_REPORT_BYTES))
    except (OSError, ValueError, RecursionError):
        return None  # the analysis says what is wrong with it
    return value if isinstance(value, dict) else None
