"""The tool ``compare``: what became slower, what changed, and which change may explain it."""

from __future__ import annotations

from slowlink.comparison.compare import compare
from slowlink.comparison.measured import Tolerances
from slowlink.model.agents import CompareAsked, Compared
from slowlink.model.comparison import Side
from slowlink.report.comparison_text import comparison_rows
from slowlink.workflows.agents.outgoing import cut
from slowlink.workflows.agents.pages import page
from slowlink.workflows.agents.reports import Readable, hardware_of

_ROW_CHARS = 1_200


def compared(asked: CompareAsked, readable: Readable) -> Compared:
    """Raises SlowlinkError for a path that may not be read."""
    hardware = hardware_of(asked)
    old, new = (readable.report_at(path, hardware) for path in (asked.old, asked.new))
    found = compare(old, new, names=(asked.old, asked.new), tolerances=Tolerances(busbw=asked.tolerance / 100))
    every = [cut(row, _ROW_CHARS) for row in comparison_rows(found)]
    rows, go_on = page(every, asked.skip)
    return Compared(
        outcome=found.outcome,
        worse=found.worse,
        conclusive=found.comparable and not (found.unread or found.unmeasured),
        headline=cut(found.headline, _ROW_CHARS),
        old=_told(found.old),
        new=_told(found.new),
        rows=rows,
        total=len(every),
        go_on=go_on,
    )


def _told(side: Side) -> str:
    unread = f"; not everything was read: {side.unread}" if side.unread else ""
    return cut(f"{side.name}: {side.headline}{unread}", _ROW_CHARS)
