"""How long the steps of a loop take that somebody wrote, and what progress bars (tqdm) show.

::

    10:00:05 - step 500 - loss 2.71 - 0.435 s/step - 2350 samples/s
    iter 120 | loss 3.1 | time/iter 1.23s
    Epoch 1:  12%|#2        | 60/500 [04:55<36:10, 4.93s/it, loss=2.1]

A line counts that has a number of the step and a time of a step, or work a second; a loop counts whose numbers grow. A
time that no word ties to the step (``step 12 loss 2.1 time 1.02s``) is one where it does not grow from line to line.
Whatever else the line says is left alone. A bar need not say what it counts: where neither it nor the log beside it
names a training, it is shown, and proves nothing.

Source of the bar: tqdm, ``format_meter``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from slowlink.model.job import JobEvent, TrainingPace
from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate, any_of, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line
from slowlink.parsers.forms.rows import Row, Rows
from slowlink.parsers.job.steps.parts import LINES_OF_ONE, StepParts, may_stand_alone, may_wait, parts_in, stands_alone
from slowlink.parsers.job.steps.ranks import TIME_OF_RANK, RankSteps, may_be_of_a_rank, names_node, names_rank
from slowlink.parsers.job.steps.series import StepSeries
from slowlink.parsers.job.steps.words import (
    MOST_CHARACTERS,
    STEP_HINTS,
    TIME_HINTS,
    Pace,
    counter_at,
    counter_in,
    may_pace,
    number_at,
    pace_in,
    trains,
)
from slowlink.patterns import regex

_BAR_HINTS = ("s/it", "it/s", "s/step", "step/s", "s/batch", "batch/s")
_BAR = regex(
    r"(?P<before>.{0,200}?)(?<![\d.])(?P<no>\d{1,9})/\d{1,9} \[\d{1,3}:[\d:]{2,8}<[\d:?]{1,12}, {1,3}"
    r"(?P<pace>\d{1,9}(?:\.\d{1,4})? ?(?:s/(?:it|step|batch)|(?:it|step|batch)/s))(?P<behind>[^\]]{0,300})\]"
)
_TRAINS = regex(r"(?i)(?:^|[^a-z])(?:train|epoch|step|iter|loss|fit|optim)")
_NO_TRAINING = regex(
    r"(?i)eval|valid|(?:^|[^a-z])test|load|(?:^|[^a-z])map|tokeni|download|fetch|shard|filter|captur|compil|generat|sampl"
    r"|process|profil|infer|predict|sav(?:e|ing)|cach|warm"
)
_LOSS = "'loss':"
"""The dictionary that the Trainer of transformers prints between its bars."""
_LOOP, _TRAINING_BAR, _BAR_OF_SOMETHING = "training loop", "progress bar of a training", "progress bar"
_TIMED, _TIMED_SOMETHING = "training loop, some time", "loop, some time"
"""Loops whose lines have a time that may be since the start; the second are of no training by their words."""
_FEWEST_TIMED = 20
"""Lines of a loop of whatever: an installation has fewer steps."""


class OwnLoops:
    """Collects the paces of one stream: times of steps, each kind of work, and bars apart."""

    kind: ClassVar[str] = "steps"
    digits_alike: ClassVar[bool] = True
    lone: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals((*STEP_HINTS, *LINES_OF_ONE, *_BAR_HINTS, _LOSS), fold=True)
    last_resort: ClassVar[int] = 5
    """After all that know their lines, and after complaints: a step that fails is no step."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, str], StepSeries] = {}
        self._parts = StepParts()
        self._ranks = RankSteps()
        self._trains = False
        """Does the stream print losses?"""

    @staticmethod
    def gate() -> Gate:
        steps = anywhere(any_of(STEP_HINTS))
        return (
            (steps, anywhere(any_of(TIME_HINTS), TIME_OF_RANK)),
            (anywhere(any_of(_BAR_HINTS), _LOSS),),
            (anywhere(any_of(LINES_OF_ONE)), ":"),
        )

    @staticmethod
    def wants(text: str) -> bool:
        lowered = text.lower()
        return (
            may_pace(lowered)
            or may_be_of_a_rank(lowered)
            or any(hint in text for hint in _BAR_HINTS)
            or _LOSS in text
            or may_stand_alone(text)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:MOST_CHARACTERS]
        if is_library_line(text):
            return Use.NOT_MINE
        if self._parts.note_alone(line):
            return Use.USED
        bar = _BAR.match(text) if "<" in text else None
        if bar is not None:
            program = _program_of(bar)
            return self._take(program, pace_in(bar["pace"]), int(bar["no"]), line) if program else Use.IGNORED
        if _LOSS in text and pace_in(text) is None:
            self._trains = True
            return Use.IGNORED
        of_rank = self._ranks.note(line)
        pace = pace_in(text)
        use = self._take(_loop_of(text, some=pace is not None and pace.some), pace, counter_in(text), line)
        return Use.USED if of_rank else use

    def _take(self, program: str, pace: Pace | None, number: int | None, line: Line) -> Use:
        if pace is None or number is None:
            return Use.USED if number is not None and self._parts.note(line) else Use.NOT_MINE
        series = self._series.get((program, pace.unit))
        if series is None:
            series = self._series[program, pace.unit] = StepSeries.begin(line)
        if series.number != number:  # each rank prints the step, a bar is drawn twice
            series.take(pace.seconds, line, number)
            self._parts.note(line)
        return Use.USED

    @staticmethod
    def row(text: str) -> Row | None:
        front = text[:MOST_CHARACTERS]
        pace, counter = number_at(front), counter_at(front)
        if is_library_line(front) or stands_alone(text):
            return None
        bar = _BAR.match(front) if "<" in front else None
        if bar is not None:
            return _row_of_bar(bar, text)
        if pace is None and _LOSS in front:
            return Row(_LOSS, use=Use.IGNORED)
        if pace is None or counter is None or may_wait(text):
            return None
        timed = any(part.unit for part in parts_in(front))
        if timed and (names_rank(front) or names_node(front)):
            return None
        return Row((_loop_of(front, some=pace.measure.some), pace.measure), pace.at, counter, without_rank=timed)

    def feed_rows(self, rows: Rows) -> None:
        for key, mine in rows.apart(_series_of):
            if isinstance(key, str):
                self._trains = self._trains or key == _LOSS
                continue
            series = self._series.get(key)
            if series is None:
                series = self._series[key] = StepSeries.begin(mine.line(0))
            last = [series.number, *mine.numbers[:-1]]
            new = [row for row, number in enumerate(mine.numbers) if number != last[row]]
            if new:
                seconds = [mine.meanings[row][1].pace_of(mine.values[row]).seconds for row in new]
                series.take_all(seconds, [mine.numbers[row] for row in new], _lines_of(mine, new))

    def finish(self) -> Iterable[TrainingPace | JobEvent]:
        yield from self._parts.events()
        yield from self._ranks.events()
        for (program, unit), series in self._series.items():
            if not series.grows:
                continue
            if program in (_TIMED, _TIMED_SOMETHING):
                if series.adds_up or (program == _TIMED_SOMETHING and series.count < _FEWEST_TIMED):
                    continue
                program = _LOOP
            known = program != _BAR_OF_SOMETHING or self._trains
            yield series.pace(program, unit=unit, work="training" if known else "unknown")


