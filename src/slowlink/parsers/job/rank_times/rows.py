"""Reports with a row a rank: what the parts of a step took on each, under a heading that names the step or the unit.

::

    ---- step 50 ---- (ms)
    rank  0 host gpu07  data  1.8  fwd  148.9  bwd  297.3  allreduce  167.2
    times across ranks (ms):
      forward-compute:
         rank  0: 148.91
    {"rank": 3, "host": "gpu07", "fwd_ms": 148.9, "bwd_ms": 297.3}

A row counts with two times or more, each with the name of what it is of; a name without a unit must be one of a part of
a step. Each report is one step, whether or not its number is printed. Rows that name a step of their own are a loop's
(``own_loops``). The second form is that of Megatron-LM's timers with ``--timing-log-option all``.

Source: Megatron-LM core 0.5 to 0.14 (``megatron/core/timers.py``), and words that people write.
"""

from __future__ import annotations

from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.job.rank_times.part_names import is_part
from slowlink.parsers.job.steps.parts import Part, parts_in
from slowlink.parsers.job.steps.ranks import RankSteps, rank_of
from slowlink.parsers.job.steps.words import MOST_CHARACTERS, counter_in
from slowlink.patterns import regex

_HEADING_UNIT = regex(
    r"[\s(\[](?P<unit>ms|milliseconds|s|sec|seconds|us|microseconds)[)\]]"
    r"|\b(?:in|all) (?P<said>ms|milliseconds|seconds)\b"
)
_TIMER = regex(r"\s{1,12}(?P<name>[a-z][a-z0-9-]{2,40}):\s*")
_TIMER_OF_RANK = regex(r"\s{1,12}rank\s{1,6}(?P<rank>\d{1,6}): (?P<value>\d{1,9}\.\d{1,6})\s*")
_STEPS_OF_A_TIMER = 2
"""Megatron-LM's timers are averages over ``--log-interval`` steps, 100 by default. How many is not printed: they count
as the fewest that make an average."""
_FEWEST_PARTS = 2
_GAP = 64
"""Lines after a heading in which rows without a heading of their own follow; a row begins the count anew."""
_SCALES = {"m": 1e-3, "u": 1e-6, "s": 1.0}


GATE: Gate = ((anywhere("(?i:rank)"), anywhere(r"\d\.\d|[)\]]|(?:in|all) (?:ms|milli|sec)")), (as_whole(_TIMER),))


def wants(text: str) -> bool:
    """A row, its heading, or a timer of Megatron-LM and the ranks below it."""
    text = text[:MOST_CHARACTERS]
    if "rank" not in text.lower():
        return _TIMER.fullmatch(text) is not None
    return _TIMER_OF_RANK.fullmatch(text) is not None or _HEADING_UNIT.search(text) is not None or _is_row(text)


class Rows:
    """The reports of one stream."""

    def __init__(self, ranks: RankSteps) -> None:
        self._ranks = ranks
        self._unit = ""
        self._timer = ""
        self._last = 0
        """The line of the last heading or row."""

    def feed(self, line: Line) -> Use:
        text = line.text[:MOST_CHARACTERS]
        near = line.no - self._last <= _GAP
        timer, of_rank = _TIMER.fullmatch(text), _TIMER_OF_RANK.fullmatch(text)
        if of_rank is not None and self._timer and near:
            self._last = line.no
            self._add(int(of_rank["rank"]), self._timer, float(of_rank["value"]), self._unit, line, _STEPS_OF_A_TIMER)
            return Use.USED
        if timer is not None:
            self._timer = timer["name"] if near else ""
            return Use.IGNORED if near else Use.NOT_MINE
        return self._row(line, text, near) if _is_row(text) else self._heading(line, text)

    def _row(self, line: Line, text: str, near: bool) -> Use:
        rank = rank_of(line)
        if rank is None or counter_in(text) is not None:
            return Use.NOT_MINE
        self._last, unit = line.no, self._unit if near else ""
        for part in _timed(text):
            self._add(rank, part.name.rpartition(" ")[2], part.value, part.unit or unit, line)
        return Use.USED

    def _heading(self, line: Line, text: str) -> Use:
        found = _HEADING_UNIT.search(text)
        if found is None:
            return Use.NOT_MINE
        self._unit, self._last, self._timer = found["unit"] or found["said"], line.no, ""
        return Use.USED

    def _add(self, rank: int, name: str, value: float, unit: str, line: Line, of: int = 1) -> None:
        self._ranks.add(rank, name, value * _SCALES.get(unit[:1], 1.0), line, in_seconds=bool(unit), of=of)


def _timed(text: str) -> list[Part]:
    """Names with a time of a part of a step."""
    return [
        part for part in parts_in(text) if part.unit or ("." in part.text and is_part(part.name.rpartition(" ")[2]))
    ]


def _is_row(text: str) -> bool:
    return text.count(".") >= _FEWEST_PARTS and len(_timed(text)) >= _FEWEST_PARTS
