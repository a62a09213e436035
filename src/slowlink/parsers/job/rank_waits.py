"""How long each rank waited in collectives, as scripts sum it up: a rank and one time in a line.

::

    rank 0 waits 21.3 s
    rank 1 (gx02): 20.9 s in NCCL
    [rank 2] barrier wait = 2.1 s

The row itself, or the line above the first one, says that it is a time in which ranks wait; so may the heading of a
table (``rank  barrier_ms``). Who comes last waits least.
Loops that print it in every step are read with the other parts of their steps (``job/steps/ranks.py``).

Source: words that people write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

KIND, ORIGIN = "rank-wait", "training"
_MOST_CHARACTERS = 160
_GAP = 3
"""Lines between the heading and the first row, or between two rows."""
_WAITS = regex(
    r"(?i)\bwait|\bidle|\bblocked|\bbarrier|nccl|all[_ -]?reduc|all[_ -]?gather|reduce[_ -]?scatter"
    r"|all[_ -]?to[_ -]?all|\bcomm(?:s|unication)?\b|collective|\bsync\b|exposed"
)
_ROW = regex(
    r"(?i)\s{0,20}(?:[-*|] ?)?\[?(?:global )?rank[ _#:=]{0,2}(?P<rank>\d{1,6})\]?"
    r"(?:\s{0,3}[(@,]?\s?(?P<host>(?!wait|idle)(?=[\w.-]{0,40}\d)[a-z][\w.-]{1,60})\)?)?"
    r"[\s:,|=>-]{1,12}(?P<words>[a-z][a-z _/()-]{0,60}?)??[\s:=|]{0,12}(?<![\w.])(?P<value>\d{1,9}(?:\.\d{1,6})?)"
    r"\s?(?P<unit>ms|msec|s|sec|seconds|us|%)?(?P<tail>(?:\s[a-z()_ -]{1,40})?)\s{0,8}\|?\s{0,8}"
)
_HEADING = regex(
    r"(?i)\s{0,20}[|#]?\s{0,8}(?:global[_ ])?rank\s{0,8}[|,;\t\s]\s{0,8}(?P<words>[a-z][a-z_ /-]{1,30}?)"
    r"(?:[_ ]?[(\[]?(?P<unit>ms|msec|s|sec|seconds|us|%)[)\]]?)?\s{0,8}\|?\s{0,8}"
)
_CELLS = regex(
    r"\s{0,20}\|?\s{0,8}(?P<rank>\d{1,6})\s{0,8}[|,;\t\s]\s{0,20}(?P<value>\d{1,9}(?:\.\d{1,6})?)\s{0,8}\|?\s{0,8}"
)
_SECONDS = {"ms": 1e-3, "msec": 1e-3, "s": 1.0, "sec": 1.0, "seconds": 1.0, "us": 1e-6}
MAX_RANKS = Limit(32_768, "ranks that wait")


class RankWaits:
    """Keeps what each rank waited, of one stream."""

    kind: ClassVar[str] = "rank-waits"
    digits_alike: ClassVar[bool] = True
    last_resort: ClassVar[int] = 7
    """After loops and reports that name parts of a step."""
    literals: ClassVar[Literals] = Literals(("rank", "\n0 ", "\n0\t", "\n0,", "\n0;", "\n|"), fold=True)

    def __init__(self) -> None:
        self._found: dict[int, JobEvent] = {}
        self._last = -_GAP - 1
        self._headed = False
        self._unit: str | None = None
        """Of the table that is open."""

    @staticmethod
    def gate() -> Gate:
        return (anywhere("(?i:rank)"),), (as_whole(_CELLS),)

    @staticmethod
    def wants(text: str) -> bool:
        return len(text) <= _MOST_CHARACTERS and any(form.fullmatch(text) for form in (_ROW, _CELLS, _HEADING))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        heading, cells = _HEADING.fullmatch(text), _CELLS.fullmatch(text)
        if heading is not None and _WAITS.search(heading["words"].replace("_", " ")) is not None:
            self._unit, self._last = heading["unit"] or "", line.no
            return Use.IGNORED
        if cells is not None and self._unit is not None and line.no - self._last <= _GAP:
            return self._keep(int(cells["rank"]), float(cells["value"]), self._unit.lower(), line.host, line)
        self._unit = None
        found = _ROW.fullmatch(text)
        if found is None:
            return Use.NOT_MINE
        if line.no - self._last > _GAP:
            self._headed = _WAITS.search(line.before) is not None
        said = _WAITS.search(f"{found['words'] or ''} {found['tail'] or ''}") is not None
        if not (said or self._headed) or found["unit"] is None:
            return Use.NOT_MINE
        host = found["host"] or line.host
        return self._keep(int(found["rank"]), float(found["value"]), found["unit"].lower(), host, line)

    def _keep(self, rank: int, value: float, unit: str, host: str | None, line: Line) -> Use:
        if not MAX_RANKS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._last = line.no
        groups = {"waits": f"{value * _SECONDS.get(unit, 1.0):.9g}"}
        groups |= {"unit": "%" if unit == "%" else ""} if unit not in _SECONDS else {"unit": "s"}
        ref = line.ref()
        self._found[rank] = JobEvent(KIND, ORIGIN, ref.text.strip(), groups, ref, host, rank)
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        return self._found.values()


PARSER = RankWaits
