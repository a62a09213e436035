"""How much servers of language models generate, as they log it every few seconds.

vLLM and SGLang::

    Avg prompt throughput: 96.0 tokens/s, Avg generation throughput: 1902.5 tokens/s, Running: 48 reqs, Waiting: 0 reqs
    Decode batch, #running-req: 32, #token: 41000, token usage: 0.12, gen throughput (token/s): 1240.50, #queue-req: 0

What a server generates follows from how many requests run. So only lines are kept where about as many run as in most,
and where few wait: an idle server, or one that is flooded, shows nothing about its GPUs.

Sources: vLLM ``vllm/v1/metrics/loggers.py`` and ``vllm/engine/metrics.py``; SGLang ``scheduler_metrics_mixin.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from slowlink.averages import median
from slowlink.model.job import TrainingPace
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.job.steps.series import StepSeries
from slowlink.patterns import regex

_NUMBER = r"\d{1,9}(?:\.\d{1,6})?"
MAX_REPORTS = Limit(100_000, "reports of throughput")
_VLLM = regex(
    rf"(?:(?P<engine>Engine \d{{1,6}}): )?Avg prompt throughput: {_NUMBER} tokens/s, "
    rf"Avg generation throughput: (?P<rate>{_NUMBER}) tokens/s"
)
_SGLANG = regex(rf"gen throughput \(token/s\): (?P<rate>{_NUMBER})")
_RUNNING = regex(r"(?:Running: |#running-req: )(?P<no>\d{1,7})")
_WAITING = regex(r"(?:Waiting: |Pending: |#queue-req: )(?P<no>\d{1,7})")
_FEW_WAIT = 0.25
"""Waiting requests for each that runs; more is a flood."""
_ALIKE = 0.2
"""How far the number of running requests may be from that of most lines."""


class _Report(NamedTuple):
    seconds: float
    running: int
    line: Line


class ServingPace:
    """Collects what one stream says of each server and engine."""

    kind: ClassVar[str] = "serving"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(("Avg generation throughput: ", "gen throughput (token/s): "))

    def __init__(self) -> None:
        self._reports: dict[str, list[_Report]] = {}

    @staticmethod
    def wants(text: str) -> bool:
        return "Avg generation throughput: " in text or "gen throughput (token/s): " in text

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        vllm = _VLLM.search(line.text)
        found = vllm or _SGLANG.search(line.text)
        if found is None:
            return Use.NOT_MINE
        running, waiting = (pattern.search(line.text) for pattern in (_RUNNING, _WAITING))
        runs, waits = int(running["no"]) if running else 0, int(waiting["no"]) if waiting else 0
        rate = float(found["rate"])
        name = " ".join(filter(None, ("vLLM", vllm["engine"]))) if vllm else "SGLang"
        reports = self._reports.setdefault(name, [])
        if rate and runs and waits <= runs * _FEW_WAIT and MAX_REPORTS.has_room(len(reports)):
            reports.append(_Report(1 / rate, runs, line))
        return Use.USED

    def finish(self) -> Iterable[TrainingPace]:
        for name, reports in self._reports.items():
            if not reports:
                continue
            usual = median(report.running for report in reports)
            alike = [report for report in reports if abs(report.running - usual) <= usual * _ALIKE]
            if alike:
                series = StepSeries.begin(alike[0].line)
                series.take_all([report.seconds for report in alike], (), [report.line for report in alike].__getitem__)
                yield series.pace(name, unit="tokens", work="serving")


PARSER = ServingPace
