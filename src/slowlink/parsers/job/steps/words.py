"""What loops print about a step: its number, and how long it took or how much work was done a second."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from slowlink.parsers.forms.lines import shape_of
from slowlink.patterns import regex

MOST_CHARACTERS = 500
_NUMBER = r"(?<![\w.])\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,2})?"
_FRONT = r"(?i)(?<![a-z/_-])(?:(?:global|train(?:ing)?|optim\w{0,5}|mini)[ _-]?)?"
_BEHIND = r"(?:\s?(?:num(?:ber)?|idx|no\.?))?[\"']?[ #:=(\[]{0,10}(?P<no>\d{1,10})(?![\d.]\d|\s?[mµu]?s\b|\w)"
_COUNTERS = (
    regex(rf"{_FRONT}(?:step|iter(?:ation)?|it|update)s?{_BEHIND}"),
    regex(r"(?i)(?<![\d.:/])(?P<no>\d{1,10})\s?/\s{0,6}\d{1,10}\s?(?:batches|steps|it(?:er(?:ation)?)?s)\b"),
    regex(rf"{_FRONT}batch{_BEHIND}"),
    regex(r"(?i)\bepoch[ :]{1,3}\[\d{1,6}\]\s{0,4}\[\s{0,6}(?P<no>\d{1,10})/\d{1,10}\]"),
    regex(r"^\s{0,4}[\[(]\s{0,6}(?P<no>\d{1,9})\s?/\s?\d{2,9}[\])]"),
    regex(rf"{_FRONT}epoch{_BEHIND}"),
)
"""What is counted most often stands first."""

_LENGTH = r"(?P<unit>ms|msecs?|milliseconds?|us|µs|s|secs?|seconds?)"
_NO_KEY = r"(?!(?:(?:\s?/\s?|[_ ]per[_ ])[A-Za-z]{2,8}){0,2}[\])]?\s?[:=]\s?\d)"
"""What stands in front of another number is a key: ``step: 12 sec/step: 0.41``, ``loss=3.4 tok/s/gpu=10431``."""
_ONE = r"(?:it|iters?|iterations?|steps?|batch|batches|updates?|epochs?)"
_WORK = (
    r"(?:samples?|tok(?:en)?s?|images?|imgs?|examples?|ex|sequences?|seqs?|words?|frames?|graphs?|molecules?|docs?|sents?"
    r"|[TGP]?(?:FLOP|flop)[Ss]?)"
)
_FRONT_LENGTH, _MIDDLE_LENGTH = _LENGTH.replace("unit", "front"), _LENGTH.replace("unit", "middle")
_KEYED = (
    rf"[\s\"'(:=|\[]{{0,5}}(?:{_MIDDLE_LENGTH}[)\]]{{0,2}}[\s:=|]{{1,3}})?"
    rf"(?P<value>{_NUMBER})\s?{_LENGTH}?(?![\w/])"
)
_A_SECOND = r"s(?:ec(?:ond)?)?"
_TIMES = (
    regex(rf"(?i)(?P<value>{_NUMBER})\s?{_LENGTH}\s?(?:/|per)\s?{_ONE}\b{_NO_KEY}"),
    regex(
        rf"(?i)\b(?:time|{_FRONT_LENGTH}|elapsed|duration|latency|cost)\s?[_ ]?(?:/|per)[_ ]?{_ONE}\b{_KEYED}",
    ),
    regex(
        rf"(?i)\b(?:avg[_ ]?|mean[_ ]?|train[_ ]?)?{_ONE}[_ -]?(?:time|duration|latency|dur|elapsed)"
        rf"(?:[_ ]?{_FRONT_LENGTH})?(?=[\s\"'(:=|\[]){_KEYED}",
    ),
    regex(rf"(?i)\bdt[\s:=]{{1,3}}(?P<value>{_NUMBER})\s?{_LENGTH}(?![\w/])"),
)
_RATES = (
    regex(rf"(?i)(?P<value>{_NUMBER})\s?(?P<unit>{_ONE})\s?(?:/|per)\s?{_A_SECOND}\b{_NO_KEY}"),
    regex(rf"(?P<value>{_NUMBER})\s?(?P<times>[kKMGB])?\s?(?P<unit>{_WORK})\s?(?:/|per|p)\s?{_A_SECOND}\b{_NO_KEY}"),
    regex(
        rf"(?<![A-Za-z])(?P<unit>{_WORK})(?:\s?/\s?|[_ ]?per[_ ]){_A_SECOND}(?:[_ ]?(?:/|per)[_ ]?[A-Za-z]{{2,8}})?"
        rf"[\s\"'):=|]{{1,5}}(?P<value>{_NUMBER})\s?(?P<times>[kKMGB])?(?![\w/])"
    ),
    regex(
        rf"(?i)\b(?:throughput|tps|ips|tgs|wps|speed)\s?(?:\((?P<unit>{_WORK})/s(?:ec)?(?:/[a-z]{{2,8}})?\))?"
        rf"[\"']?\s?[:=]\s?(?P<value>{_NUMBER})\s?(?P<times>[kKMGB])?(?![\w/])"
    ),
)
_SOME_TIMES = (
    regex(
        rf"(?i)(?<![a-z_/-])(?:time|took|elapsed|dur(?:ation)?|latency|cost|wall(?:[ _-]time)?)(?![a-z_])"
        rf"[\s\"':=(|\[]{{1,5}}(?P<value>{_NUMBER})\s?{_LENGTH}(?![\w/])(?!\s?(?:/|per)\s?[a-z])"
    ),
)
"""Of the step, or since the start: only how it grows tells."""
_TRAINS = regex(
    r"(?i)(?<![a-z])(?:(?:[a-z]{1,12}[_ -])?loss|lr|learning[_ -]rate|grad[_ -]?norm|ppl|perplexity|fwd|bwd|forward"
    r"|backward|mfu|tflops?|tokens?|samples?)(?![a-z])"
)
_SECONDS = {"ms": 1e-3, "us": 1e-6, "µs": 1e-6}
_TIMES_MORE = {"k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9}
TIME_HINTS = ("/", "per", "time", "took", "dt", "dur", "latency", "elapsed", "throughput", "ps", "tgs", "speed")
STEP_HINTS = ("step", "iter", "batch", "update", "epoch", "it/s", "s/it")


class Pace(NamedTuple):
    """Seconds for one step; or for one unit of work, with its name (``samples``)."""

    seconds: float
    unit: str = ""
    some: bool = False
    """Nothing says that it is the time of the step alone."""


def may_pace(lowered: str) -> bool:
    """May the line (in lower case) name a step and its pace? Blind to numbers."""
    return any(hint in lowered for hint in STEP_HINTS) and any(hint in lowered for hint in TIME_HINTS)


class Measure(NamedTuple):
    """What a number is: its unit and its factor."""

    unit: str = ""
    times: float = 1.0
    is_rate: bool = False
    some: bool = False
    """As of a pace."""

    def pace_of(self, value: float) -> Pace:
        """What a number above zero says."""
        return _of_rate(value * self.times, self.unit) if self.is_rate else Pace(value * self.times, some=self.some)


class Number(NamedTuple):
    """Where a number stands in every line of one shape, and what it is."""

    at: slice
    measure: Measure


class _Numbers(NamedTuple):
    """The numbers in lines of one shape."""

    counter: slice | None
    paces: tuple[Number, ...]
    """In the order in which they count; a zero gives way to the next."""


@lru_cache(1 << 13)
def _numbers_of(shape: bytes) -> _Numbers:
    """No pattern asks which digits stand in a line, so all lines of a shape have their numbers at the same places."""
    text = shape.decode("utf-8", "replace")
    counter = next((slice(*found.span("no")) for each in _COUNTERS if (found := each.search(text))), None)
    paces = [_time(found) for each in _TIMES if (found := each.search(text))]
    paces += [_rate(found) for each in _RATES if (found := each.search(text))]
    paces += [_time(found, some=True) for each in _SOME_TIMES if (found := each.search(text))]
    return _Numbers(counter, tuple(paces))


def _time(found: re.Match[str], *, some: bool = False) -> Number:
    parts = found.groupdict()
    unit = parts.get("unit") or parts.get("middle") or parts.get("front") or "s"
    return Number(slice(*found.span("value")), Measure(times=_seconds_of(unit), some=some))


def _rate(found: re.Match[str]) -> Number:
    times = _TIMES_MORE.get((found.groupdict().get("times") or "").lower(), 1.0)
    return Number(slice(*found.span("value")), Measure(found["unit"] or "", times, is_rate=True))


def trains(text: str) -> bool:
    """Does the line name what only a training has? Blind to numbers."""
    return _TRAINS.search(text[:MOST_CHARACTERS]) is not None


def counter_at(text: str) -> slice | None:
    """Where the number of the step stands, else of the epoch, in all lines of this shape."""
    return _numbers_of(shape_of(text[:MOST_CHARACTERS])).counter


def counter_in(text: str) -> int | None:
    """The number of the step, else of the epoch."""
    text = text[:MOST_CHARACTERS]
    at = _numbers_of(shape_of(text)).counter
    return None if at is None else int(text[at])


def pace_in(text: str) -> Pace | None:
    """The time of a step, else the work a second; None where the line has neither, or a zero."""
    text = text[:MOST_CHARACTERS]
    for number in _numbers_of(shape_of(text)).paces:
        value = float(text[number.at].replace(",", ""))
        if value:
            return number.measure.pace_of(value)
    return None


def number_at(text: str) -> Number | None:
    """The number that tells the pace in all lines of this shape, where it is no zero."""
    return next(iter(_numbers_of(shape_of(text[:MOST_CHARACTERS])).paces), None)


def _of_rate(value: float, unit: str) -> Pace:
    """``2.4 it/s`` is a time; ``950 samples/s`` is work of that name."""
    if unit.lower().startswith(("it", "step", "batch", "update", "epoch")):
        return Pace(1 / value)
    return Pace(1 / value, unit or "units")


def _seconds_of(unit: str) -> float:
    unit = unit.lower()
    return _SECONDS.get(unit, 1e-3 if unit.startswith("m") else 1.0)
