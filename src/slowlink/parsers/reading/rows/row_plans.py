"""How all lines of one shape are read, where that follows from the shape: as rows of numbers, or as nobody's."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple

from slowlink.parsers.forms.interface import DocumentParser, LineParser, Use
from slowlink.parsers.forms.json_blocks import opens_block
from slowlink.parsers.forms.lines import Dialect, find_prefix, shape_of
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS
from slowlink.parsers.forms.rows import Row
from slowlink.parsers.reading.line_interest import Plan
from slowlink.parsers.reading.once.refusals import Refusals, refusals_of
from slowlink.parsers.reading.plans import MAX_SHAPES, Plans
from slowlink.parsers.reading.records.plain import plain_record, says_nothing_else
from slowlink.parsers.reading.told_texts import quoted_lines

Span = tuple[int, int]
Spans = tuple[Span | None, Span | None, list[Span]]


class Hearing(IntEnum):
    """What a line is to the greedy parsers of its stream (``native/src/rows.rs`` has the same)."""

    ROW = 0
    """Somebody takes it who is never greedy."""
    BEGINS = 1
    """Somebody wants it who may go on with what follows."""
    QUIET = 2
    """Those who want it take nothing of it, and none of them is ever greedy."""
    UNWANTED = 3
    RECORD = 4
    """A record of a log in JSON whose text nobody wants."""


class RowPlan(NamedTuple):
    """How all lines of one shape are read."""

    plan: Plan
    rows: tuple[tuple[int, Row], ...]
    """By number of the parser, those that take it, in their order."""
    use: Use
    hearing: Hearing
    refusing: frozenset[int] = frozenset()
    """Numbers of parsers that want it and take nothing of it as long as they are as new."""
    each: bool = False
    """Must those who want them look at each?"""
    json: bool = False
    """Is each of them a value of JSON? Not where one of its numbers is none."""

    def spans(self, raw: bytes, line: str, places: Sequence[int]) -> Spans | None:
        """Where value and number stand in the bytes of a line, and what names the stream; only one parser takes
        numbers. ``places``: of each character. None where a colour begins or ends within one of them."""
        row = next((row for _, row in self.rows if row.value is not None), None)
        parts = [] if row is None else [row.value, row.number]
        told = [part for part in (*parts, *self.plan.prefix.streams) if part is not None]
        spans = {(part.start, part.stop): _bytes_of(part, line, places) for part in told}
        if any(raw[slice(*spans[part.start, part.stop])] != line[part].encode() for part in told):
            return None

        def span(part: slice) -> Span:
            return spans[part.start, part.stop]

        value, number = (None, None) if row is None else (row.value, row.number)
        return (
            None if value is None else span(value),
            None if number is None else span(number),
            list(map(span, self.plan.prefix.streams)),
        )


def _bytes_of(part: slice, line: str, places: Sequence[int]) -> Span:
    """Up to the end of the last character: a colour may stand before the next."""
    last = part.stop - 1
    return places[part.start], places[last] + len(line[last].encode())


class RowPlans:
    """How lines of one dialect are read by their shapes."""

    def __init__(
        self,
        parsers: tuple[type[LineParser], ...],
        documents: tuple[type[DocumentParser], ...],
        plans: Plans,
        dialect: Dialect,
    ) -> None:
        self._parsers = parsers
        self._documents = documents
        self._plans = plans
        self._dialect = dialect
        self._refusals = refusals_of(parsers)

    def of(self, line: str) -> RowPlan | None:
        """How all lines of the shape of this one are read; None where only the scan can tell of each."""
        known, shape = self._plans.rows, shape_of(line)
        if shape not in known:
            if len(known) >= MAX_SHAPES:
                known.clear()
            known[shape] = self._found(line)
        found: RowPlan | None = known[shape]
        return found

    def _found(self, line: str) -> RowPlan | None:
        plan = self._plans.of(line)
        if plan.prefix.cut >= len(line) or len(line) > MATCH_CHARACTERS or quoted_lines(line):
            return None
        json = plan.json_at is not None
        if json and self.text_of_record(line) is not None:
            return RowPlan(plan, (), Use.NOT_MINE, Hearing.RECORD)
        if json and not says_nothing_else(line, plan, self._documents):
            return None
        tried = self._plans.tried(line, plan, at_once=True)
        if not tried.is_wanted():
            return RowPlan(tried, (), Use.NOT_MINE, Hearing.QUIET if tried.quiet else Hearing.UNWANTED, json=json)
        found = row_plan_of(line, plan, self._parsers, self._refusals)
        if found is None:
            hearing = Hearing.ROW if tried.lone else Hearing.BEGINS
            plan, refusing = self._of_askers(line, tried)
            return RowPlan(plan, (), Use.NOT_MINE, hearing, refusing, each=True, json=json)
        return found._replace(json=json)

    def _of_askers(self, line: str, plan: Plan) -> tuple[Plan, frozenset[int]]:
        """``plan`` without those who take nothing of all lines of its shape, whatever they have read; and who takes
        nothing of them as long as it is as new."""
        said = line[plan.prefix.cut :]
        readings = [(plan.wanted_by, said), *((each.wanted_by, said[each.lead.end :]) for each in plan.behind)]
        refusing = {
            (number, text) for wanted, text in readings for number in wanted if self._refuses(number, text, plan)
        }

        def rest(wanted: tuple[int, ...], text: str) -> tuple[int, ...]:
            return tuple(number for number in wanted if (number, text) not in refusing or not self._is_lone(number))

        wanted, *behind = (rest(*reading) for reading in readings)
        asked = ((number, text) for wanted, text in readings for number in wanted)
        taking = {number for number, text in asked if (number, text) not in refusing}
        return (
            plan._replace(
                wanted_by=wanted,
                behind=tuple(each._replace(wanted_by=of) for each, of in zip(plan.behind, behind, strict=True)),
            ),
            frozenset(number for number, _ in refusing if not self._is_lone(number)) - taking,
        )

    def _is_lone(self, number: int) -> bool:
        return bool(getattr(self._parsers[number], "lone", False))

    def _refuses(self, number: int, text: str, plan: Plan) -> bool:
        return _refuses(number, text, self._parsers, self._refusals, ranked=plan.prefix.rank is not None)

    def said(self, line: str) -> str:
        """What a line that is nobody's says, without its prefix."""
        text = self.text_of_record(line)
        return (line[find_prefix(line, self._dialect).cut :] if text is None else text)[:400]

    def text_of_record(self, line: str) -> str | None:
        """The text of a JSON record in one line of which nobody wants anything; None for any other line."""
        record = plain_record(line, self._plans.of(line), self._documents) if opens_block(line) else None
        plan = self._plans.of(record) if record is not None else None
        return record if plan is not None and not plan.is_wanted() and not plan.prefix.cut else None


