"""How fast a benchmark of MLPerf trains, as its own log says::

    :::MLLOG {"key": "tracked_stats", "value": {"throughput": 1084.2}, "metadata": {"step_num": 100}}

The value is the mean since the line before it, of samples a second; the metadata count steps, samples or epochs. A
launcher's tag may stand before the mark, and another key beside the throughput.

Source: MLPerf's logging package (``mllog``), and the rules of MLPerf Training for ``tracked_stats``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import TrainingPace
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.job.steps.series import StepSeries

_MARK = ":::MLLOG "
_MOST_CHARACTERS = 4_000
_COUNTERS = ("step_num", "samples_count", "epoch_num", "step", "epoch")


class MllogPace:
    """The throughputs of one stream."""

    kind: ClassVar[str] = "mllog"
    literals: ClassVar[Literals] = Literals(('"tracked_stats"',))

    def __init__(self) -> None:
        self._series: StepSeries | None = None

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
        if self._series is None:
            self._series = StepSeries.begin(line)
        self._series.take(1 / rate, line, _counter(document.get("metadata")))
        return Use.USED

    def finish(self) -> Iterable[TrainingPace]:
        return [self._series.pace("MLPerf", unit="samples")] if self._series is not None else []


def _document(text: str) -> dict[str, object]:
    """The record behind the mark; empty where it is none."""
    start = text.find(_MARK) + len(_MARK)
    try:
        document = json.loads(text[start : start + _MOST_CHARACTERS])
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _counter(metadata: object) -> int | None:
    """The number of the step, sample or epoch."""
    if not isinstance(metadata, dict):
        return None
    found = (metadata.get(name) for name in _COUNTERS)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 53), None)


PARSER = MllogPace
