"""Stretches of lines that are read as their shapes are (``row_plans``), as the scan hands them to the reader."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from slowlink.model.source import Line
from slowlink.parsers import document_parsers, line_parsers
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.forms.rows import Rows
from slowlink.parsers.reading.leads.before_nccl import rank_of
from slowlink.parsers.reading.plain_lines import line_of
from slowlink.parsers.reading.plans import Plans
from slowlink.parsers.reading.rows.row_plans import Hearing, RowPlan, RowPlans
from slowlink.parsers.reading.scanned import Candidate

Said = tuple[int, str]
"""Number of a line, and what it says without its prefix."""
NOTHING: Said = (0, "")


class RowRun(Struct):
    """Rows of one stream in one stretch of lines, with nothing between them that must be looked at."""

    source: str
    first_line: int
    """Number of the line at place 0."""
    plans: list[RowPlan]
    raw: bytes
    """The lines of the stretch, and what stands between them."""
    raw_at: int
    """Where ``raw`` begins, as ``starts`` counts."""
    above: Said
    """The last line of the stream above the stretch that nobody was shown."""
    stream: str
    places: array[int]
    starts: array[int]
    kinds: array[int]
    """Which of ``plans``, of each row."""
    values: array[float]
    numbers: array[int]
    tally: list[tuple[int, int, int]]
    """Of each kind: how many rows there are, and which is the first."""
    befores: list[tuple[int, int, int]]
    """Rows from which on another line is the last above them that nobody was shown, its place, and where it begins."""
    dialect: Dialect = Dialect()

    def __len__(self) -> int:
        return len(self.places)

    @property
    def last_line(self) -> int:
        return self.first_line + self.places[-1]

    def own_plans(self) -> list[RowPlan]:
        """The plans of its rows."""
        return [self.plans[kind] for kind, _, _ in self.tally]

    def uses(self) -> Iterator[tuple[Use, int]]:
        """What becomes of the lines, and of how many."""
        return ((self.plans[kind].use, count) for kind, count, _ in self.tally)

    def parsers(self) -> dict[int, tuple[Use, int]]:
        """Numbers of the parsers that take rows, with the best use that each has of them and the first such line."""
        found: dict[int, tuple[Use, int]] = {}
        for kind, _, at in self.tally:
            line = self.first_line + self.places[at]
            for number, row in self.plans[kind].rows:
                use, first = found.get(number, (row.use, line))
                if use is row.use:
                    found[number] = use, min(first, line)
                elif row.use is Use.USED:
                    found[number] = row.use, line
        return dict(sorted(found.items()))

    def untaken(self) -> Iterator[Line]:
        """The first line of each kind that nobody takes."""
        return (self.line(at) for kind, _, at in self.tally if not self.plans[kind].rows)

    def rows_for(self, parser: int, place: str) -> Rows:
        """What this parser takes, below a heading of ``place``."""
        by_kind = {kind: dict(self.plans[kind].rows).get(parser) for kind, _, _ in self.tally}
        meanings = {kind: row.meaning for kind, row in by_kind.items() if row is not None}
        kinds, values, numbers, rows = self.kinds, self.values, self.numbers, range(len(self))
        mine: Sequence[int] = rows
        if len(meanings) < len(by_kind):
            mine = [row for row in rows if kinds[row] in meanings]
            kinds, values, numbers = (_some(column, mine) for column in (kinds, values, numbers))
        if len(set(meanings.values())) == 1:
            of_rows = [next(iter(meanings.values()))] * len(mine)
        else:
            of_rows = [meanings[kind] for kind in kinds]

        def line_of(row: int) -> Line:
            line = self.line(row)
            line.place = place
            return line

        return Rows(of_rows, values, numbers, mine, line_of)

    def line(self, row: int) -> Line:
        """One row as the line that it was, without what was said before it."""
        prefix = self.plans[self.kinds[row]].plan.prefix
        text = self._text_at(self.starts[row])
        return Line(
            self.source,
            self.first_line + self.places[row],
            text[prefix.cut :],
            rank=rank_of(text, prefix),
            host=text[prefix.host] if prefix.host else None,
            stream=self.stream,
            stamp=text[prefix.stamp] if prefix.stamp else None,
        )

    def candidate(self, row: int) -> Candidate:
        """One row as it is offered."""
        found, line = self.plans[self.kinds[row]], self.line(row)
        plan = found.plan
        before_no, line.before = self._before(row)
        lone = plan.lone and found.hearing is not Hearing.UNWANTED
        return Candidate(plan.wanted_by, line, before_no, plan.behind, lone, found.refusing)

    def _before(self, row: int) -> Said:
        at = bisect_right(self.befores, row, key=lambda each: each[0])
        if not at:
            return self.above
        _, place, start = self.befores[at - 1]
        parsers, documents = line_parsers(), document_parsers()
        plans = RowPlans(parsers, documents, Plans(parsers, self.dialect), self.dialect)
        return self.first_line + place, plans.said(self._text_at(start))

    def _text_at(self, start: int) -> str:
        at = start - self.raw_at
        end = self.raw.find(b"\n", at)
        return line_of(self.raw[at : end if end >= 0 else len(self.raw)])


def _some(column: Any, rows: Sequence[int]) -> Any:
    return array(column.typecode, [column[row] for row in rows])


class RowStretch(Struct):
    """The rows of one stretch, those of each stream apart; the stream that comes first first."""

    runs: list[RowRun]

    def candidates(self) -> Iterator[Candidate]:
        """All of them, as lines in their order."""
        places = sorted((place, at, row) for at, run in enumerate(self.runs) for row, place in enumerate(run.places))
        return (self.runs[at].candidate(row) for _, at, row in places)
