"""How the newest runs stand beside the baselines: what ``slowlink baseline compare`` would say of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from slowlink.comparison.baseline import against_baseline
from slowlink.expect.baseline import Tolerated
from slowlink.model.history import SeriesKey
from slowlink.model.metrics import BesideBaseline
from slowlink.store.baselines import baseline_names, measured_by, stored_baseline
from slowlink.store.newest import newest_run_of
from slowlink.store.read import runs_by_number
from slowlink.workflows.history.baselines import said_of_runs

if TYPE_CHECKING:
    from slowlink.model.baseline import Baseline, BaselineName
    from slowlink.store.connect import Store

_Question = tuple["BaselineName", SeriesKey, str]
"""Baseline, series, content of the run: the same in no other store."""


class Comparisons:
    """Judges each run once: neither it nor a version of a baseline ever changes. Not for several threads at a time."""

    def __init__(self) -> None:
        self._baselines: dict[BaselineName, tuple[Baseline, float]] = {}
        self._judged: dict[_Question, BesideBaseline] = {}

    def now(self, store: Store, most: int) -> tuple[tuple[BesideBaseline, ...], int]:
        """Each series of the version of each name that counts; at most ``most``, and how many there are."""
        self._baselines = {about: self._loaded(store, about) for about in _that_count(store)}
        asked = [(about, each.key) for about, (baseline, _) in self._baselines.items() for each in baseline.series]
        before, self._judged = self._judged, {}
        found = tuple(self._beside(store, about, key, before) for about, key in asked[:most])
        return found, len(asked)

    def _loaded(self, store: Store, about: BaselineName) -> tuple[Baseline, float]:
        """With the moment of its newest run."""
        if about in self._baselines:
            return self._baselines[about]
        baseline = stored_baseline(store, about.name, about.version)
        return baseline, max((run.at for run in runs_by_number(store, baseline.runs).values()), default=0.0)

    def _beside(
        self, store: Store, about: BaselineName, key: SeriesKey, before: Mapping[_Question, BesideBaseline]
    ) -> BesideBaseline:
        baseline, newest = self._baselines[about]
        run = newest_run_of(store, key, newest)
        if run is None:
            return BesideBaseline(about.name, about.version, key, "unmeasured", None)
        number, content = run
        question = (about, key, content)
        self._judged[question] = before.get(question) or _compared(store, baseline, key, number)
        return self._judged[question]


def _compared(store: Store, baseline: Baseline, key: SeriesKey, run: int) -> BesideBaseline:
    measured = [each for each in measured_by(store, [run]) if each.key == key]
    found = against_baseline(baseline, measured, Tolerated(), said=tuple(said_of_runs(store, [run])))
    judged = found.series[0] if found.series else None
    return BesideBaseline(baseline.about.name, baseline.about.version, key, found.outcome, judged)


def _that_count(store: Store) -> list[BaselineName]:
    """Of each name the pinned version, else the newest."""
    chosen: dict[str, BaselineName] = {}
    for each, _ in baseline_names(store):  # the newest version of a name first
        if each.name not in chosen or each.pinned:
            chosen[each.name] = each
    return list(chosen.values())
