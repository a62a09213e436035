"""The list of kept runs: for people, scripts and tables. Text of reports is anybody's: it is made harmless here."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Sequence

from msgspec import to_builtins

from slowlink.model.history import StoredRun
from slowlink.report.escape import for_spreadsheets, terminal_safe

_WIDTHS = {"run": 6, "when (UTC)": 16, "command": 8, "verdict": 12, "busbw": 9}


def moment(at: float) -> str:
    """UTC to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at))


def runs_text(runs: Sequence[StoredRun], total: int) -> str:
    """One line a run, the newest first."""
    if not runs:
        return "no run is as asked\n"
    head = " ".join(f"{name:<{width}}" for name, width in _WIDTHS.items())
    lines = [f"{head} what", *map(_line, runs)]
    if total > len(runs):
        lines.append(f"{total - len(runs):,} older ones: --last")
    return "\n".join(lines) + "\n"


def _line(run: StoredRun) -> str:
    busbw = "" if run.peak_busbw_gbs is None else f"{run.peak_busbw_gbs:.4g} GB/s"
    when = moment(run.at) if run.at_basis == "bundle" else f"{moment(run.at)[:10]} kept"
    cells = (str(run.id), when, run.command, run.verdict, busbw)
    what = " ".join(word for word in (run.collectives, f"on {run.nodes}" if run.nodes else "", run.system) if word)
    told = " ".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS.values(), strict=True))
    return terminal_safe(f"{told} {what}".rstrip())


def runs_json(runs: Sequence[StoredRun], total: int) -> str:
    """``{"schema": "slowlink.history/1", "total", "runs": [...]}``, in pure ASCII."""
    document = {"schema": "slowlink.history/1", "total": total, "runs": to_builtins(list(runs))}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def runs_csv(runs: Sequence[StoredRun], total: int) -> str:  # noqa: ARG001  (as the others)
    """A row for each run."""
    names = StoredRun.__struct_fields__
    return table_csv(names, [[getattr(run, name) for name in names] for run in runs])


def table_csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """RFC 4180, with text that a spreadsheet would compute marked as text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_harmless(value) for value in row])
    return out.getvalue()


def _harmless(value: object) -> object:
    if not isinstance(value, str):
        return "" if value is None else value
    return for_spreadsheets(terminal_safe(value))