def _loop_of(text: str, *, some: bool) -> str:
    """Blind to numbers."""
    if not some:
        return _LOOP
    return _TIMED if trains(text) else _TIMED_SOMETHING


def _series_of(meaning: Any) -> tuple[str, str] | str:
    """Program and unit of a row; what it is where it has none."""
    if isinstance(meaning, str):
        return meaning
    program, measure = meaning
    return program, measure.pace_of(1.0).unit


def _program_of(bar: re.Match[str]) -> str:
    """What the bar shows; "" where it surely is no training. Blind to numbers."""
    words = f"{bar['before']} {bar['behind']}"
    if _NO_TRAINING.search(words):
        return ""
    return _TRAINING_BAR if _TRAINS.search(words) else _BAR_OF_SOMETHING


def _row_of_bar(bar: re.Match[str], text: str) -> Row | None:
    """What is taken of all bars of one shape."""
    program, pace = _program_of(bar), number_at(bar["pace"])
    if not program:
        return Row(program, use=Use.IGNORED)
    if pace is None or may_wait(text):
        return None
    at = bar.start("pace")
    return Row((program, pace.measure), slice(at + pace.at.start, at + pace.at.stop), slice(*bar.span("no")))


def _lines_of(rows: Rows, places: Sequence[int]) -> Callable[[int], Line]:
    return lambda at: rows.line(places[at])


PARSER = OwnLoops
