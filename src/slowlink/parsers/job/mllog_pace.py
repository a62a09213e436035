"""How fast a benchmark of MLPerf trains, as its own log says::

    :::MLLOG {"key": "tracked_stats", "value": {"throughput": 1084.2}, "metadata": {"step_num": 100}}

The value is the mean since the line before it, of samples a second, or one since the beginning, which times and
counters give away (``running_means``); the metadata count steps, samples or epochs. A launcher's tag may stand before
the mark, and another key beside the throughput. A line that counts no further is the summary of the run.

Source: MLPerf's logging package (``mllog``), and the rules of MLPerf Training for ``tracked_stats``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.job import TrainingPace
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.job.steps.running_means import Told, paces_of_running_means
from slowlink.parsers.job.steps.series import StepSeries

_MARK = ":::MLLOG "
_MOST_CHARACTERS = 4_000
_COUNTERS = {"step_num": "steps", "samples_count": "samples", "epoch_num": "epochs", "step": "steps", "epoch": "epochs"}
_MAX_TOLD = Limit(100_000, "timed lines")
_MILLISECONDS = 1000
_LATEST_MS = 1e15


class MllogPace:
    """The throughputs of one stream."""

    kind: ClassVar[str] = "mllog"
    literals: ClassVar[Literals] = Literals(('"tracked_stats"',))

    def __init__(self) -> None:
        self._series: StepSeries | None = None
        self._told: list[Told] | None = []
        """Lines with their times and counters; None where one has none, or there are too many."""
        self._unit = ""
        self._waiting: tuple[float, Line, int] | None = None
        """A line that counts no further than the one before: the summary of the run, if it is the last."""
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
            self._series = StepSeries.begin(line)
        if self._waiting is not None:  # more follow: it was no summary
            self._series.take(*self._waiting)
            self._waiting, self._counts_on = None, False
        if self._counts_on and counted is not None and counted == self._series.number:
            self._waiting = 1 / rate, line, counted
            return Use.USED
        self._series.take(1 / rate, line, counted)
        self._note(document.get("time_ms"), unit, counted, float(rate))
        return Use.USED

    def _note(self, time_ms: object, unit: str, counted: int | None, rate: float) -> None:
        if self._told is None:
            return
        is_time = isinstance(time_ms, int | float) and not isinstance(time_ms, bool) and 0 <= time_ms < _LATEST_MS
        is_one_more = counted is not None and unit == (self._unit or unit) and _MAX_TOLD.has_room(len(self._told))
        if not is_time or not is_one_more:
            self._told = None
            return
        self._unit = unit
        self._told.append(Told(float(time_ms) / _MILLISECONDS, counted, rate))  # type: ignore[arg-type]

    def finish(self) -> Iterable[TrainingPace]:
        if self._series is None:
            return []
        paces = paces_of_running_means(self._told or ())
        if paces is None:
            return [self._series.pace("MLPerf", unit="samples")]
        return [replace(self._series.pace("MLPerf", unit=self._unit), seconds=tuple(paces))]


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
