"""Stretches of lines that parsers take as rows of numbers (``forms.rows``), as the scan hands them to the reader."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import LineParser, Use
from slowlink.parsers.forms.lines import Prefix
from slowlink.parsers.forms.rows import Row, Rows
from slowlink.parsers.reading.leads.before_nccl import rank_of
from slowlink.parsers.reading.line_interest import Plan
from slowlink.parsers.reading.scanned import Candidate

Span = tuple[int, int]


class Nobodys(NamedTuple):
    """All lines of one shape are nobody's."""

    quiet: bool = False
    """Did some parsers want them, who take nothing of them? A greedy parser sees such lines as long as it sees any."""


class RowPlan(NamedTuple):
    """How all lines of one shape are read as rows."""

    plan: Plan
    rows: tuple[tuple[int, Row], ...]
    """By number of the parser, those that take it, in their order."""
    use: Use

    @property
    def spans(self) -> tuple[Span | None, Span | None, list[Span]]:
        """Where value and number stand, and what names the stream; only one parser takes numbers."""
        row = next((row for _, row in self.rows if row.value is not None), None)
        value, number = (None, None) if row is None else (row.value, row.number)
        return _span(value), _span(number), [(each.start, each.stop) for each in self.plan.prefix.streams]


def _span(part: slice | None) -> Span | None:
    return None if part is None else (part.start, part.stop)


def row_plan_of(text: str, plan: Plan, parsers: tuple[type[LineParser], ...]) -> RowPlan | None:
    """How lines of the shape of ``text`` are read as rows; None where not all who want them do that, or nobody uses
    them."""
    if not plan.wanted_by or not plan.lone or plan.json_at is not None:
        return None
    found: list[tuple[int, Row]] = []
    for number in plan.wanted_by:
        unit: Any = parsers[number]
        if found and unit.last_resort:
            break  # it gets what nobody else used, and these rows are used
        row = unit.row(text[plan.prefix.cut :]) if unit.reads_rows else None
        if row is None or (row.without_rank and plan.prefix.rank is not None):
            return None
        if unit.reads_beside and row.use is not Use.NOT_MINE:
            return None
        if row.use is not Use.NOT_MINE:
            found.append((number, _behind(plan.prefix, row)))
    if not found or sum(row.value is not None for _, row in found) > 1:
        return None
    uses = {row.use for _, row in found}
    return RowPlan(plan, tuple(found), Use.USED if Use.USED in uses else Use.IGNORED)


def _behind(prefix: Prefix, row: Row) -> Row:
    by = prefix.cut
    value, number = (
        None if each is None else slice(each.start + by, each.stop + by) for each in (row.value, row.number)
    )
    return row._replace(value=value, number=number)


class RowRun(Struct):
    """Rows of one stretch of lines, with nothing between them that anybody wants."""

    source: str
    first_line: int
    """Number of the line at place 0."""
    plans: list[RowPlan]
    stream_names: list[str]
    raw: bytes
    """The lines themselves, and what stands between them."""
    raw_at: int
    """Where ``raw`` begins, as ``starts`` counts."""
    places: array[int]
    starts: array[int]
    kinds: array[int]
    """Which of ``plans``, of each row."""
    values: array[float]
    numbers: array[int]
    streams: array[int]
    """Which of ``stream_names``."""

    def __len__(self) -> int:
        return len(self.places)

    @property
    def last_line(self) -> int:
        return self.first_line + self.places[-1]

    @property
    def stream(self) -> str:
        """Of the first row."""
        return self.stream_names[self.streams[0]]

    def of_streams(self) -> Iterator[RowRun]:
        """The rows of each stream apart."""
        each = dict.fromkeys(self.streams)
        if len(each) == 1:
            yield self
            return
        rows: dict[int, list[int]] = {stream: [] for stream in each}
        for row, stream in enumerate(self.streams):
            rows[stream].append(row)
        yield from map(self._some, rows.values())

    def _some(self, rows: Sequence[int]) -> RowRun:
        def of(column: Any) -> Any:
            return array(column.typecode, [column[row] for row in rows])

        columns = map(of, (self.places, self.starts, self.kinds, self.values, self.numbers, self.streams))
        return RowRun(self.source, self.first_line, self.plans, self.stream_names, self.raw, self.raw_at, *columns)

    def uses(self) -> Iterator[tuple[Use, int]]:
        """What becomes of the lines, and of how many."""
        return ((self.plans[kind].use, self.kinds.count(kind)) for kind in set(self.kinds))

    def parsers(self) -> dict[int, tuple[Use, int]]:
        """Numbers of the parsers that take rows, with the best use that each has of them and the first such line."""
        found: dict[int, tuple[Use, int]] = {}
        for kind in set(self.kinds):
            line = self.first_line + self.places[self.kinds.index(kind)]
            for number, row in self.plans[kind].rows:
                use, first = found.get(number, (row.use, line))
                if use is row.use:
                    found[number] = use, min(first, line)
                elif row.use is Use.USED:
                    found[number] = row.use, line
        return dict(sorted(found.items()))

    def rows_for(self, parser: int, place: str) -> Rows:
        """What this parser takes, below a heading of ``place``."""
        by_kind = {kind: dict(self.plans[kind].rows).get(parser) for kind in set(self.kinds)}
        meanings = {kind: row.meaning for kind, row in by_kind.items() if row is not None}
        mine: Sequence[int] = range(len(self))
        run = self
        if len(meanings) < len(by_kind):
            run = self._some([row for row in mine if self.kinds[row] in meanings])
        if len(set(meanings.values())) == 1:
            of_rows = [next(iter(meanings.values()))] * len(run)
        else:
            of_rows = [meanings[kind] for kind in run.kinds]

        def line_of(row: int) -> Line:
            line = run.candidate(row).line
            line.place = place
            return line

        return Rows(of_rows, run.values, run.numbers, range(len(run)), line_of)

    def candidate(self, row: int) -> Candidate:
        """One row as the line that it was."""
        plan = self.plans[self.kinds[row]].plan
        start = self.starts[row] - self.raw_at
        end = self.raw.find(b"\n", start)
        text = self.raw[start : end if end >= 0 else len(self.raw)].decode("ascii").rstrip()
        prefix = plan.prefix
        line = Line(
            self.source,
            self.first_line + self.places[row],
            text[prefix.cut :],
            rank=rank_of(text, prefix),
            host=text[prefix.host] if prefix.host else None,
            stream=self.stream_names[self.streams[row]],
            stamp=text[prefix.stamp] if prefix.stamp else None,
        )
        return Candidate(plan.wanted_by, line, 0, plan.behind, plan.lone)

    def candidates(self) -> Iterator[Candidate]:
        """All of them, as lines."""
        return map(self.candidate, range(len(self)))
