"""A training job did its work at a steady pace, or its steps take longer and longer.

Frameworks print how long each step took. Nobody knows how long a step of this model should take, so the steps are
compared with one another, after the first tenth (start-up, compilation): their middle, how many lie near it, and the
last third against the first.

Why it matters: one slow rank holds all others up, so that a GPU or a link that begins to fail shows in every step.
How to confirm: run nccl-tests on the same nodes; watch the steps beside clocks and temperatures (``slowlink watch``).
What to do: where the pace dropped, compare the nodes then and now (``slowlink snapshot``, ``slowlink compare``).
When it is wrong: sequences that grow, a larger batch or a second job of the same script in one log look like a drop;
a job that is slow from its first step to its last is steady, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from slowlink.model.facts import Paces
from slowlink.model.job import TrainingPace
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence

CAUSES = ("pace-drops",)


@dataclass(frozen=True)
class Params:
    """What is a steady pace."""

    fewest: int = 20
    """Steps after the first tenth; fewer may all be start-up."""
    near: float = 0.1
    """A step within this share of the middle is near it; healthy jobs differ by one to three per cent."""
    most_near: float = 0.8
    """The share of steps that must be near: check-points and evaluations may take longer."""
    drop: float = 1.25
    """The last third over the first; from there on it is no noise."""


def check(paces: Paces, params: Params) -> Iterator[Finding | Proof]:
    """One proof or finding for each stream of steps that is long enough."""
    for pace in paces.all:
        steps = pace.seconds[len(pace.seconds) // 10 :]
        if len(steps) < params.fewest:
            continue
        third = len(steps) // 3
        first, last = median(steps[:third]), median(steps[-third:])
        middle = median(steps)
        near = sum(abs(step - middle) <= params.near * middle for step in steps) / len(steps)
        if last >= params.drop * first:
            yield _dropped(pace, first, last)
        elif near >= params.most_near:
            yield _steady(pace, middle, near, params)


def _steady(pace: TrainingPace, middle: float, near: float, params: Params) -> Proof:
    return Proof(
        f"{pace.program}: {pace.count} steps at a steady pace, {near:.0%} of them within {params.near:.0%} of "
        f"{_time(middle)} (how fast it should be, the log does not say)",
        (line_evidence(pace.ref), line_evidence(pace.last)),
        weight=1,
    )


def _dropped(pace: TrainingPace, first: float, last: float) -> Finding:
    return finding(
        "pace-drops",
        f"{pace.program}: steps take {last / first:.1f} times as long at the end as at the beginning, {_time(last)} "
        f"after {_time(first)}",
        severity="warning",
        confidence="possible",
        evidence=[
            line_evidence(pace.ref, observed=f"{_time(first)} in the first third"),
            line_evidence(pace.last, observed=f"{_time(last)} in the last third"),
        ],
        remedy=[Step("See what changed on the nodes since the job began.", "slowlink snapshot")],
    )


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
