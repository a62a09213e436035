"""How much of each step a training waits for its data, where its loop prints the parts of a step.

In one line, or one line a value below the line that names the batch::

    step 40 | loss 2.1 | step_time 8.2s | data 6.1s fwd+bwd 1.9s
    Epoch: [0][ 20/5004]  Time  0.362 ( 0.411)  Data  0.301 ( 0.333)  Loss 6.9
         Train stepwatch/dataloader_wait_sec: 28.93
         Train stepwatch/forward_backward_sec: 3.75

The whole is the time of the step, where the line has one, else the sum of its parts. Sources: torchvision's
``MetricLogger`` and PyTorch's ImageNet example, detectron2 ``CommonMetricPrinter``, mmengine ``LoggerHook``, Composer's
console logger, Megatron-LM's timers (``batch-generator ....: (12.0, 15.1)``); and words of loops that people write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct, field

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.job.steps.words import counter_in
from slowlink.patterns import regex

KIND, ORIGIN = "data-wait", "training"
MOST_CHARACTERS, MOST_GAP = 500, 12
MOST_STEPS, MOST_PARTS = Limit(1_000_000, "timed lines"), Limit(200, "parts of one step")
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,2})?"
_UNIT = r"ms|msecs?|milliseconds?|s|secs?|seconds?"
_PART = regex(
    rf"(?<![\w/.+-])(?P<name>[A-Za-z][\w+./-]{{0,60}}(?: [A-Za-z][\w+./-]{{0,30}}){{0,3}}?)"
    rf"(?:[ _]?[(\[](?P<paren>{_UNIT})[)\]])?[\"']?\s{{0,4}}[:=]?[ \t\"']{{0,8}}(?P<value>{_NUMBER})"
    rf"\s?(?P<unit>{_UNIT})?(?![\w/%.:-])"
)
_TIMER = regex(
    rf"^\s*(?P<name>[a-z][a-z-]{{2,40}}) \.{{3,80}}: \(?(?P<least>{_NUMBER})(?:, (?P<most>{_NUMBER})\))?\s*$"
)
_NAME_UNIT = regex(rf"(?<!per)[ _](?:in[ _])?(?P<unit>{_UNIT})\Z")
"""Tokens per second are no time."""
_DATA = (
    r"(?:data[_ -]?(?:load(?:er|ing)?)?|batch[_ -](?:load(?:ing)?|generator|fetch)|load(?:ing)?[_ -](?:data|batch)"
    r"|input(?:[_ -]pipeline)?|fetch(?:ing)?(?:[_ -](?:data|batch))?|(?:next|get)[_ -]batch|reader)"
)
_WORD = r"(?:[_ -]?(?:wait(?:ing)?|time|t|stall(?:ed)?|fetch|latency|cost|(?:step[_ -])?timing))"
_WAIT = regex(rf"(?:.{{0,60}}[/. ])?(?:train[_-])?{_DATA}(?P<word>{_WORD}{{1,2}})?\Z")
_WHOLE = regex(
    r"(?:.{0,60}[/.])?(?:(?:train|avg|mean|last|elapsed|total|global|the)[_ -]){0,2}"
    r"(?:(?P<step>step|iter(?:ation)?|it|batch|took)|(?:(?:step|iter(?:ation)?|it|batch|total)[_ -]?)?"
    r"(?:time|dt|elapsed|cost|duration|latency)|time[_ ](?:per|/)[_ ](?:step|iter(?:ation)?|batch))\Z"
)
_OF_ALL = "forward-backward"
"""A timer of Megatron-LM that holds the one of its batches."""
_HINT = regex(r"data|batch-gen|batch_load|fetch|input|batch (?!size)|next_batch|load_|reader_cost")
LINES_OF_ONE = ("_sec", "_ms", "_time", "....: ")


class Part(NamedTuple):
    """A name and a time. ``unit`` is "" where none was printed."""

    name: str
    value: float
    unit: str
    text: str

    @property
    def seconds(self) -> float:
        return self.value / 1e3 if self.unit.startswith("m") else self.value


class StepParts(Struct):
    """Collects the waits of one stream."""

    worst: Line | None = None
    """Where it waits for the largest share of a step."""
    last: int = 0
    shares: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    waited: float = 0.0
    whole: float = 0.0
    synchronised: bool = False
    """Megatron-LM's timers wait for the GPU before they look at the clock."""
    spanned: int = 0
    """Steps from the first line to the last by the loop's own counter, which may print each tenth; 0: unknown."""
    number: int | None = None
    """Of the last step, as the loop counts."""
    _most: float = 0.0
    _line: Line | None = None
    """The wait in what is open."""
    _open: list[Part] = field(default_factory=list)
    """Of a step that is printed in several lines."""

    def note(self, line: Line) -> bool:
        """Take the parts of a step out of the one line that tells of it."""
        if not may_wait(line.text):
            return False
        parts = parts_in(line.text)
        wait = next((part for part in parts if _is_wait(part)), None)
        if wait is None:
            return False
        whole = _whole_of(wait, [part for part in parts if part is not wait])
        return self.add(line, wait.seconds, whole, counter_in(line.text))

    def note_alone(self, line: Line) -> bool:
        """Take the line if it holds one value of a step and nothing else."""
        part = _alone(line.text)
        if part is None:
            return False
        begun = self._open
        known = any(part.name == other.name for other in begun)
        if begun and (known or _family(part) != _family(begun[0]) or line.no - self.last > MOST_GAP):
            self._close()
        if MOST_PARTS.has_room(len(self._open)):
            self._open.append(part)
        if _is_wait(part):
            self._line = line
        self.last = line.no
        return True

    def events(self) -> Iterable[JobEvent]:
        """One event, where there are such steps."""
        self._close()
        if self.worst is None:
            return
        steps = self.shares[max(1, len(self.shares) // 10) :] or self.shares
        middle = sorted(steps)[len(steps) // 2]
        groups = {
            "lines": str(len(self.shares)),
            "spanned": str(self.spanned),
            "share": f"{middle:.3f}",
            "last": str(self.last),
        }
        groups |= {"waited": f"{self.waited:.4g}", "whole": f"{self.whole:.4g}", "spread": f"{self._spread():.3f}"}
        groups["by"] = "synchronised timers" if self.synchronised else "the host's clock"
        worst = self.worst
        yield JobEvent(KIND, ORIGIN, worst.text[:400].strip(), groups, worst.ref(), worst.host, worst.rank)

    def _spread(self) -> float:
        """How far the middle half of the waits lies apart, as a share of the middle one."""
        waits = sorted(self.waits[max(1, len(self.waits) // 10) :] or self.waits)
        middle = waits[len(waits) // 2]
        return (waits[3 * len(waits) // 4] - waits[len(waits) // 4]) / middle if middle else 0.0

    def _close(self) -> None:
        parts, self._open = self._open, []
        line, self._line = self._line, None
        wait = next((part for part in parts if _is_wait(part)), None)
        if wait is not None and line is not None:
            self.synchronised = self.synchronised or not _family(wait)
            self.add(line, wait.seconds, _whole_of(wait, [part for part in parts if part is not wait]))

    def add(self, line: Line, waited: float, whole: float, number: int | None = None) -> bool:
        if whole <= 0:
            return False
        self.last = line.no
        if number is not None:
            self.spanned += max(0, number - self.number) if self.number is not None else 0
            self.number = number
        if MOST_STEPS.has_room(len(self.shares)):
            if waited / whole >= self._most:
                self.worst, self._most = line, waited / whole
            self.shares.append(waited / whole)
            self.waits.append(waited)
            self.waited, self.whole = self.waited + waited, self.whole + whole
        return True


def may_stand_alone(text: str) -> bool:
    """May the line hold one value of a step? Blind to numbers."""
    return len(text) < 200 and ":" in text and any(mark in text for mark in LINES_OF_ONE)


def stands_alone(text: str) -> bool:
    """Does the line hold one value of a step and nothing else? Blind to numbers."""
    return _alone(text) is not None


def parts_in(text: str) -> list[Part]:
    """All names with a number behind them."""
    return [_part(found) for found in _PART.finditer(text[:MOST_CHARACTERS])]


def _part(found: re.Match[str]) -> Part:
    name = found["name"].lower()
    inside = _NAME_UNIT.search(name)
    unit = found["unit"] or found["paren"] or (inside["unit"] if inside else "")
    return Part(name[: inside.start()] if inside else name, float(found["value"]), unit.lower(), found["value"])


def _alone(text: str) -> Part | None:
    """The one part of a line: of a timer of Megatron-LM (milliseconds; of the slowest rank), or ``a/b_sec: 1.5``."""
    timer = _TIMER.match(text[:MOST_CHARACTERS])
    if timer is not None:
        value = timer["most"] or timer["least"]
        return Part(timer["name"], float(value), "ms", value)
    found = _PART.search(text[:MOST_CHARACTERS]) if may_stand_alone(text) else None
    if found is None or text[: found.start()].strip(" \t\"',|-") or text[found.end() :].strip(" \t\"',|"):
        return None
    part = _part(found)
    return part if part.unit and "/" in part.name else None


def _family(part: Part) -> str:
    """Values of one step have the same words up to the last slash."""
    return part.name.rpartition("/")[0]


def may_wait(text: str) -> bool:
    """May the line tell of a wait? Blind to numbers."""
    return _HINT.search(text[:MOST_CHARACTERS].lower()) is not None


def _is_wait(part: Part) -> bool:
    """``data 0.3`` is a time for its decimals, ``input 512`` is none without a unit or a word that says so."""
    found = _WAIT.match(part.name)
    if found is None:
        return False
    return bool(part.unit or found["word"] or ("." in part.text and part.name.endswith("data")))


def _is_whole(part: Part) -> bool:
    """``step 40`` is a number of a step, ``step 4.1s`` its time."""
    found = _WHOLE.match(part.name)
    return found is not None and part.value > 0 and bool(part.unit or not found["step"])


def _whole_of(wait: Part, others: list[Part]) -> float:
    """Seconds of the whole step; 0 where the line does not tell."""
    whole = next((part for part in others if _is_whole(part)), None)
    if whole is not None:
        unit = whole.unit or wait.unit
        seconds = Part(whole.name, whole.value, unit, whole.text).seconds
        waited = Part(wait.name, wait.value, wait.unit or unit, wait.text).seconds
        return seconds if waited <= 1.02 * seconds else 0.0
    if any(part.name == _OF_ALL for part in others):
        return sum(part.seconds for part in others if part.name in (_OF_ALL, "optimizer"))
    timed = [part.seconds for part in others if part.unit]
    return wait.seconds + sum(timed) if timed and wait.unit else 0.0
