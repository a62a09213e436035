"""Two inputs to a comparison: each is analyzed, or read where it is a report already."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slowlink.inputs.small_text import MOST_REPORT_BYTES, small_text
from slowlink.model.report import Report
from slowlink.report.json import report_from_json

if TYPE_CHECKING:
    from slowlink.comparison.measured import Tolerances
    from slowlink.inputs.given import Given
    from slowlink.model.comparison import Comparison
    from slowlink.model.facts import Hardware

_HEAD_BYTES = 512
_MARK = b'"slowlink.report/'


def compare(
    old: Report | Given,
    new: Report | Given,
    *,
    hardware: Hardware | str | None = None,
    busbw_tolerance: float | None = None,
) -> Comparison:
    """What became slower or faster from ``old`` to ``new``, what changed on which nodes, and which change may explain
    it.

    Both are reports, or what ``analyze`` takes: paths (also of saved reports), bytes, open files, lines. ``hardware``
    as there. ``busbw_tolerance``: the share of bandwidth that is ordinary between launches at large sizes (0.05);
    below 256 MiB it is twice as much. Raises SlowlinkError for what cannot be read.
    """
    from slowlink.catalog.given import given_hardware
    from slowlink.comparison.compare import compare as compare_reports
    from slowlink.comparison.measured import Tolerances

    given = given_hardware(system=hardware) if isinstance(hardware, str) else hardware
    tolerances = None if busbw_tolerance is None else Tolerances(busbw=busbw_tolerance)
    names = (_name_of(old, "old"), _name_of(new, "new"))
    return compare_reports(_report_of(old, given), _report_of(new, given), names=names, tolerances=tolerances)


def _name_of(side: Report | Given, otherwise: str) -> str:
    return fspath(side) if isinstance(side, str | PathLike) else otherwise


def _report_of(side: Report | Given, hardware: Hardware | None) -> Report:
    if isinstance(side, Report):
        return side
    if isinstance(side, str | PathLike):
        return report_at(fspath(side), hardware, None)
    from slowlink.workflows.analyze import analyze

    return analyze(side, hardware=hardware)


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
