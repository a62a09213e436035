"""A training job did its work at a steady pace, its steps take longer and longer, or did for a while.

Frameworks, loops that people write, and servers print how long each step took or how much they did. Nobody knows how
fast this model should be, so the steps are compared with one another, after the first tenth (start-up, compilation):
their middle, how many lie near it, and the last third against the first. A loop that prints each tenth step, or whose
steps take long, needs fewer lines, and all of them near the middle; three are enough that are means over a minute each.
Where the pace is even before one step and even behind it, that step is told; so are a stretch of slow steps that ends
again, and single steps that take three times as long and a good part of the whole time.

Why it matters: one slow rank holds all others up, so that a GPU or a link that begins to fail shows in every step.
How to confirm: run nccl-tests on the same nodes; watch the steps beside clocks and temperatures (``slowlink watch``).
What to do: where the pace dropped, compare the nodes then and now (``slowlink snapshot``, ``slowlink compare``).
When it is wrong: sequences that grow, a larger batch or a second job of the same script in one log look like a drop;
a job that is slow from its first step to its last is steady, too. Single long steps may be check-points or evaluations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.facts import Paces
from slowlink.model.job import Landmark, TrainingPace
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.pace_words import line_word, speed, time_of
from slowlink.rules.evidence.slow_stretch import SlowStretch, slow_stretch

CAUSES = ("pace-drops",)

_UNKNOWN = "unknown"
_MOST_LINES = 3
"""Of steps that stood still, the longest."""


class Params(Struct, frozen=True):
    """What is a steady pace."""

    fewest: int = 20
    """Steps after the first tenth; fewer may all be start-up."""
    fewest_printed: int = 6
    """Lines after the first that are enough where they stand for ``fewest`` steps, or for ``long_enough`` seconds."""
    long_enough: float = 60.0
    """Seconds of work; few steps that took so long are no start-up."""
    fewest_means: int = 3
    """Lines after the first, where each is the mean over ``long_enough`` seconds."""
    fewest_reports: int = 12
    """Reports of a server, each a mean over many requests."""
    near: float = 0.1
    """A step within this share of the middle is near it; healthy jobs differ by one to three per cent."""
    most_near: float = 0.8
    """The share of steps that must be near: check-points and evaluations may take longer."""
    drop: float = 1.25
    """The last third over the first; from there on it is no noise."""
    misplaced: float = 0.1
    """The share of steps that may lie on the other side of the middle between two paces, where the change is sudden."""
    stretch: float = 0.05
    """The share of the steps, one behind the other, that are a slow stretch and no long steps here and there."""
    stall: float = 3.0
    """A step that takes so many times the middle stood still."""
    stalled: float = 0.2
    """The share of the whole time that such steps take, from which on they are told."""


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
        stalls = [step for step in steps if step >= params.stall * middle]
        fewest = max(params.fewest_printed, round(params.stretch * len(steps)))
        stretch = slow_stretch(steps, middle, params.drop, fewest)
        if last >= params.drop * first:
            if pace.work != _UNKNOWN:
                left_out = len(pace.seconds) - len(steps)
                yield _dropped(pace, first, last, _sudden(steps, first, last, params) + left_out, left_out)
        elif stretch is not None:
            if pace.work == "training":
                yield _slow_for_a_while(pace, stretch, steps)
        elif sum(stalls) >= params.stalled * sum(steps):
            if pace.work == "training":
                yield _stalled(pace, params.stall * middle, steps, middle)
        elif near >= (params.most_near if many else 1):
            yield _steady(pace, middle, near, params)


def _stands_for_many(pace: TrainingPace, steps: Sequence[float], params: Params) -> bool:
    """Are few lines enough?"""
    if pace.work == "training" and pace.count > 1 and len(steps) >= params.fewest_means:
        a_line = median(steps) * pace.spanned / (pace.count - 1)
        if a_line >= params.long_enough:
            return True
    if pace.work == "serving":  # each is the mean over ten seconds (vLLM) or forty batches (SGLang)
        return len(steps) >= params.fewest_reports
    long = not pace.unit and pace.work == "training" and sum(steps) >= params.long_enough
    return len(steps) >= params.fewest_printed and (pace.spanned >= params.fewest or long)


def _steady(pace: TrainingPace, middle: float, near: float, params: Params) -> Proof:
    what = "reports of a server" if pace.work == "serving" else "stretches" if pace.unit and pace.spanned else ""
    what = what or f"{line_word(pace)}s"
    if what == "reports" and not pace.reports:
        what = f"reports over {pace.spanned:,} steps"
    unknown = pace.work == _UNKNOWN
    open_question = "what it counts" if unknown else "how fast it should be"
    return Proof(
        f"{pace.program}: {pace.count} {what} at a steady pace, {near:.0%} of them (the first tenth left out) "
        f"within {params.near:.0%} of {speed(middle, pace)} ({open_question}, the log does not say)",
        (line_evidence(pace.ref), line_evidence(pace.last)),
        weight=0 if unknown else 1,
        measured=True,
    )


def _sudden(steps: Sequence[float], first: float, last: float, params: Params) -> int:
    """How many steps came before a change of pace that is sudden; a number below zero where it is gradual."""
    between = (first + last) / 2
    wrong = best = sum(step < between for step in steps)  # were all steps behind the change
    at = 0
    for number, step in enumerate(steps, 1):
        wrong += 1 if step >= between else -1
        if wrong < best:
            best, at = wrong, number
    sudden = best <= params.misplaced * len(steps) and params.fewest_printed <= at <= len(steps) - params.fewest_printed
    near = params.near * 2  # of the pace before, and of that behind
    even = all(
        sum(abs(step - middle) <= near * middle for step in part) >= params.most_near * len(part)
        for part, middle in ((steps[:at], first), (steps[at:], last))
    )
    return at if sudden and even and _leaps(steps, at, (last - first) / 2) else -len(steps) * 2


def _leaps(steps: Sequence[float], at: int, least: float) -> bool:
    """Does the pace change there by ``least`` within a few steps? A slow rise has two sides of its middle, too."""
    few = max(3, len(steps) // 10)
    return median(steps[at : at + few]) - median(steps[max(0, at - few) : at]) >= least


def _dropped(pace: TrainingPace, first: float, last: float, before_it: int, left_out: int) -> Finding:
    """``before_it``: the number of steps before the change, where it was sudden; ``left_out``: of those at the start
    that are not compared."""
    before, after = speed(first, pace), speed(last, pace)
    slower = "the same work takes" if pace.reports or pace.work == "serving" else "steps take"
    sudden = before_it > 0
    since = (
        f"from {line_word(pace)} {before_it + 1} of the {pace.count} that are printed"
        if sudden
        else "at the end as at the beginning"
    )
    end = len(pace.seconds)
    third = (end - left_out) // 3
    shown = [
        *_nearest(first, _lines_of(pace, left_out, left_out + third), pace),
        *(_lines_of(pace, before_it, end)[:1] if sudden else ()),
        *_nearest(last, _lines_of(pace, end - third, end), pace),
    ]
    return finding(
        "pace-drops",
        f"{pace.program}: {slower} {last / first:.1f} times as long {since}, {after} after {before}",
        severity="error" if sudden and pace.work == "training" else "warning",
        confidence="possible",
        evidence=[_evidence(each, pace) for each in dict.fromkeys(shown)],
        remedy=[Step("See what changed on the nodes since the job began.", "slowlink snapshot")],
    )


def _slow_for_a_while(pace: TrainingPace, stretch: SlowStretch, steps: Sequence[float]) -> Finding:
    left_out = len(pace.seconds) - len(steps)
    start, stop = left_out + stretch.start, left_out + stretch.stop
    slow = steps[stretch.start : stretch.stop]
    around = median([*steps[: stretch.start], *steps[stretch.stop :]])
    whole = sum(pace.seconds)
    cost = sum(step - around for step in slow) / whole
    return finding(
        "pace-drops",
        f"{pace.program}: {line_word(pace)}s {start + 1} to {stop} of the {pace.count} that are printed take "
        f"{stretch.middle / around:.1f} times as long as those around them, by their medians: "
        f"{speed(stretch.middle, pace)} beside {speed(around, pace)}; they take {sum(slow) / whole:.0%} of the whole "
        f"time and cost {cost:.0%} of it",
        severity="warning",
        confidence="possible",
        evidence=_first_and_slowest(pace, start, stop),
        remedy=[
            Step(
                "See what the nodes and their file systems logged meanwhile.",
                "dmesg -T | grep -E 'not responding|blocked for'",
            ),
            Step("Sequences or batches that are longer for a while look the same: see what the job read then."),
        ],
    )


def _stalled(pace: TrainingPace, least: float, steps: Sequence[float], middle: float) -> Finding:
    """``least``: seconds from which on a step stood still."""
    stalls = [step for step in steps if step >= least]
    left_out = len(pace.seconds) - len(steps)
    stalled = [each for each in _lines_of(pace, left_out, len(pace.seconds)) if pace.seconds[each.step] >= least]
    longest = sorted(stalled, key=lambda each: -pace.seconds[each.step])[:_MOST_LINES]
    stood = f"{counted(len(stalls), line_word(pace))} of {len(steps)} stood still, up to {time_of(max(stalls))}"
    cost = f"{sum(stalls) / sum(pace.seconds):.0%} of the whole time"
    return finding(
        "pace-drops",
        f"{pace.program}: {stood} where the others take {time_of(middle)}: {cost}",
        severity="warning",
        confidence="possible",
        evidence=[_evidence(each, pace) for each in longest],
        remedy=[
            Step(
                "See what the nodes and their file systems logged meanwhile.",
                "dmesg -T | grep -E 'not responding|blocked for'",
            ),
            Step("Check-points and evaluations take such a time too: see whether the step wrote one."),
        ],
    )


def _first_and_slowest(pace: TrainingPace, start: int, stop: int) -> list[Evidence]:
    """Lines of steps ``start`` to ``stop`` (not with it): of the first that is known, and of the slowest."""
    known = _lines_of(pace, start, stop)
    if not known:
        return []
    slowest = max(known, key=lambda each: pace.seconds[each.step])
    return [_evidence(each, pace) for each in dict.fromkeys((known[0], slowest))]


def _lines_of(pace: TrainingPace, start: int, stop: int) -> Sequence[Landmark]:
    """Those that are known of steps ``start`` to ``stop`` (not with it), in order."""
    return [landmark for landmark in pace.landmarks if start <= landmark.step < stop]


def _nearest(seconds: float, known: Sequence[Landmark], pace: TrainingPace) -> Sequence[Landmark]:
    """The first of the steps that took as nearly ``seconds`` as any; none of none."""
    return sorted(known, key=lambda each: abs(pace.seconds[each.step] - seconds))[:1]


def _evidence(landmark: Landmark, pace: TrainingPace) -> Evidence:
    return line_evidence(landmark.ref, observed=speed(pace.seconds[landmark.step], pace))
