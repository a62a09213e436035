"""Whether parsers must look at lines that are read as their shapes are."""

from __future__ import annotations

from collections.abc import Callable

from slowlink.parsers.reading.rows.row_plans import Hearing
from slowlink.parsers.reading.rows.row_runs import RowRun
from slowlink.parsers.reading.streams import Stream


def must_look(run: RowRun, stream: Stream, is_as_new: Callable[[int, Stream], bool]) -> bool:
    """May somebody take more of these lines of one stream than their shapes tell?"""
    plans = run.own_plans()
    if any(plan.each for plan in plans):
        return True
    if stream.greedy and (stream.left or any(plan.hearing is Hearing.BEGINS for plan in plans)):
        return True
    behind = (each for plan in plans if plan.rows for each in plan.plan.behind)
    if stream.leads and any(each.lead.form in stream.leads for each in behind):
        return True
    refusing = {index for plan in plans for index in plan.refusing}
    return not all(is_as_new(index, stream) for index in refusing)
