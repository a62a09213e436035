"""Tables with a row a step, as loggers of metrics write them (CSV) and people paste them::

    step;step_s;allreduce_wait_s;ckpt_s;data_s
    480;4.08;0.22;0.00;0.01
    500;165.33;0.21;161.31;0.01

A column counts where its name says so: the number of the step, its time, and how much of it went into waiting for data
or into writing a checkpoint. Cells are parted by commas, semicolons, tabs or bars. Where no unit is named, seconds are
assumed: only shares and evenness are judged. Sources: Lightning's ``CSVLogger``, Keras' ``CSVLogger``, and words that
people write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.job import JobEvent, TrainingPace
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.job.checkpoint_times import KIND as CHECKPOINT
from slowlink.parsers.job.checkpoint_times import ORIGIN
from slowlink.parsers.job.steps.parts import StepParts
from slowlink.parsers.job.steps.series import StepSeries
from slowlink.patterns import regex

MOST_CHARACTERS = 1000
MOST_TABLES, MOST_CHECKPOINTS = Limit(1000, "tables of steps"), Limit(100_000, "checkpoints in tables")
_LOOP = "training loop"
_SEPARATORS = (";", "\t", "|", ",")
_NAME = r"[\"']?[A-Za-z](?:[\w ./()\[\]%-]{0,40}[\w./()\[\]%-])?[\"']?"
_HEADING = regex(rf"\s{{0,8}}\|?\s{{0,8}}{_NAME}(?: {{0,8}}[;,\t|][ \t]{{0,8}}{_NAME}){{1,60}}\s{{0,8}}\|?\s*")


def _pattern_of_cells(between: str, point: str) -> str:
    """Cells of numbers, each behind what stands ``between`` them; an empty one has quotes or nothing."""
    number = rf"\d{{1,12}}(?:{point}\d{{1,12}})?(?:[eE][+-]?\d{{1,3}})?"
    cell = rf"[\"']?[+-]?(?:{number}|nan)[\"']?|[\"']{{1,2}}"
    return rf"(?:{between} {{0,8}}(?:(?:{cell}) {{0,8}})?){{1,60}}"


# A comma is a point or stands between cells, never both: else a row could be read in too many ways.
_BY_COMMAS, _BY_OTHERS = _pattern_of_cells(",", "[.]"), _pattern_of_cells(r"[;|\t]", "[.,]")
_ROW = regex(rf"\s{{0,8}}\|?\s{{0,8}}\d{{1,12}} {{0,8}}(?:{_BY_OTHERS}|{_BY_COMMAS})\|?\s*")
_RULER = regex(r"[\s|:+-]{3,400}")
_UNIT = regex(r"(?:[_ /]|(?<=\w)(?=[(\[]))[(\[]?(?P<unit>ms|msecs?|milliseconds|s|secs?|seconds)[)\]]?\Z")
_COUNTER = regex(r"(?:global[_ ]?)?(?:steps?|iter(?:ation)?|it|batch)(?:[_ ]?(?:idx|id|no|num(?:ber)?|index))?\Z")
_OF_STEP = r"(?:step|iter(?:ation)?|it|batch)"
_TIME = r"(?:time|t|duration|dur|elapsed|dt|latency)"
_PATH = r"(?:.{0,30}[/.])?"
_WHOLE = regex(
    rf"{_PATH}(?:(?:train|avg|mean|total|wall)[_ ])?(?:{_OF_STEP}[_ ]?{_TIME}|{_TIME}(?:[_ ]per[_ ]{_OF_STEP})?"
    rf"|{_TIME}[_ ]?{_OF_STEP}|sec(?:ond)?s?[_ ]per[_ ]{_OF_STEP}|(?P<bare>{_OF_STEP}))\Z"
)
_DATA = regex(rf"{_PATH}(?:data(?:loader|[_ ]?load(?:ing|er)?)?|input|fetch|batch[_ ]load)(?:[_ ](?:wait|time|t))?\Z")
_SAVING = regex(rf"{_PATH}(?:ckpt|checkpoint(?:ing)?|sav(?:e|ing))(?:[_ ](?:time|t|wait))?\Z")


class _Column(Struct, frozen=True):
    what: str
    """``counter``, ``whole``, ``data``, ``saving``, or "" for others."""
    scale: float = 1.0
    """To seconds."""


class _Table(Struct):
    separator: str
    columns: tuple[_Column, ...]
    series: StepSeries
    saved: list[float] = field(default_factory=list)
    longest: Ref | None = None

    def event(self) -> JobEvent | None:
        """What the checkpoints took together."""
        if not self.saved or self.longest is None:
            return None
        groups = {"count": str(len(self.saved)), "seconds": f"{sum(self.saved):.6g}"}
        groups["longest"] = f"{max(self.saved):.6g}"
        return JobEvent(CHECKPOINT, ORIGIN, self.longest.text.strip(), groups, self.longest)


class StepTables:
    """Collects the tables of one stream."""

    kind: ClassVar[str] = "step-table"
    literals: ClassVar[Literals] = Literals(
        ("step", "iter", "batch", *(f"0{blank}{mark}" for blank in ("", " ") for mark in _SEPARATORS)), fold=True
    )

    def __init__(self) -> None:
        self._tables: list[_Table] = []
        self._open: _Table | None = None
        self._parts = StepParts()

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_HEADING),), (as_whole(_ROW),))

    @staticmethod
    def wants(text: str) -> bool:
        text = text[:MOST_CHARACTERS]
        return _ROW.fullmatch(text) is not None or (_HEADING.fullmatch(text) is not None and bool(_columns_of(text)[1]))

    @property
    def greedy(self) -> bool:
        return self._open is not None

    def feed(self, line: Line) -> Use:
        text = line.text[:MOST_CHARACTERS]
        if self._open is not None and _ROW.fullmatch(text) and self._row(self._open, line):
            return Use.USED
        if self._open is not None and _RULER.fullmatch(text):
            return Use.IGNORED
        self._open = None
        separator, columns = _columns_of(text) if _HEADING.fullmatch(text) else ("", ())
        if not columns or not MOST_TABLES.has_room(len(self._tables)):
            return Use.NOT_MINE
        self._open = _Table(separator, columns, StepSeries.begin(line))
        self._tables.append(self._open)
        return Use.USED

    def finish(self) -> Iterable[TrainingPace | JobEvent]:
        timed = [table for table in self._tables if table.series.seconds]
        paces = [table.series.pace(_LOOP) for table in timed if table.series.grows]
        return [*paces, *filter(None, (table.event() for table in timed)), *self._parts.events()]

    def _row(self, table: _Table, line: Line) -> bool:
        cells = _cells(line.text, table.separator)
        if len(cells) != len(table.columns):
            return False
        of: dict[str, float] = {}
        for column, cell in zip(table.columns, cells, strict=True):
            number = _number(cell, table.separator)
            if column.what and number is not None:
                of.setdefault(column.what, number * column.scale)
        whole, saved = of.get("whole", 0.0), of.get("saving", 0.0)
        worked = whole - saved if saved < whole else whole
        if "counter" not in of or worked <= 0:
            return True  # a logger leaves cells empty for what it did not measure in this step
        table.series.take(worked, line, int(of["counter"]))
        if "data" in of:
            self._parts.add(line, min(of["data"], worked), worked, int(of["counter"]))
        if saved > 0 and MOST_CHECKPOINTS.has_room(len(table.saved)):
            if saved >= max(table.saved, default=0.0):
                table.longest = line.ref()
            table.saved.append(saved)
        return True


def _columns_of(text: str) -> tuple[str, tuple[_Column, ...]]:
    """What parts the columns, and what each holds; none where a step's number or its time is missing."""
    separator = next((mark for mark in _SEPARATORS if mark in text.strip("| \t")), "")
    if not separator:
        return "", ()
    columns = tuple(_column(name) for name in _cells(text, separator))
    found = [column.what for column in columns]
    return (separator, columns) if "counter" in found and "whole" in found else ("", ())


def _column(name: str) -> _Column:
    bare = name.strip().lower()
    unit = _UNIT.search(bare)
    scale = 1e-3 if unit is not None and unit["unit"].startswith("m") else 1.0
    base = bare[: unit.start()] if unit is not None else bare
    if unit is None and _COUNTER.match(base):
        return _Column("counter")
    for what, pattern in (("whole", _WHOLE), ("data", _DATA), ("saving", _SAVING)):
        found = pattern.match(base)
        if found is not None and (unit is not None or not found.groupdict().get("bare")):
            return _Column(what, scale)
    return _Column("")


def _cells(text: str, separator: str) -> list[str]:
    bare = text.strip().strip("|") if separator == "|" else text.strip()
    return [cell.strip().strip("\"'") for cell in bare.split(separator)]


def _number(cell: str, separator: str) -> float | None:
    """None for an empty cell, and for one that is no number."""
    try:
        number = float(cell if separator == "," else cell.replace(",", "."))
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None


PARSER = StepTables
