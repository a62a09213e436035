"""A measurement beside a baseline: like with like only, and the reason where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec.structs import asdict, replace

from slowlink.averages import median
from slowlink.expect.baseline import FEWEST_FREEDOM, Tolerated, shift_of
from slowlink.model.baseline import (
    OUTCOMES,
    SCHEMA,
    AgainstBaseline,
    Baseline,
    JudgedSeries,
    Judgement,
    LaunchValues,
    MeasuredSeries,
    Outcome,
    Refused,
    SaidOfAll,
)
from slowlink.model.history import LATENCY_BYTES, SeriesKey
from slowlink.units import format_size

_Whole = Outcome | Literal["incomparable", "broken", "unread"]
_RUNS = 3
"""From so many runs on, runs are what differs; below, their launches are."""
_WORDS = {
    "system": "system", "gpu": "GPU", "nodes": "nodes", "nnodes": "number of nodes", "nranks": "ranks",
    "datatype": "type", "redop": "operation", "engine": "program", "largest_bytes": "largest size",
}  # fmt: skip


def against_baseline(
    baseline: Baseline,
    new: Sequence[MeasuredSeries],
    tolerated: Tolerated,
    *,
    other_nodes: bool = False,
    changed: Sequence[str] = (),
    said: Sequence[SaidOfAll] = (),
) -> AgainstBaseline:
    """Pure. ``other_nodes``: another set of as many nodes is like this one. ``changed``: what else is not as it was.
    ``said``: of the reports in which ``new`` stands."""

    def question(key: SeriesKey) -> SeriesKey:
        return replace(key, nodes="") if other_nodes else key

    old: dict[SeriesKey, list[LaunchValues]] = {}
    for each in baseline.series:
        old.setdefault(question(each.key), []).extend(each.launches)
    judged: list[JudgedSeries] = []
    refused: list[Refused] = []
    for each in new:
        before = old.get(question(each.key), ())
        found = tuple(_judgements(before, each.launches, tolerated)) if before and each.launches else ()
        if found:
            judged.append(JudgedSeries(each.key, _first([one.outcome for one in found]), found))
        else:
            refused.append(Refused(each.key, _why(each, list(old), known_question=bool(before))))
    measured = _first([each.outcome for each in judged]) if judged else "incomparable"
    outcome = _with_all_that_was_said(measured, said)
    name = f"{baseline.about.name}@{baseline.about.version}"
    headline = _headline(outcome, judged, refused, name) + _doubt(said)
    return AgainstBaseline(
        SCHEMA, baseline.about, outcome, headline, tuple(judged), tuple(refused), tuple(changed), tuple(said)
    )


def _with_all_that_was_said(outcome: _Whole, said: Sequence[SaidOfAll]) -> _Whole:
    """What is worse is so whatever else; nothing else stands beside what is broken, or what nobody read."""
    if outcome != "worse" and any(each.verdict == "broken" for each in said):
        return "broken"
    if outcome not in ("worse", "incomparable") and any(each.unread for each in said):
        return "unread"
    return outcome


def _doubt(said: Sequence[SaidOfAll]) -> str:
    """The first that is broken, and the first that was not read."""
    broken = [f"; {each.name} is broken: {each.headline}" for each in said if each.verdict == "broken"]
    unread = [f"; of {each.name} not everything was read: {each.unread}" for each in said if each.unread]
    return "".join([*broken[:1], *unread[:1]])


def _first(outcomes: Sequence[Outcome]) -> Outcome:
    return min(outcomes, key=OUTCOMES.index)


def _judgements(old: Sequence[LaunchValues], new: Sequence[LaunchValues], tolerated: Tolerated) -> Iterator[Judgement]:
    plateaus = [_values(side, "plateau_busbw_gbs", None) for side in (old, new)]
    if all(plateaus):
        yield _judgement("plateau", None, plateaus, tolerated, 1)
    heard = _only_proven if all(plateaus) else _as_it_is
    times = [_values(side, "latency_us", None) for side in (old, new)]
    if all(times):
        yield heard(_judgement("latency", None, times, tolerated, 1))
    sizes = sorted(_sizes(old) & _sizes(new))
    for size in sizes:
        name = "time_us" if size <= LATENCY_BYTES else "busbw_gbs"
        sides = [_values(side, name, size) for side in (old, new)]
        if all(sides):
            yield heard(_judgement("size", size, sides, tolerated, len(sizes)))


def _only_proven(judgement: Judgement) -> Judgement:
    """The plateau answers for bandwidth as a whole; a single size or a latency is heard where it is clearly changed."""
    return replace(judgement, outcome="same") if judgement.outcome == "open" else judgement


def _as_it_is(judgement: Judgement) -> Judgement:
    return judgement


def _sizes(launches: Sequence[LaunchValues]) -> set[int]:
    return {size for launch in launches for size in (*launch.busbw_gbs, *launch.time_us)}


def _values(launches: Sequence[LaunchValues], name: str, size: int | None) -> list[list[float]]:
    """The values of each run."""
    runs: dict[int, list[float]] = {}
    for launch in launches:
        value = getattr(launch, name) if size is None else getattr(launch, name).get(size)
        if value is not None and value > 0:
            runs.setdefault(launch.run_id, []).append(value)
    return list(runs.values())


def _judgement(
    what: str, size: int | None, sides: Sequence[Sequence[Sequence[float]]], tolerated: Tolerated, questions: int
) -> Judgement:
    by_run = len(sides[0]) >= _RUNS
    old, new = ([median(run) for run in side] if by_run else [value for run in side for value in run] for side in sides)
    is_time = what == "latency" or (size is not None and size <= LATENCY_BYTES)
    shift = shift_of(old, new, tolerated, is_time=is_time, questions=questions)
    unit = "runs" if by_run else "launches"
    basis = f"{len(old)} {unit} before, {len(new)} now"
    if shift.low is None:
        basis += f": {FEWEST_FREEDOM + 2} in all are needed for an interval"
    elif not by_run:
        basis += "; what differs between runs is not in the interval"
    return Judgement(
        what="plateau" if what == "plateau" else "latency" if what == "latency" else "size",
        size_bytes=size,
        unit="us" if is_time else "GB/s",
        old=median(old),
        new=median(new),
        gain=shift.gain,
        low=shift.low,
        high=shift.high,
        outcome=shift.outcome,
        basis=basis,
    )


def _why(new: MeasuredSeries, known: Sequence[SeriesKey], *, known_question: bool = False) -> str:
    """In words, against the question of the baseline that is most like this one."""
    if not new.launches:
        return "no complete table was measured"
    if known_question:
        return "no size and no plateau is in both"
    same = [key for key in known if key.collective == new.key.collective]
    if not same:
        there = ", ".join(dict.fromkeys(key.collective for key in known)) or "nothing"
        return f"the baseline has no {new.key.collective}: it has {there}"
    return min((_differences(key, new.key) for key in same), key=lambda words: words.count(";"))


def _differences(old: SeriesKey, new: SeriesKey) -> str:
    before, after = asdict(old), asdict(new)
    found = [name for name in _WORDS if before[name] != after[name]]
    return "; ".join(f"{_WORDS[name]}: {_said(name, before)} there, {_said(name, after)} here" for name in found)


def _said(name: str, key: Mapping[str, object]) -> str:
    value = key[name]
    if name == "largest_bytes" and isinstance(value, int):
        return format_size(value)
    return "unknown" if value in ("", None) else str(value)


def _headline(outcome: str, judged: Sequence[JudgedSeries], refused: Sequence[Refused], name: str) -> str:
    if outcome == "incomparable":
        return f"nothing that was measured can be compared with {name}"
    words = {
        "worse": f"worse than {name}",
        "better": f"better than {name}",
        "same": f"as good as {name}",
        "open": f"it is open whether it is worse than {name}: more launches would tell",
        "broken": f"what is broken is not as good as {name}",
        "unread": f"it is open whether it is worse than {name}: what is missing may be",
    }[outcome]
    rest = f"; {len(refused)} of {len(judged) + len(refused)} cannot be compared" if refused else ""
    return words + rest
