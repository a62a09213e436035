"""The calls of all ranks side by side, as ``torchfrtrace DIR -j`` prints them, one column a rank::

    Rank 0                                              Rank 1
    --------------------------------------------------  --------------------------------------------------
    all_reduce(input_sizes=[[1024]], state=completed)   all_reduce(input_sizes=[[1024]], state=completed)
    all_reduce(input_sizes=[[1024]], state=scheduled)

Source: ``just_print_entries`` of ``tools/flight_recorder`` (PyTorch 2.4 to 2.8) and of
``torch/distributed/flight_recorder``. 2.4 prints the state without its name.

The rows do not say which process group a call is of. So rows are compared only as long as all ranks call the same, and
only the first row in which they do not is told: ranks whose column ends before an operation that others have not
finished, ranks that called something else there, or ranks that have not finished what others have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

TABLE_DIFFERS = "flight-table-differs"
TABLE_BEHIND = "flight-table-behind"
MAX_ROWS = Limit(500_000, "rows")

_HEADER = regex(r"\s{0,8}Rank \d{1,7}(?: {2,400}Rank \d{1,7}){1,200}\s*")
_RULER = regex(r"\s{0,8}-{4,}(?: {2}-{4,}){1,200}\s*")
_CELL = regex(
    r"(?P<op>\w{2,60})\((?:s=\d+ d=\d+,? ?)?(?:timestamp_created=.{0,80}?)?input_sizes=.{0,2000}?"
    r"(?:, state=|, )(?P<state>scheduled|started|completed)\)"
)
_SET = regex(r"\d{1,7}")


class Call(NamedTuple):
    """One cell: what a rank called."""

    op: str
    state: str


class Row(NamedTuple):
    """The calls of all ranks that stand in one line; a rank without one has recorded nothing there."""

    calls: Mapping[int, Call]
    ref: Ref


class FlightTable:
    """At most one event for each table: the first row in which the ranks differ."""

    kind: ClassVar[str] = "flight-table"
    literals: ClassVar[Literals] = Literals(("\nRank 0", "input_sizes="))

    def __init__(self) -> None:
        self._found: list[JobEvent] = []
        self._ranks: tuple[int, ...] = ()
        self._columns: tuple[int, ...] = ()
        self._rows: list[Row] = []

    @staticmethod
    def wants(text: str) -> bool:
        return ("Rank " in text and _HEADER.fullmatch(text) is not None) or (
            "input_sizes=" in text and _CELL.search(text) is not None
        )

    @property
    def greedy(self) -> bool:
        """True below the header, until the ruler has told where the columns begin."""
        return bool(self._ranks) and not self._columns

    def feed(self, line: Line) -> Use:
        if _HEADER.fullmatch(line.text):
            self._close()
            self._ranks = tuple(map(int, _SET.findall(line.text)))
            return Use.USED
        if self._ranks and not self._columns and _RULER.fullmatch(line.text):
            starts = [at for at, sign in enumerate(line.text) if sign == "-" and line.text[at - 1 : at] != "-"]
            self._columns = tuple(starts)
            return Use.IGNORED
        if len(self._columns) != len(self._ranks) or not self._ranks:
            self._ranks = self._columns = ()
            return Use.NOT_MINE
        return self._row(line)

    def finish(self) -> Iterable[JobEvent]:
        self._close()
        return self._found

    def _row(self, line: Line) -> Use:
        """Cells by the column that they begin in."""
        rank_at = dict(zip(self._columns, self._ranks, strict=True))
        cells = {
            rank_at[cell.start()]: Call(cell["op"], cell["state"])
            for cell in _CELL.finditer(line.text)
            if cell.start() in rank_at
        }
        if not cells:
            return Use.NOT_MINE
        if MAX_ROWS.has_room(len(self._rows)):
            self._rows.append(Row(cells, line.ref()))
        return Use.USED

    def _close(self) -> None:
        event = first_difference(self._ranks, self._rows)
        if event is not None:
            self._found.append(event)
        self._ranks, self._columns, self._rows = (), (), []


def first_difference(ranks: tuple[int, ...], rows: list[Row]) -> JobEvent | None:
    """What the first row tells in which not all ranks called, or finished, the same; None where it may be right."""
    last = {rank: number for number, row in enumerate(rows) for rank in row.calls}
    for number, row in enumerate(rows):
        operations = {call.op for call in row.calls.values()}
        states = {call.state for call in row.calls.values()}
        absent = [rank for rank in ranks if rank not in row.calls]
        if absent:
            ended = all(last.get(rank, -1) < number for rank in absent)
            alike = number > 0 and len(operations) == 1 and not operations & {"send", "recv"}
            return _event(TABLE_BEHIND, row, number, absent) if ended and alike and "completed" not in states else None
        if len(operations) > 1:
            told = number > 0 and "completed" not in states and not operations & {"send", "recv"}
            return _event(TABLE_DIFFERS, row, number, []) if told else None
        if len(states) > 1 and "completed" in states:
            return _event(TABLE_DIFFERS, row, number, [])
    return None


def _event(kind: str, row: Row, number: int, absent: list[int]) -> JobEvent:
    calls = "; ".join(f"{rank} {call.op} {call.state}" for rank, call in row.calls.items())
    groups = {"row": str(number + 1), "calls": calls, "ranks": ", ".join(map(str, absent))}
    first = next(iter(row.calls.values()))
    groups["op"] = first.op
    return JobEvent(kind, "pytorch", row.ref.text.strip(), {k: v for k, v in groups.items() if v}, row.ref)


PARSER = FlightTable
