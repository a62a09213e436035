"""The waterfall of ``slowlink check`` in words: a row a layer, what explains its loss, what the experiments left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from slowlink.ladder.climb import NOT_RUN
from slowlink.ladder.plan import NO_COMMAND
from slowlink.model.ladder import Experiment, Interview, Rung, RungState, Share, Waterfall

COLUMNS = ("layer", "below allow", "usual", "slowest", "lost", "")
STATES: dict[RungState, str] = {
    "ok": "ok",
    "measured": "measured",
    "degraded": "DEGRADED",
    "broken": "BROKEN",
    "not-run": "not run",
    "absent": "not there",
}
_MOST_SHARES = 4
_MOST_CAUSES = 6
_NOTHING_LEFT = 0.02
"""Of a loss: less than this is no question any more."""


class LadderRow(Struct, frozen=True):
    """One layer that was climbed, or should have been."""

    state: RungState
    word: str
    title: str
    numbers: tuple[str, str, str, str]
    """Below allow, usual, slowest, lost; "" where there is none."""
    note: str
    details: tuple[str, ...]
    """What explains the loss, a line each."""
    allowed: float | None
    """For a bar: what the layers below allow, and what this one gives, as shares of the most of the two."""
    given: float | None


class LadderView(Struct, frozen=True):
    """All of it."""

    headline: str
    rows: tuple[LadderRow, ...]
    absent: tuple[tuple[str, str], ...]
    """(word, which and why): layers that were not climbed, or are not there; those of one reason together."""
    interview: tuple[str, ...]
    command: str
    """That would ask the next question; "" where there is none."""


def ladder_view(waterfall: Waterfall | None) -> LadderView | None:
    """None where there is no ladder."""
    if waterfall is None:
        return None
    rows = tuple(_row(rung) for rung in waterfall.rungs if rung.state not in ("absent", "not-run"))
    interview = waterfall.interview
    upcoming = interview.next if interview is not None else None
    return LadderView(
        waterfall.headline + (f" ({waterfall.stopped})" if waterfall.stopped else ""),
        rows,
        (*_together(waterfall.rungs, "not-run"), *_together(waterfall.rungs, "absent")),
        tuple(_interview(interview)) if interview is not None else (),
        upcoming.command if upcoming is not None else "",
    )


def _row(rung: Rung) -> LadderRow:
    most = max((value for value in (rung.ceiling_gbs, rung.least_gbs, rung.usual_gbs) if value), default=None)
    top = rung.ceiling_gbs if rung.ceiling_gbs is not None else rung.usual_gbs
    return LadderRow(
        rung.state,
        STATES[rung.state],
        rung.title,
        (_gbs(rung.ceiling_gbs), _gbs(rung.usual_gbs), _gbs(rung.least_gbs), _percent(rung)),
        _note(rung),
        tuple(_details(rung)),
        top / most if most and top is not None else None,
        rung.least_gbs / most if most and rung.least_gbs is not None else None,
    )


def _gbs(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}" if value >= 100 else f"{value:.3g}"


def _percent(rung: Rung) -> str:
    top = rung.ceiling_gbs if rung.ceiling_gbs is not None else rung.usual_gbs
    if rung.lost_gbs is None or not top:
        return ""
    return f"{rung.lost_gbs / top:.0%}" if rung.lost_gbs > 0 else "-"


def _note(rung: Rung) -> str:
    """Who or why; of a layer that is sound how that is known."""
    if rung.blamed:
        names = ", ".join(part.name for part in rung.blamed[:3])
        return names + (f" and {len(rung.blamed) - 3} more" if len(rung.blamed) > 3 else "")
    some = f"{rung.tests} of {rung.planned} tests; " if rung.tests < rung.planned else ""
    return some + rung.why


def _details(rung: Rung) -> Iterator[str]:
    if rung.state not in ("degraded", "broken") or rung.lost_gbs is None:
        return
    left = rung.unexplained_gbs
    for share in rung.explained[:_MOST_SHARES]:
        yield _share(share, rung)
    if len(rung.explained) > _MOST_SHARES:
        yield f"and {len(rung.explained) - _MOST_SHARES} more causes"
    if left is None or left <= _NOTHING_LEFT * rung.lost_gbs:
        return
    found = any(share.gbs is None for share in rung.explained)
    may = ", unless the causes found cost that much" if found else ""
    yield f"not explained: {_gbs(left)} of the {_gbs(rung.lost_gbs)} GB/s lost here{may}"


def _share(share: Share, rung: Rung) -> str:
    """``straggler-node at node3 explains 0.185 GB/s, all that is lost here: others give ...``."""
    where = f" at {share.where}" if share.where else ""
    if share.gbs is None:
        return f"{share.cause}{where}: {share.how}"
    is_all = share.gbs >= (1 - _NOTHING_LEFT) * (rung.lost_gbs or 0.0)
    much = f"{_gbs(share.gbs)} GB/s{', all that is lost here' if is_all else ''}"
    return f"{share.cause}{where} explains {much}: {share.how}"


def _together(rungs: Sequence[Rung], state: RungState) -> Iterator[tuple[str, str]]:
    by_why: dict[str, list[str]] = {}
    for rung in rungs:
        if rung.state == state and rung.why != NO_COMMAND:
            by_why.setdefault(rung.why, []).append(rung.layer)
    for why, names in by_why.items():
        yield STATES[state], ", ".join(names) + (f": {why}" if why != NOT_RUN else "")


def _interview(interview: Interview) -> Iterator[str]:
    """What was asked, what it ruled out, what remains, and what would separate that."""
    what = "loses bandwidth" if interview.symptom == "loss" else "does not finish"
    for done in interview.done:
        gone = f"; rules out {_causes(done.ruled_out)}" if done.ruled_out else "; rules out nothing"
        yield f"{done.title}: {_outcome(done)}{gone}"
    left = interview.remaining
    yield f"why {interview.layer} {what}: {_causes(left) if left else 'none of the causes in the catalogue fits'}"
    if interview.next is None:
        if len(left) > 1:
            yield "no experiment in the catalogue separates these"
        return
    said: dict[str, list[str]] = {}
    for each in interview.next.predictions:
        said.setdefault(each.outcome or "anything", []).append(each.cause)
    words = "; ".join(f"{outcome} if {_causes(causes)}" for outcome, causes in said.items())
    yield f"this would separate them: {interview.next.title}: {words}"


def _outcome(done: Experiment) -> str:
    if done.gbs is None or done.base_gbs is None:
        return done.outcome
    return f"{done.outcome} ({_gbs(done.gbs)} GB/s, before {_gbs(done.base_gbs)})"


def _causes(causes: Iterable[str]) -> str:
    names = list(causes)
    more = f" and {len(names) - _MOST_CAUSES} more" if len(names) > _MOST_CAUSES else ""
    return ", ".join(names[:_MOST_CAUSES]) + more
