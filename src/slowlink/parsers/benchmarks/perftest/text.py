"""perftest's text output: one state machine over the lines of a stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.benchmark import PerftestRun
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.perftest import header
from slowlink.parsers.benchmarks.perftest.bare_rows import LABELS, BareRuns, is_labelled
from slowlink.parsers.benchmarks.perftest.builder import RunBuilder
from slowlink.parsers.benchmarks.perftest.ends import Ends
from slowlink.parsers.benchmarks.perftest.loops import Named, may_name, may_say, read_named
from slowlink.parsers.benchmarks.perftest.table import is_header, is_row, read_header
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line, quotes_code
from slowlink.patterns import regex

_RULER = regex(r"^\s*-{60,}\s*$")
_STARS = regex(r"^\s*\*{20,}\s*$")
_BELOW = 40
"""Lines between a command and the table that it prints."""
_NEAR = 200
"""A table that got no line for so long has ended, whatever follows."""


class PerftestText:
    """Reads the runs of one stream. Two sides of one test printed into the same stream become one run."""

    kind: ClassVar[str] = "perftest"
    literals: ClassVar[Literals] = Literals(
        (*header.MARKS.texts, "#bytes", "\n0", "-" * 60, "*" * 20, "; do", "_bw ", "_lat ", *LABELS)
    )

    def __init__(self) -> None:
        self._done: list[PerftestRun] = []
        self._run: RunBuilder | None = None
        self._gpu: tuple[str, int | None] | None = None
        self._seen = 0
        self._local_addresses = 0
        self._ends = Ends()
        self._bare = BareRuns()
        self._named: tuple[Named | None, int] = (None, 0)
        """What the last command says of its test, and where it stands."""

    @staticmethod
    def wants(text: str) -> bool:
        return (
            is_header(text)
            or is_row(text)
            or header.MARKS.in_(text)
            or _is_ruler(text)
            or may_say(text)
            or may_name(text)
            or is_labelled(text)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        use = self._read(line)
        if use is not Use.NOT_MINE:
            self._seen = line.no
        return use

    def finish(self) -> Iterable[PerftestRun]:
        self._close()
        return [*self._done, *self._bare.finish()]

    def _read(self, line: Line) -> Use:
        text = line.text
        if self._run is not None and line.no - self._seen > _NEAR:
            self._close()
        if is_header(text):
            return self._table_header(line)
        if is_row(text):
            return Use.USED if self._row(line) else Use.NOT_MINE
        if is_labelled(text):
            return Use.USED if self._bare.row(line) else Use.NOT_MINE
        if may_name(text):
            self._named = read_named(text), line.no
        if may_say(text) and self._bare.hear(text):
            return Use.NOT_MINE  # it is a command, too
        if _is_ruler(text):
            return self._ruler()
        title = header.read_title(text)
        if title is not None:
            return self._title(line, title)
        start = header.read_start(text)
        if start is not None:
            return self._start(line, *start)
        return self._words(line)

    def _row(self, line: Line) -> bool:
        """Take a row of the open table; or one without heading, where no table is open."""
        run = self._run
        if run is not None and run.columns is not None and not _has_ended(run):
            return run.row(line)
        return self._bare.row(line)

    def _words(self, line: Line) -> Use:
        """A line of the header block, a remark, or an error."""
        text = line.text
        if quotes_code(text) or is_library_line(text):
            return Use.NOT_MINE
        gpu = header.gpu_line(text)
        if gpu is not None:
            return self._gpu_line(gpu, text)
        if header.is_notice(text):
            return Use.IGNORED
        if header.is_error(text):
            self._error(line)
            return Use.USED
        return self._header_line(line)

    def _error(self, line: Line) -> None:
        """An error behind a whole table is the next run's, unless it judges the result of that table."""
        run = self._run
        if run is not None and run.rows and run.ruled and not header.judges_result(line.text):
            self._close()
        self._open(line).errors.append(line.ref())

    def _header_line(self, line: Line) -> Use:
        if header.is_address(line.text):
            self._local_addresses += header.is_local_address(line.text)
            self._ends.add(line.text)
            return Use.IGNORED
        pairs = header.read_pairs(line.text)
        run = self._run
        if not pairs or (run is None and not _starts_block(pairs)):
            return Use.NOT_MINE
        if run is not None and run.rows:
            self._close()
        self._open(line).pairs.update(pairs)
        return Use.USED

    def _title(self, line: Line, title: str) -> Use:
        run = self._run
        if run is not None and (run.columns is not None or run.errors or run.test not in ("", title)):
            self._close()
        run = self._open(line)
        run.sides += 1 if run.test else 0
        run.test = title
        return Use.USED

    def _start(self, line: Line, title: str, device: str) -> Use:
        """A wrapper names test and device; the title of perftest itself, when it follows, says the same."""
        self._close()
        run = self._open(line)
        run.test, run.sides = title, 0
        run.pairs["Device"] = device
        return Use.USED

    def _table_header(self, line: Line) -> Use:
        columns = read_header(line.text)
        if columns is None:
            return Use.NOT_MINE
        run, ends = self._run, self._ends
        if run is not None and (run.rows or run.columns not in (None, columns) or (run.ruled and run.columns)):
            self._close()
        elif run is not None and _has_ended(run):
            self._close()  # its own table it never began
        run = self._open(line)
        run.columns = columns
        run.ruled = False
        self._name(run, line)
        run.local_addresses, self._local_addresses = self._local_addresses, 0
        run.ends, self._ends = ends, Ends()
        return Use.USED

    def _name(self, run: RunBuilder, line: Line) -> None:
        """What the header would have said, where it was cut off, the command says."""
        named, at = self._named
        if named is None or run.test or "Device" in run.pairs or line.no - at > _BELOW or run.columns is None:
            return
        if named.kind == run.columns.kind:
            run.test = named.test
            run.pairs["Device"] = named.device

    def _ruler(self) -> Use:
        run = self._run
        if run is None:
            return Use.NOT_MINE
        if run.columns is not None:
            run.ruled = True
        return Use.IGNORED

    def _gpu_line(self, gpu: tuple[str, int | None], text: str) -> Use:
        if "dealloc" in text.lower() or "destroying" in text:
            return Use.IGNORED
        if self._run is not None and self._run.columns is not None:
            self._close()
        kind, number = gpu
        before = self._gpu or ("", None)
        self._gpu = (kind or before[0], before[1] if number is None else number)
        return Use.USED

    def _open(self, line: Line) -> RunBuilder:
        if self._run is None:
            self._run = RunBuilder(line.ref(), line.stream, self._gpu, line.host)
            self._gpu = None
        return self._run

    def _close(self) -> None:
        run, self._run, self._ends = self._run, None, Ends()
        if run is not None and run.worth_keeping:
            self._done.append(run.build())


def _has_ended(run: RunBuilder) -> bool:
    """Did it fail for good? Rows that follow are another run's, whose heading somebody cut off."""
    return any(header.ends_the_run(error.text) for error in run.errors)


def _is_ruler(text: str) -> bool:
    return (_RULER.match(text) or _STARS.match(text)) is not None


def _starts_block(pairs: dict[str, str]) -> bool:
    """Keys that other programs print as well do not begin a run."""
    return bool(pairs.keys() & {"Dual-port", "Number of qps", "Connection type", "ibv_wr* API", "CQ Moderation"})
