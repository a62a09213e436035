"""nccl-tests and its relatives as a line parser: preambles, tables, footers, and rows that came in pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.benchmark import CollectiveRun
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.nccl_tests import shapes
from slowlink.parsers.benchmarks.nccl_tests.cells import is_datatype, parse_bytes
from slowlink.parsers.benchmarks.nccl_tests.checks import fits, unread_checks
from slowlink.parsers.benchmarks.nccl_tests.columns import (
    is_ruler,
    is_title,
    parse_header,
    table_text,
    units_of,
    with_units,
)
from slowlink.parsers.benchmarks.nccl_tests.failures import Failures, is_companion, parse_failure
from slowlink.parsers.benchmarks.nccl_tests.footer import parse_footer
from slowlink.parsers.benchmarks.nccl_tests.open_runs import OpenRuns
from slowlink.parsers.benchmarks.nccl_tests.pieces import Pieces
from slowlink.parsers.benchmarks.nccl_tests.preamble import Mark, parse_preamble
from slowlink.parsers.benchmarks.nccl_tests.rows import (
    Row,
    guess_layout,
    looks_like_row,
    read_row,
    tokens_of,
)
from slowlink.parsers.benchmarks.nccl_tests.run import RunBuilder
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals

MAX_LINES = Limit(100_000, "lines of tables")
"""A day of a test that goes round every second. A row takes some 2 KB."""


class NcclTestsParser:
    """Reads every text layout of nccl-tests (1.0 to 2.19), rccl-tests and MetaX' tests from one stream."""

    kind: ClassVar[str] = "nccl-tests"
    literals: ClassVar[Literals] = shapes.LITERALS
    gate = staticmethod(shapes.gate)

    def __init__(self) -> None:
        self._runs = OpenRuns()
        self._failures = Failures()
        self._pieces = Pieces()
        self._title = ""
        self._kept, self._full = 0, False
        self.unfinished = ""

    @staticmethod
    def wants(text: str) -> bool:
        return shapes.wants(text)

    @property
    def greedy(self) -> bool:
        return bool(self._pieces)

    def feed(self, line: Line) -> Use:
        if self._full:
            MAX_LINES.passed()
            return Use.NOT_MINE
        use = self._take(line)
        if use is Use.USED:
            self._full = not MAX_LINES.has_room(self._kept)
            self._kept += 1
        return use

    def _take(self, line: Line) -> Use:
        text = shapes.clean(line.text)
        steps = (self._failure, self._fragment, self._preamble, self._footer, self._header, self._row)
        if ":" not in text and table_text(text)[:1].isdecimal():
            steps = (self._fragment, self._row, self._failure, self._preamble, self._footer, self._header)
        for step in steps:
            use = step(line, text)
            if use is not None:
                return use
        return self._filler(line, text)

    def finish(self) -> Iterable[CollectiveRun | JobEvent]:
        self._pieces.give_up()
        runs = [run.build() for run in self._runs.all if not run.foreign]
        self.unfinished = next(filter(None, map(unread_checks, runs)), "")
        return [*runs, *self._failures.events()]

    def _failure(self, line: Line, text: str) -> Use | None:
        found = parse_failure(line, text)
        if found is None:
            return Use.IGNORED if is_companion(text) else None
        failure, before = found
        if looks_like_row(tokens_of(before)):
            self._row(line, before)
        self._failures.add(failure)
        run = self._runs.latest()
        if run is not None and not run.concluded:
            run.errors.append(line.ref())
            self._runs.touch(run, line)
        return Use.USED

    def _preamble(self, line: Line, text: str) -> Use | None:
        part = parse_preamble(text, line.ref())
        if part is None:
            return None
        run = self._runs.for_preamble(part)
        if part.mark is Mark.NOTICE:
            if run is None:
                return None
            run.add_preamble(part, line.ref())
            self._runs.touch(run, line)
            return Use.IGNORED if part.reduced_max_bytes is None else Use.USED
        if run is None:
            run = self._runs.start(line)
        run.add_preamble(part, line.ref())
        self._runs.touch(run, line)
        return Use.USED

    def _footer(self, line: Line, text: str) -> Use | None:
        part = parse_footer(text)
        if part is None:
            return None
        self._pieces.give_up()
        run = self._runs.for_footer(part)
        if run is None:
            if not text.lstrip().startswith("#"):
                return None
            run = self._runs.start(line)
        run.add_footer(part, line.ref())
        self._runs.touch(run, line)
        return Use.USED

    def _header(self, line: Line, text: str) -> Use | None:
        if is_title(text):
            self._title = text
            return Use.IGNORED
        layout = parse_header(text, self._title)
        if layout is not None:
            self._title = ""
            headed = self._runs.for_header(line) or self._runs.start(line)
            headed.set_layout(layout)
            self._runs.touch(headed, line)
            return Use.USED
        units = units_of(text)
        run = self._runs.latest()
        if units is None or run is None or run.layout is None or run.rows:
            return None if units is None else Use.IGNORED
        run.layout = with_units(run.layout, units)
        return Use.IGNORED

    def _row(self, line: Line, text: str) -> Use | None:
        tokens = tokens_of(text)
        size = parse_bytes(tokens[0]) if tokens else None
        if size is None or not looks_like_row(tokens):
            return None
        run = self._runs.for_row(line, size)
        if run is None or run.layout is None:
            return self._headless_row(line, tokens)
        row = read_row(run.layout, tokens, line.ref())
        if row is None:
            return self._odd_row(line, tokens, run)
        if not _belongs(run, row, tokens, line):
            return None
        if self._runs.alone(run):
            self._pieces.give_up(run)
        if row.missing:
            self._pieces.begin(run, run.layout, tokens, line)
        else:
            run.add_row(row)
        self._runs.touch(run, line)
        return Use.USED

    def _headless_row(self, line: Line, tokens: list[str]) -> Use | None:
        layout = guess_layout(tokens)
        row = read_row(layout, tokens, line.ref()) if layout else None
        if layout is None or row is None:
            return None
        run = self._runs.start(line)
        run.set_layout(layout)
        run.add_row(row)
        self._runs.touch(run, line)
        return Use.USED

    def _odd_row(self, line: Line, tokens: list[str], run: RunBuilder) -> Use | None:
        """More cells than the header has columns: another layout if it agrees with itself, a torn row otherwise."""
        layout = guess_layout(tokens)
        row = read_row(layout, tokens, line.ref()) if layout else None
        if row is not None:
            run.add_row(row)
        elif run.layout is not None and run.layout.has("type") and any(is_datatype(t) for t in tokens[1:4]):
            run.torn.append(line.ref())
        else:
            return None
        self._runs.touch(run, line)
        return Use.USED

    def _fragment(self, line: Line, text: str) -> Use | None:
        run = self._pieces.join(tokens_of(text), line) if self._pieces else None
        if run is None:
            return None
        self._runs.touch(run, line)
        return Use.USED

    def _filler(self, line: Line, text: str) -> Use:
        run = self._runs.latest()
        if shapes.is_bare_mark(text):
            return Use.IGNORED
        if run is None or run.concluded or run.average is not None:
            return Use.NOT_MINE
        if shapes.is_elision(text):
            if run.in_preamble:
                run.devices_elided = True
            else:
                run.elided.append(line.ref())
            self._runs.touch(run, line)
            return Use.USED
        return Use.IGNORED if run.layout is not None and not run.rows and is_ruler(text) else Use.NOT_MINE


def _belongs(run: RunBuilder, row: Row, tokens: list[str], line: Line) -> bool:
    """Rows without a datatype look like any list of numbers: they must follow at once, or agree with themselves."""
    columns = row.layout.columns
    if row.layout.has("type"):
        return row.datatype is None or is_datatype(row.datatype) or len(tokens) >= len(columns) - 1
    if row.missing > len(columns) // 2:
        return False
    if line.no <= run.end.line + 2:
        return True
    return all(fits(row.size, side.time, side.algbw) is True for side in row.sides)


PARSER = NcclTestsParser
