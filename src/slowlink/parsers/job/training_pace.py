"""How long the steps of a training job take, as its framework prints them.

A step of Megatron-LM and one of an example of PyTorch::

     iteration       12/     900 | elapsed time per iteration (ms): 3217.4 | learning rate: 1.2E-05 |
    Epoch: [0]  [  20/5004]  eta: 0:30:12  lr: 0.1  loss: 6.9  time: 0.3621  data: 0.0003  max mem: 7421

Sources (the lines that print them): Megatron-LM ``training_log``; DeepSpeed ``ThroughputTimer`` and the pipeline
engine; torchvision's ``MetricLogger`` and PyTorch's ImageNet example (``AverageMeter``); torchtitan
``MetricsProcessor``; MaxText ``metric_logger``; NeMo's timing callback; MXNet ``Speedometer``; TensorFlow's CNN
benchmarks; Keras' ``Progbar`` (2.0 to 3.10); Horovod's synthetic benchmark; detectron2 ``CommonMetricPrinter``. Rates
are kept as seconds for one unit, since only their evenness is judged: nobody knows how long a step of this model should
take. Loops that people write themselves, and progress bars, are read elsewhere (``own_loops.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from slowlink.model.job import JobEvent, TrainingPace
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.rows import NOT_MINE, Row, Rows
from slowlink.parsers.job.steps.parts import StepParts, may_wait
from slowlink.parsers.job.steps.series import StepSeries
from slowlink.parsers.job.steps.words import counter_at, counter_in
from slowlink.patterns import regex

_NUMBER = r"\d{1,12}(?:,\d{3}){0,3}(?:\.\d{1,9})?"
_BAR = r"(?:\[[=>.]{1,60}\] - |[\u2501 ]{1,60})"
"""Of Keras, whose time for a step is the mean since the epoch began: only whole epochs are read (``100/100``)."""


class Form(NamedTuple):
    """One way to print a step."""

    program: str
    hint: str
    """A part of the line without digits."""
    pattern: re.Pattern[str]
    """Its group ``s``, ``ms`` or ``rate`` (units a second) is the pace of this step; or ``spent`` seconds for
    ``steps``, where the time of one step is rounded to seconds."""
    unit: str = ""
    """What a rate counts."""


FORMS = (
    Form("Megatron-LM", "elapsed time per iteration (ms):", regex(rf"per iteration \(ms\): (?P<ms>{_NUMBER})")),
    Form("DeepSpeed", "CurrSamplesPerSec=", regex(rf"CurrSamplesPerSec=(?P<rate>{_NUMBER})"), "samples"),
    Form("DeepSpeed", "iter time (s):", regex(rf"iter time \(s\): (?P<s>{_NUMBER})")),
    Form("MaxText", "completed step:", regex(rf"completed step: \d+, seconds: (?P<s>{_NUMBER})")),
    Form("torchtitan", "tps:", regex(rf"\bstep: {{1,6}}\d+ .{{0,200}}?\btps: (?P<rate>{_NUMBER})"), "tokens"),
    Form("nanoGPT", ", time ", regex(rf"\biter \d+: loss [\d.na]+, time (?P<ms>{_NUMBER})ms")),
    Form("nanoGPT", "step_avg:", regex(rf"\bstep:\d+/\d+ .{{0,100}}?step_avg:(?P<ms>{_NUMBER})ms")),
    Form("NeMo", "train_step_timing in s", regex(rf"train_step_timing in s['\"]?[=:] ?(?P<s>{_NUMBER})")),
    Form(
        "MXNet",
        "samples/sec",
        regex(rf"\bBatch ?\[?\d+\]?.{{0,100}}?Speed: (?P<rate>{_NUMBER}) samples/sec"),
        "samples",
    ),
    Form("torchvision", "max mem:", regex(rf"\btime: (?P<s>{_NUMBER})\s{{1,4}}data: {_NUMBER}\s{{1,4}}max mem:")),
    Form("detectron2", "data_time:", regex(rf"\btime: (?P<s>{_NUMBER}),? {{1,4}}(?:last_time: \S+ +)?data_time:")),
    Form("PyTorch", "Time ", regex(rf"\bEpoch: ?\[\d+\]\[ *\d+/\d+\]\s+Time {{1,8}}(?P<s>{_NUMBER}) \(")),
    Form("TensorFlow", "images/sec:", regex(rf"^\s*\d+\s+images/sec: (?P<rate>{_NUMBER}) \+/-"), "images"),
    Form("Keras", "ms/step", regex(rf"\b(\d{{1,9}})/\1 {_BAR}\d{{1,7}}s (?P<ms>{_NUMBER})ms/step\b")),
    Form("Keras", "s/step", regex(rf"\b(?P<steps>\d{{1,9}})/(?P=steps) {_BAR}(?P<spent>\d{{1,7}})s \d{{1,5}}s/step\b")),
    Form("Horovod", "img/sec per", regex(rf"\bIter #\d+: (?P<rate>{_NUMBER}) img/sec per"), "images"),
)

_EVALUATION = regex(
    r"(?i)(?:^|[^a-z])(?:test|val|valid|validation|validate|eval|evaluation|evaluate)(?![a-z])[^\[\]=]{0,20}\[ {0,6}\d"
)
"""``Test:  [  10/259]``: a loop over other data that trains nothing has a pace of its own."""


class TrainingSteps:
    """Collects the paces of one stream, those of each framework apart."""

    kind: ClassVar[str] = "training"
    digits_alike: ClassVar[bool] = True
    lone: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(form.hint for form in FORMS)

    def __init__(self) -> None:
        self._series: dict[tuple[str, str], StepSeries] = {}
        """By framework and unit of a rate."""
        self._parts = StepParts()

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.hint in text for form in FORMS)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        for form in FORMS:
            found = form.pattern.search(line.text) if form.hint in line.text else None
            if found is not None and (seconds := _seconds(found)) is not None:
                if _EVALUATION.search(line.text[: found.start()]) is not None:
                    return Use.IGNORED
                series = self._series.setdefault((form.program, form.unit), StepSeries.begin(line))
                series.take(seconds, line, counter_in(line.text))
                self._parts.note(line)
                return Use.USED
        return Use.NOT_MINE

    @staticmethod
    def row(text: str) -> Row | None:
        zeros = shape_of(text).decode("utf-8", "replace")  # numbers that must be the same are, here
        for form in FORMS:
            found = form.pattern.search(zeros) if form.hint in text else None
            if found is None:
                continue
            if found.re.groups != 1 or may_wait(text) or _EVALUATION.search(zeros[: found.start()]) is not None:
                return None
            (unit,) = found.groupdict()
            return Row((form.program, form.unit, unit), slice(*found.span(unit)), counter_at(text))
        return NOT_MINE

    def feed_rows(self, rows: Rows) -> None:
        for (program, of_rate), mine in rows.apart(lambda meaning: meaning[:2]):
            series = self._series.get((program, of_rate))
            if series is None:
                series = self._series[program, of_rate] = StepSeries.begin(mine.line(0))
            series.take_all(_all_of(mine), mine.numbers, mine.line)

    def finish(self) -> Iterable[TrainingPace | JobEvent]:
        paces = [series.pace(program, unit=unit) for (program, unit), series in self._series.items()]
        return [*paces, *self._parts.events()]


def _seconds(found: re.Match[str]) -> float | None:
    """Seconds for one step, or for one unit of a rate; None where the number is 0."""
    groups = {unit: float(text.replace(",", "")) for unit, text in found.groupdict().items()}
    if "spent" in groups:
        return groups["spent"] / groups["steps"] if groups["spent"] and groups["steps"] else None
    ((unit, value),) = groups.items()
    if not value:
        return None
    return _of(unit, value)


def _all_of(rows: Rows) -> list[float]:
    units = {meaning[2] for meaning in rows.kinds()}
    if units == {"ms"}:
        return [value / 1e3 for value in rows.values]
    return [_of(meaning[2], value) for meaning, value in zip(rows.meanings, rows.values, strict=True)]


def _of(unit: str, value: float) -> float:
    """Seconds; ``value`` is above zero."""
    if unit == "rate":
        return 1 / value
    return value / 1e3 if unit == "ms" else value


PARSER = TrainingSteps
