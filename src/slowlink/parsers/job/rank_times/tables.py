"""Tables with a row a rank, or a row a rank and step: what the parts of a step took on each.

::

    rank,step,host,fwd_ms,bwd_ms,allreduce_ms
    0,50,gpu07,148.9,297.3,167.2

    rank  host    forward (ms)  backward (ms)
    0     gpu07   148.9         297.3

    timing of 32 ranks, interval 500 steps
    rank  host    fwd_ms  bwd_ms
    0     gpu07   148.9   297.3

Where a line above says of how many steps the times are, each row stands for so many.

The heading names a rank, and times: by their unit, or as parts of a step. Cells are parted by commas, semicolons, bars,
tabs or blanks; a row begins with a number. Source: words that people write.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.job.rank_times.part_names import NO_STEP, STEPS, is_part
from slowlink.parsers.job.steps.ranks import RankSteps
from slowlink.patterns import regex

_MOST_CHARACTERS = 500
_UNITS = {"ms": 1e-3, "msec": 1e-3, "us": 1e-6, "s": 1.0, "sec": 1.0, "seconds": 1.0}
_NAME = r"[\"']?[A-Za-z][\w./-]{0,40}(?: ?[(\[][a-z]{1,7}[)\]])?[\"']?"
_SEPARATOR = r"(?:\s{0,12}[,;|]\s{0,12}|\s{1,40})"
_HEADING = regex(rf"\s{{0,8}}(?:[#|]\s{{0,8}})?{_NAME}(?:{_SEPARATOR}{_NAME}){{2,40}}\s{{0,8}}\|?\s*")
_CELL = r"[\"']?[\w.:-]{1,80}[\"']?"
_ROW = regex(rf"\s{{0,8}}(?:\|\s{{0,8}})?\d{{1,10}}(?:{_SEPARATOR}{_CELL}){{2,40}}\s{{0,8}}\|?\s*")
_DECIMAL = regex(r"\d\.\d")
_RULER = regex(r"[\s|:+-]{3,400}")
_SPLIT = regex(r"\s*[,;|]\s*|\s+(?![(\[])")
_UNIT = regex(r"(?:_| ?[(\[])(?P<unit>ms|msec|us|s|sec|seconds)[)\]]?\Z")
_RANKS = frozenset({"rank", "global_rank", "rank_id", "world_rank"})
_HOSTS = frozenset({"host", "hostname", "node", "nodename", "machine"})
_OF_STEPS = regex(
    r"(?i:.{0,200}\b(?:interval|over|averag\w{1,3}|means?|medians?|last|each|per|every)\b[^\d.]{0,24}"
    r"(?P<steps>\d{1,7}) (?:steps|iterations|iters)\b.{0,200})"
)
"""Says that the times below are of many steps."""
_NEAR = 64
"""Lines above the first row in which that may stand."""
_TIMES = (rf"(?i:(?:^|[^\w])(?:{NO_STEP})(?:[^\w]|$))", r"(?i:(?:_| ?[(\[])(?:ms|msec|us|s|sec|seconds)(?:[^\w]|$))")
"""Cells of which one heads each column of times."""


class _Columns(Struct, frozen=True):
    """Where what stands."""

    rank: int
    host: int | None
    times: tuple[tuple[int, str, float | None], ...]
    """Column, name of the part, and the scale to seconds; None where no unit is named."""
    count: int


GATE: Gate = (
    (as_whole(_HEADING), anywhere("(?i:rank)"), anywhere(*_TIMES)),
    (as_whole(_ROW), anywhere(_DECIMAL)),
    (anywhere("(?i:rank)"), anywhere(r"\d (?i:steps|iter)")),
)


def wants(text: str) -> bool:
    """A heading with a rank and times, or a row that begins with a number."""
    text = text[:_MOST_CHARACTERS]
    if "rank" in text.lower():
        return (_HEADING.fullmatch(text) is not None and _columns_of(text) is not None) or _steps_of(text) is not None
    return _DECIMAL.search(text) is not None and _ROW.fullmatch(text) is not None


class Tables:
    """The tables of one stream."""

    def __init__(self, ranks: RankSteps) -> None:
        self._ranks = ranks
        self._open: _Columns | None = None
        self._steps = 1
        """Of how many steps each row is."""
        self._told = 0
        """The line that says so."""

    @property
    def is_open(self) -> bool:
        """May rows follow?"""
        return self._open is not None

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        if self._open is not None and _RULER.fullmatch(text):
            return Use.IGNORED
        if self._open is not None and _ROW.fullmatch(text) and self._row(self._open, line, text):
            return Use.USED
        self._open = _columns_of(text) if _HEADING.fullmatch(text) else None
        steps = _steps_of(text) if self._open is None else None
        if steps is not None:
            self._steps, self._told = steps, line.no
            return Use.USED
        if line.no - self._told > _NEAR:
            self._steps = 1
        return Use.USED if self._open is not None else Use.NOT_MINE

    def _row(self, columns: _Columns, line: Line, text: str) -> bool:
        cells = _cells(text)
        if len(cells) != columns.count or not cells[columns.rank].isdecimal():
            return False
        host = cells[columns.host] if columns.host is not None else None
        for at, name, scale in columns.times:
            value = _number(cells[at])
            if value is not None:
                of_host = replace(line, host=line.host or host)
                self._ranks.add(
                    int(cells[columns.rank]),
                    name,
                    value * (scale or 1.0),
                    of_host,
                    in_seconds=bool(scale),
                    of=self._steps,
                )
        return True


def _steps_of(text: str) -> int | None:
    told = _OF_STEPS.fullmatch(text) if "rank" in text.lower() else None
    return int(told["steps"]) if told is not None else None


def _columns_of(text: str) -> _Columns | None:
    """None where no column is a rank or none a time."""
    names = [cell.lower() for cell in _cells(text)]
    ranks = [at for at, name in enumerate(names) if name in _RANKS]
    if len(ranks) != 1:
        return None
    times = tuple(found for at, name in enumerate(names) if (found := _time(at, name)) is not None)
    if not times:
        return None
    host = next((at for at, name in enumerate(names) if name in _HOSTS), None)
    return _Columns(ranks[0], host, times, len(names))


def _time(at: int, name: str) -> tuple[int, str, float | None] | None:
    unit = _UNIT.search(name)
    if unit is not None and unit.start() > 0:
        return at, name[: unit.start()], _UNITS[unit["unit"]]
    return (at, name, None) if is_part(name) and name not in STEPS else None


def _cells(text: str) -> list[str]:
    return [cell.strip("\"'") for cell in _SPLIT.split(text.strip(" \t|#"))]


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
