"""Measurements beside baselines: of kept runs, of what lies at a path, of a report that was just made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from time import time
from typing import TYPE_CHECKING

from slowlink import exits
from slowlink.comparison.baseline import against_baseline
from slowlink.comparison.job import job_changes
from slowlink.comparison.node_state import node_changes
from slowlink.errors import SlowlinkError
from slowlink.model.baseline import AgainstBaseline, Baseline, LaunchValues, MeasuredSeries, SaidOfAll
from slowlink.model.history import RunRecord, SeriesKey, SweepRecord
from slowlink.model.report import Report
from slowlink.report.history.baselines import judgement_in_words
from slowlink.store.baselines import measured_by, put_baseline, stored_baseline
from slowlink.store.connect import Store, open_store
from slowlink.store.read import runs_by_number
from slowlink.workflows.gate_grounds import what_was_not_heard
from slowlink.workflows.gates import Gate
from slowlink.workflows.history.record import Origin, record_of
from slowlink.workflows.history.series import report_of_run

if TYPE_CHECKING:
    from slowlink.expect.baseline import Tolerated
    from slowlink.model.baseline import BaselineName

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST_CHANGED = 12


def name_and_version(text: str) -> tuple[str, int | None]:
    """``nightly`` or ``nightly@3``. Raises SlowlinkError ``baseline-name``."""
    name, at, version = text.partition("@")
    if not _NAME.fullmatch(name) or (at and not (version.isascii() and version.isdecimal() and len(version) < 7)):
        raise SlowlinkError(
            f"{text!a} names no baseline",
            hint="letters, digits, dots and dashes, and @3 for the third version",
            slug="baseline-name",
        )
    return name, int(version) if at else None


def save_baseline(store: Store, name: str, runs: Sequence[int], note: str) -> BaselineName:
    """A new version of ``name`` that holds ``runs``. Raises SlowlinkError: ``baseline-name``, ``run-unknown``,
    ``baseline-empty`` where they measured nothing that could be compared."""
    plain, version = name_and_version(name)
    if version is not None:
        raise SlowlinkError("a version is counted, not named", hint=f"save {plain}", slug="baseline-name")
    there = runs_by_number(store, runs)
    if missing := [run for run in runs if run not in there]:
        raise SlowlinkError(f"there is no run {missing[0]}", hint="slowlink history lists them", slug="run-unknown")
    if not measured_by(store, runs):
        raise SlowlinkError(
            "these runs have no complete table of a collective",
            hint="slowlink history --collective all_reduce lists those that have",
            slug="baseline-empty",
        )
    return put_baseline(store, plain, list(dict.fromkeys(runs)), note)


def baseline_at(place: str, name: str) -> Baseline:
    """The baseline that a gate takes. Raises SlowlinkError."""
    plain, version = name_and_version(name)
    store = open_store(place, create=False)
    try:
        return stored_baseline(store, plain, version)
    finally:
        store.close()


def compare_runs(
    store: Store, baseline: Baseline, runs: Sequence[int], tolerated: Tolerated, *, other_nodes: bool = False
) -> AgainstBaseline:
    """Kept runs beside ``baseline``."""
    newest = report_of_run(store, runs[-1]) if runs else None
    changed = changes_since(store, baseline, newest) if newest is not None else ()
    measured, said = measured_by(store, runs), tuple(said_of_runs(store, runs))
    return against_baseline(baseline, measured, tolerated, other_nodes=other_nodes, changed=changed, said=said)


def compare_report(
    store: Store, baseline: Baseline, report: Report, tolerated: Tolerated, name: str, *, other_nodes: bool = False
) -> AgainstBaseline:
    """A report beside ``baseline``; it is called ``name``."""
    changed = changes_since(store, baseline, report)
    measured, said = measured_in(report), (said_of(report, name),)
    return against_baseline(baseline, measured, tolerated, other_nodes=other_nodes, changed=changed, said=said)


def said_of(report: Report, name: str) -> SaidOfAll:
    """What ``report`` says as a whole."""
    return SaidOfAll(name, report.verdict, report.headline, what_was_not_heard(report))


def said_of_runs(store: Store, runs: Sequence[int]) -> Iterator[SaidOfAll]:
    """Of kept runs: by the whole report where it was kept, and by the verdict and headline that stand in the list."""
    rows = runs_by_number(store, runs)
    for number in dict.fromkeys(runs):
        if (row := rows.get(number)) is None:
            continue
        listed = Report("", row.slowlink, "broken" if row.verdict == "broken" else "inconclusive", row.headline)
        report = report_of_run(store, number) or listed
        unread = what_was_not_heard(report) or what_was_not_heard(listed)
        yield SaidOfAll(f"run {number}", row.verdict, row.headline, unread)


def changes_since(store: Store, baseline: Baseline, report: Report) -> tuple[str, ...]:
    """In words: state of nodes and settings of the job that are not as in the newest run of ``baseline``."""
    old = report_of_run(store, baseline.runs[-1]) if baseline.runs else None
    if old is None:
        return ()
    words = [change.in_words for change in node_changes(old, report).changes]
    words += [change.in_words for change in job_changes(old, report)]
    more = [f"and {len(words) - _MOST_CHANGED} more"] * (len(words) > _MOST_CHANGED)
    return (*words[:_MOST_CHANGED], *more)


def measured_in(report: Report) -> tuple[MeasuredSeries, ...]:
    """What a report measured, as the history would keep it; a question of which no table is complete has no launch."""
    record: RunRecord = record_of(report, Origin("compare"), time())
    found: dict[SeriesKey, list[LaunchValues]] = {}
    for sweep in record.sweeps:
        launches = found.setdefault(sweep.key, [])
        if sweep.complete:
            launches.append(_launch(sweep))
    return tuple(MeasuredSeries(key, tuple(launches)) for key, launches in found.items())


def _launch(sweep: SweepRecord) -> LaunchValues:
    busbw: dict[int, float] = {}
    times: dict[int, float] = {}
    for point in sweep.points:
        if not point.doubtful and point.busbw_gbs is not None:
            busbw[point.size_bytes] = max(busbw.get(point.size_bytes, 0.0), point.busbw_gbs)
        if not point.doubtful and point.time_us is not None:
            times[point.size_bytes] = min(times.get(point.size_bytes, point.time_us), point.time_us)
    return LaunchValues(0, sweep.plateau_busbw_gbs, sweep.latency_us, busbw, times)


STATUS: Mapping[str, int] = {
    "worse": exits.FINDINGS,
    "better": exits.HEALTHY,
    "same": exits.HEALTHY,
    "open": exits.INCONCLUSIVE,
    "incomparable": exits.INCONCLUSIVE,
    "broken": exits.FINDINGS,
    "unread": exits.INCONCLUSIVE,
}


def status_of(found: AgainstBaseline) -> int:
    """What is worse or broken fails; what was refused or not read passes nothing."""
    status = STATUS[found.outcome]
    return exits.INCONCLUSIVE if found.refused and status == exits.HEALTHY else status


def baseline_gate(report: Report, baseline: Baseline, tolerated: Tolerated, *, counts: bool) -> Gate:
    """May a pipeline go on? ``counts``: everything that was asked for was measured; else nothing passes."""
    found = against_baseline(baseline, measured_in(report), tolerated, said=(said_of(report, "this run"),))
    status = status_of(found)
    name = f"baseline {baseline.about.name}@{baseline.about.version}"
    words = [found.headline, *(f"{each.key.collective}: {each.why}" for each in found.refused)]
    for series in found.series:
        shown = [each for each in series.judgements if each.what == "plateau" or each.outcome == "worse"]
        words += [f"{series.key.collective}: {judgement_in_words(each)}" for each in shown[:3]]
    if status == exits.HEALTHY and not counts:
        return Gate(name, exits.INCONCLUSIVE, f"{'; '.join(words)}, but the measurement does not count", threshold=True)
    return Gate(name, status, "; ".join(words), threshold=True)
