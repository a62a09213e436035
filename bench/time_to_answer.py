"""How soon is it told who holds a running job up? For ``bench/inside_the_job.py --answer``.

A made-up training falls sick at one of its steps. ``slowlink follow`` looks every few steps, by its own code (what is
judged, and when an answer holds), and the steps are counted until a line accuses somebody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import calcsize

import numpy as np
from msgspec.structs import replace

from slowlink.expect.held_up import HeldUp, held_up
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import ENDED, KIND, NUMBER, TIME, TimedCalls
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job
from slowlink.workflows.follow.answer import answers_of
from slowlink.workflows.follow.jobs import OfJob
from slowlink.workflows.follow.said import Said

STEPS, SICK_AT, LOOK_STEPS = 120, 40, 5

First = tuple[bool, int] | None
"""Was the first accusation right, and how many steps after the fault was it told? None: nobody was accused."""


def first_answer(job: Job, truth: str, is_right: Callable[[HeldUp, Timed, str], bool]) -> First:
    """What follow says first that accuses somebody."""
    columns = list(columns_of(job, STEPS))
    told: list[str] = []
    said = Said(told.append)
    for step in range(LOOK_STEPS, STEPS + 1, LOOK_STEPS):
        seen = [_until(calls, step) for calls in columns]
        answers = answers_of([OfJob("", seen)], {})
        before = len(told)
        said.take(answers, sum(len(calls) for calls in seen))
        if len(told) > before and any(answer.accuses for answer in answers):
            known = timed(seen)
            assert known is not None
            right = bool(truth) and is_right(held_up(known, Params().tolerances()), known, truth)
            return right, step - SICK_AT
    return None


def _until(calls: TimedCalls, step: int) -> TimedCalls:
    """Those of its first steps: each has as many."""
    count = len(calls) // STEPS * step
    return replace(
        calls,
        kind=calls.kind[: count * calcsize(KIND)],
        number=calls.number[: count * calcsize(NUMBER)],
        time_us=calls.time_us[: count * calcsize(TIME)],
        ended=calls.ended[: count * calcsize(ENDED)],
        timed_by=dict.fromkeys(calls.timed_by, count),
    )


def line_of(kind: str, found: Sequence[First]) -> str:
    """``rank  8 named, 0 else, 0 never; 10, 20, 25 steps``."""
    right = [steps for answer in found if answer is not None and answer[0] for steps in answer[1:]]
    other = sum(answer is not None and not answer[0] for answer in found)
    counts = f"  {kind:6} {len(right):8} {other:8} {found.count(None):8}"
    if not right:
        return counts
    middle, most_often, most = (float(value) for value in (*np.percentile(right, [50, 95]), max(right)))
    return f"{counts}   {middle:.0f}, {most_often:.0f}, {most:.0f}"
