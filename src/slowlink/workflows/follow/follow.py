"""Look, judge, say what changed: until somebody ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from slowlink.workflows.follow.answer import Tolerances, answers_of
from slowlink.workflows.follow.growing import MOST_FILES, GrowingFiles
from slowlink.workflows.follow.jobs import Jobs
from slowlink.workflows.follow.said import Said
from slowlink.workflows.follow.window import Window

_SHARE = 0.1
"""Of the time at most, that judging takes."""


def follow(
    top: Path,
    tell: Callable[[str], None],
    *,
    interval_s: float,
    longest_s: float | None,
    window_calls: int,
    tolerances: Tolerances,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Look every ``interval_s`` at what was added below ``top``, and ``tell`` a line when the answer changes. Ends
    after ``longest_s``, else by an interrupt, which is raised."""
    files, window, jobs, said = GrowingFiles(top), Window(window_calls, clock), Jobs(clock), Said(tell)
    began, cost, judged_at = clock(), 0.0, float("-inf")
    waiting = told_left_out = told_endless = False
    while True:
        looked = clock()
        waiting |= window.look(files) > 0
        if files.left_out and not told_left_out:
            tell(f"{top} holds more than {MOST_FILES:,} files; {files.left_out:,} are not looked at")
            told_left_out = True
        if files.endless and not told_endless:
            tell(f"{files.endless} has megabytes without the end of a line; it is not read further")
            told_endless = True
        if waiting and clock() - judged_at >= cost / _SHARE:
            judged_at = clock()
            answers = answers_of(jobs.of(window.columns()), tolerances)
            cost, waiting = clock() - judged_at, False
            said.take(answers, window.taken)
        left = float("inf") if longest_s is None else began + longest_s - clock()
        if left <= 0:
            return
        pause(max(0.05, min(interval_s - (clock() - looked), left)))
