"""A training job did its work at a steady pace, or its steps take longer and longer.

Frameworks, loops that people write, and servers print how long each step took or how much they did. Nobody knows how
fast this model should be, so the steps are compared with one another, after the first tenth (start-up, compilation):
their middle, how many lie near it, and the last third against the first. A loop that prints each tenth step, or whose
steps take long, needs fewer lines, and all of them near the middle.

Why it matters: one slow rank holds all others up, so that a GPU or a link that begins to fail shows in every step.
How to confirm: run nccl-tests on the same nodes; watch the steps beside clocks and temperatures (``slowlink watch``).
What to do: where the pace dropped, compare the nodes then and now (``slowlink snapshot``, ``slowlink compare``).
When it is wrong: sequences that grow, a larger batch or a second job of the same script in one log look like a drop;
a job that is slow from its first step to its last is steady, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from msgspec import Struct

from slowlink.model.facts import Paces
from slowlink.model.job import TrainingPace
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence

CAUSES = ("pace-drops",)

_UNKNOWN = "unknown"


class Params(Struct, frozen=True):
    """What is a steady pace."""

    fewest: int = 20
    """Steps after the first tenth; fewer may all be start-up."""
    fewest_printed: int = 6
    """Lines after the first that are enough where they stand for ``fewest`` steps, or for ``long_enough`` seconds."""
    long_enough: float = 60.0
    """Seconds of work; few steps that took so long are no start-up."""
    near: float = 0.1
    """A step within this share of the middle is near it; healthy jobs differ by one to three per cent."""
    most_near: float = 0.8
    """The share of steps that must be near: check-points and evaluations may take longer."""
    drop: float = 1.25
    """The last third over the first; from there on it is no noise."""


def check(paces: Paces, params: Params) -> Iterator[Finding | Proof]:
    """One proof or finding for each stream of steps that is long enough."""
    for pace in paces.all:
        steps = pace.seconds[max(1, len(pace.seconds) // 10) :]
        many = len(steps) >= params.fewest
        if not many and not _stands_for_many(pace, steps, params):
            continue
        third = len(steps) // 3
        first, last = median(steps[:third]), median(steps[-third:])
        middle = median(steps)
        near = sum(abs(step - middle) <= params.near * middle for step in steps) / len(steps)
        if last >= params.drop * first:
            if pace.work != _UNKNOWN:
                yield _dropped(pace, first, last)
        elif near >= (params.most_near if many else 1):
            yield _steady(pace, middle, near, params)


def _stands_for_many(pace: TrainingPace, steps: Sequence[float], params: Params) -> bool:
    """Are few lines enough?"""
    long = not pace.unit and pace.work == "training" and sum(steps) >= params.long_enough
    return len(steps) >= params.fewest_printed and (pace.spanned >= params.fewest or long)


def _steady(pace: TrainingPace, middle: float, near: float, params: Params) -> Proof:
    what = "reports of a server" if pace.work == "serving" else "steps"
    unknown = pace.work == _UNKNOWN
    open_question = "what it counts" if unknown else "how fast it should be"
    return Proof(
        f"{pace.program}: {pace.count} {what} at a steady pace, {near:.0%} of them within {params.near:.0%} of "
        f"{_speed(middle, pace)} ({open_question}, the log does not say)",
        (line_evidence(pace.ref), line_evidence(pace.last)),
        weight=0 if unknown else 1,
    )


def _dropped(pace: TrainingPace, first: float, last: float) -> Finding:
    before, after = _speed(first, pace), _speed(last, pace)
    slower = "the same work takes" if pace.work == "serving" else "steps take"
    return finding(
        "pace-drops",
        f"{pace.program}: {slower} {last / first:.1f} times as long at the end as at the beginning, "
        f"{after} after {before}",
        severity="warning",
        confidence="possible",
        evidence=[
            line_evidence(pace.ref, observed=f"{before} in the first third"),
            line_evidence(pace.last, observed=f"{after} in the last third"),
        ],
        remedy=[Step("See what changed on the nodes since the job began.", "slowlink snapshot")],
    )


def _speed(seconds: float, pace: TrainingPace) -> str:
    """The time of a step; the work a second where that is what was printed."""
    return f"{1 / seconds:.4g} {pace.unit}/s" if pace.unit else _time(seconds)


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