def row_plan_of(text: str, plan: Plan, parsers: tuple[type[LineParser], ...], refusals: Refusals) -> RowPlan | None:
    """How lines of the shape of ``text``, which is wanted, are read; None where not all who want them read it as a row,
    or refuse it."""
    said = text[plan.prefix.cut :]
    refuses = partial(_refuses, parsers=parsers, refusals=refusals, ranked=plan.prefix.rank is not None)
    found: list[tuple[int, Row]] = []
    refusing: list[int] = []
    for number in plan.wanted_by:
        unit: Any = parsers[number]
        if found and getattr(unit, "last_resort", False):
            break  # it gets what nobody else used, and these rows are used
        row = unit.row(said) if getattr(unit, "reads_rows", False) else None
        if row is None or (row.without_rank and plan.prefix.rank is not None):
            if not refuses(number, said):
                return None
            refusing.append(number)
        elif row.use is Use.NOT_MINE and not getattr(unit, "lone", False):
            refusing.append(number)
        elif row.use is not Use.NOT_MINE:
            if getattr(unit, "reads_beside", False) or not getattr(unit, "lone", False):
                return None
            found.append((number, _behind(plan.prefix.cut, row)))
    if sum(row.value is not None for _, row in found) > 1:
        return None
    if not found:
        behind = [(number, said[each.lead.end :]) for each in plan.behind for number in each.wanted_by]
        if not all(refuses(number, text) for number, text in behind):
            return None
        refusing.extend(number for number, _ in behind)
    unsure = frozenset(number for number in refusing if not getattr(parsers[number], "lone", False))
    if not found and plan.lone:
        return RowPlan(plan._replace(wanted_by=(), behind=(), quiet=True), (), Use.NOT_MINE, Hearing.QUIET)
    uses = {row.use for _, row in found} or {Use.NOT_MINE}
    use = next(each for each in (Use.USED, Use.IGNORED, Use.NOT_MINE) if each in uses)
    return RowPlan(plan, tuple(found), use, Hearing.ROW if plan.lone else Hearing.BEGINS, unsure)


def _refuses(
    number: int, text: str, parsers: tuple[type[LineParser], ...], refusals: Refusals, *, ranked: bool
) -> bool:
    """Does a parser take nothing of all lines of this shape, as long as it is new?"""
    unit: Any = parsers[number]
    if getattr(unit, "reads_rows", False) and getattr(unit, "lone", False):
        row = unit.row(text)
        if row is not None and row.use is Use.NOT_MINE and not (row.without_rank and ranked):
            return True
    return not refusals.without((number,), text, ranked=ranked)


def _behind(by: int, row: Row) -> Row:
    value, number = (
        None if each is None else slice(each.start + by, each.stop + by) for each in (row.value, row.number)
    )
    return row._replace(value=value, number=number)
