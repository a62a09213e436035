"""How fast a benchmark of MLPerf trains, as its own log says::

    :::MLLOG {"key": "tracked_stats", "value": {"throughput": 1084.2}, "metadata": {"step_num": 100}}

The value is the mean since the line before it, or one since the beginning, which times and counters give away, as they
do what it counts (``running_means``); the metadata count steps, samples or epochs. A launcher's tag may stand before
the mark, and another key beside the throughput. A line that counts no further, or lacks the counter of the others, is a
summary.

Source: MLPerf's logging package (``mllog``), and the rules of MLPerf Training for ``tracked_stats``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from slowlink.averages import median
from slowlink.model.job import TrainingPace
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.job.steps.running_means import Told, are_running_means, unit_of_rates
from slowlink.parsers.job.steps.series import StepSeries

_MARK = ":::MLLOG "
_MOST_CHARACTERS = 4_000
_COUNTERS = {"step_num": "steps", "samples_count": "samples", "epoch_num": "epochs", "step": "steps", "epoch": "epochs"}
_MAX_TOLD = Limit(100_000, "timed lines")
_MILLISECONDS = 1000
_LATEST_MS = 1e15


class _Stretch(NamedTuple):
    """What a line says, as ``StepSeries`` takes it."""

    seconds: float
    line: Line
    number: int | None
    """None without the counter that the lines before had."""


class MllogPace:
    """The throughputs of one stream."""

    kind: ClassVar[str] = "mllog"
    literals: ClassVar[Literals] = Literals(('"tracked_stats"',))

    def __init__(self) -> None:
        self._series: StepSeries | None = None
        self._between: StepSeries | None = None
        """By times and counters alone."""
        self._told: list[Told] | None = []
        """Lines with their times and counters; None where one has none, or there are too many."""
        self._unit = ""
        """What the lines count; "" where some count nothing."""
        self._waiting: _Stretch | None = None
        """What may be the summary of the run."""
        self._counts_on = True
        """Did each line until now count further? Several of one epoch do not."""

    @staticmethod
    def wants(text: str) -> bool:
        return _MARK in text and '"tracked_stats"' in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        document = _document(line.text)
        value = document.get("value")
        rate = value.get("throughput") if isinstance(value, dict) else None
        if not isinstance(rate, int | float) or isinstance(rate, bool) or not 0 < rate < 1e15:
            return Use.NOT_MINE
        unit, counted = _counter(document.get("metadata"))
        if self._series is None:
            self._series, self._unit = StepSeries.begin(line), unit
        stretch = _Stretch(1 / rate, line, counted if unit == self._unit else None)
        if self._waiting is not None:
            self._settle(self._series, self._waiting, stretch)
        if self._may_be_summary(self._series, stretch):
            self._waiting = stretch
            return Use.USED
        self._series.take(*stretch)
        self._note(document.get("time_ms"), stretch, float(rate))
        return Use.USED

    def _may_be_summary(self, series: StepSeries, stretch: _Stretch) -> bool:
        if stretch.number is None:
            return bool(self._unit)
        return self._counts_on and stretch.number == series.number

    def _settle(self, series: StepSeries, waiting: _Stretch, following: _Stretch) -> None:
        """More follow: it was no summary of the run. One line without the counter, among others, sums some of them
        up."""
        self._waiting = None
        if waiting.number is not None:
            self._counts_on = False
        elif following.number is not None:
            return
        else:
            self._unit, self._told = "", None
        series.take(*waiting)

    def _note(self, time_ms: object, stretch: _Stretch, rate: float) -> None:
        if self._told is None:
            return
        is_time = isinstance(time_ms, int | float) and not isinstance(time_ms, bool) and 0 <= time_ms < _LATEST_MS
        if not is_time or stretch.number is None or not _MAX_TOLD.has_room(len(self._told)):
            self._told = None
            return
        told = Told(float(time_ms) / _MILLISECONDS, stretch.number, rate)  # type: ignore[arg-type]
        if self._told and self._told[-1].at_s < told.at_s and self._told[-1].counted < told.counted:
            if self._between is None:
                self._between = StepSeries.begin(stretch.line)
            spent_s = (told.at_s - self._told[-1].at_s) / (told.counted - self._told[-1].counted)
            self._between.take(spent_s, stretch.line, stretch.number)
        self._told.append(told)

    def finish(self) -> Iterable[TrainingPace]:
        if self._series is None:
            return []
        told = self._told or ()
        if self._between is not None and are_running_means(told):
            return [_pace(self._between, self._unit)]
        return [_pace(self._series, unit_of_rates(told, self._unit))]


def _pace(series: StepSeries, unit: str) -> TrainingPace:
    """What is called an epoch and takes less than a second is a sample."""
    is_short = unit == "epochs" and median(series.seconds) < 1
    return series.pace("MLPerf", unit="samples" if is_short else unit, reports=True)


def _document(text: str) -> dict[str, object]:
    """The record behind the mark; empty where it is none."""
    start = text.find(_MARK) + len(_MARK)
    try:
        document = json.loads(text[start : start + _MOST_CHARACTERS])
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _counter(metadata: object) -> tuple[str, int | None]:
    """What is counted, and the number of the step, sample or epoch."""
    if isinstance(metadata, dict):
        for name, unit in _COUNTERS.items():
            number = metadata.get(name)
            if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1 << 53:
                return unit, number
    return "", None


PARSER = MllogPace
