"""The sieve: which lines of a part Python must look at, told by machine code (``native/``) where it was built.

Most lines of an application's log are nobody's: no parser may want them, no NCCL line and no JSON value is in them,
and nothing but a stamp stands before them. The sieve proves that of a line without Python, by the literals and gates
of all parsers; every other line it leaves to the scan. Without the sieve all lines are left to it: the result is the
same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.nccl.nccl_log.fold import quiet_heads
from slowlink.parsers.nccl.nccl_log.native_rows import NativeRows
from slowlink.parsers.nccl.nccl_log.rows import WITHOUT, Rows, native
from slowlink.parsers.reading.plain_lines import bytes_before, line_of
from slowlink.parsers.reading.rows.heard import Hears
from slowlink.parsers.reading.rows.row_plans import RowPlan, Spans
from slowlink.parsers.reading.rows.row_runs import RowRun, RowStretch, Said
from slowlink.parsers.reading.rows.sifted_rows import Rows as FoundRows
from slowlink.parsers.reading.rows.sifted_rows import SiftedRows, Stretch

BLANK, ASK, REPEATED, TAKEN, HOSTED, OTHER_SHAPE = 0, 1, 2, 3, 254, 255
"""What the sieve says of a line; between the last two stand the numbers of the first shapes of the part. ``TAKEN``
is a line of NCCL's that was taken apart, a channel or one of which nothing is read, and ``REPEATED`` one that says the
same but for the number of its channel. ``HOSTED`` is nobody's, behind the stamp and the host of a journal."""


def _none_of(*codes: int) -> re.Pattern[bytes]:
    return re.compile(b"[^%b]" % b"".join(b"\\x%02x" % code for code in codes))


_OF_NCCL = (TAKEN, REPEATED)
_NOT_TAKEN = _none_of(*_OF_NCCL)
_EVERY_SHAPE = bytes(code > TAKEN for code in range(256))
_ASKED = re.compile(b"[\\x%02x\\x%02x]" % (ASK, HOSTED))


class Lines(Protocol):
    """The lines of one part, with their numbers, as the scan goes through them."""

    def __iter__(self) -> Iterator[tuple[int, str]]: ...

    def __len__(self) -> int: ...

    def skip(self, count: int) -> None:
        """Leave out the next lines."""

    def all(self) -> list[str]:
        """All lines of the part."""

    def texts_of(self, at: int, span: int) -> int:
        """How many of so many lines from there on are not blank."""
        return len(list(filter(None, self.all()[at : at + span])))

    @property
    def texts(self) -> int:
        """How many are not blank; asked when all were gone through."""


class AllLines(Lines):
    """Every line is looked at."""

    def __init__(self, lines: list[str], first_line: int) -> None:
        self._lines = lines
        self._numbered = enumerate(lines, first_line)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self._numbered

    def __len__(self) -> int:
        return len(self._lines)

    def skip(self, count: int) -> None:
        for _ in islice(self._numbered, count):
            pass

    def all(self) -> list[str]:
        return self._lines

    @property
    def texts(self) -> int:
        return len(self._lines) - self._lines.count("")


class PassedOver(Protocol):
    """Who goes through the lines, and counts those that are passed over."""

    def needs_all(self) -> bool:
        """Must the next line be looked at, whatever it is? Lines that are nobody's end that one day, rows do not."""

    def goes_on(self) -> bool:
        """May NCCL's last message go on in the next line?"""

    def sampled(self) -> bool:
        """Are there samples enough of lines that are nobody's?"""

    def take_sifted(self, sifted: Any, places: tuple[int, int], first_line: int) -> None:
        """Take lines of NCCL's, at these places of a part that begins at this line, with all that repeat them."""

    def how_read(self, line: str) -> RowPlan | None:
        """How all lines of the shape of this one are read, which was looked at; None where each must be."""

    def take_rows(self, rows: RowStretch) -> None:
        """Take lines that are read as their shapes are."""

    def said(self, line: str) -> str:
        """What a line that is nobody's says, without its prefix."""

    def last_said(self, stream: str) -> Said:
        """The last line of a stream that nobody was shown."""

    def passed_over(self, blank: int, nobodys: int, last: Iterable[tuple[str, Said]]) -> None:
        """So many lines were; ``last``: of each stream of these, the last that is nobody's."""


class SiftedLines(Lines):
    """Only lines that the sieve leaves are looked at, and those that the scan needs for what stands beside them."""

    def __init__(
        self, part: bytes, sifted: tuple[bytes, bytes, Any, bytes], first_line: int, scan: PassedOver, after: int
    ) -> None:
        """``after``: as ``Heard`` has it."""
        self._part = part
        self._codes, starts, self._taken, shapes = sifted
        self._starts = memoryview(starts).cast("I")
        self._rows = SiftedRows(native.Rows(part, self._codes, starts, shapes, after, first_line == 1), shapes)
        self._first_line = first_line
        self._scan = scan
        self._next = 0
        self._shapes: set[int] = set()
        """Those of which a line was looked at for a sample."""
        self._emptied = 0
        self._every: list[str] | None = None

    def __len__(self) -> int:
        return len(self._codes)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        scan = self._scan
        while self._next < len(self._codes):
            if scan.needs_all():
                found = _NOT_TAKEN.search(self._codes, self._next)
                start, self._next = self._next, found.start() if found is not None else len(self._codes)
                self._take(start, self._next)
            else:
                self._pass_over()
            if self._take_rows():
                continue
            if self._next >= len(self._codes):
                return
            at = self._next
            self._rows.looked_at(at)
            self._next += 1
            code = self._codes[at]
            line = self._line(at)
            if not line and code != BLANK:
                self._emptied += 1
            yield self._first_line + at, line

    def _pass_over(self) -> None:
        """Go on to the next line that must be looked at."""
        codes, start = self._codes, self._next
        found = (_ASKED if self._scan.sampled() else self._unsampled()).search(codes, start)
        self._next = end = len(codes) if found is None else found.start()
        if end < len(codes) and TAKEN < codes[end] < HOSTED:
            self._shapes.add(codes[end])
        blank = codes.count(BLANK, start, end)
        of_nccl = codes.count(REPEATED, start, end) + self._take(start, end)
        nobodys = end - start - blank - of_nccl
        last = end - 1
        while nobodys and codes[last] in (BLANK, *_OF_NCCL):
            last -= 1
        if blank or nobodys:
            self._scan.passed_over(blank, nobodys, [("", self._said(last))] if nobodys else ())

    def _take_rows(self) -> bool:
        """Take what stands here as rows, where it is that; says whether it was."""
        at = self._next
        scan = self._scan
        if at >= len(self._codes) or scan.goes_on():
            return False
        if self._codes[at] != HOSTED and not self._rows.begin_at(at, self._plan_of):
            return False
        passed = _EVERY_SHAPE if scan.sampled() else bytes(code in self._shapes for code in range(256))
        found = self._rows.read(at, passed)
        if found is None:
            return False
        self._next = found.end
        if found.rows:
            self._take_stretch(found, self._starts[at])
        if found.blank or found.nobodys:
            last = [(stream, self._said(place)) for stream, place in found.passed]
            scan.passed_over(found.blank, found.nobodys, last)
        return True

    def _take_stretch(self, found: Stretch, raw_at: int) -> None:
        raw = self._part[raw_at : self._starts[found.end]]
        self._scan.take_rows(RowStretch([self._run_of(rows, raw, raw_at) for rows in found.rows]))

    def _run_of(self, rows: FoundRows, raw: bytes, raw_at: int) -> RowRun:
        above = self._scan.last_said(rows.stream)
        return RowRun("", self._first_line, self._rows.plans, raw, raw_at, above, *rows)

    def _said(self, at: int) -> Said:
        """A line that is nobody's."""
        return self._first_line + at, self._scan.said(self._line(at))

    def _plan_of(self, at: int) -> tuple[RowPlan, Spans] | None:
        raw = self._part[self._starts[at] : self._starts[at + 1]]
        line = line_of(raw)
        places = range(len(raw) + 1) if raw.isascii() and b"\x1b" not in raw else bytes_before(raw, line)
        plan = self._scan.how_read(line) if line and places is not None else None
        spans = plan.spans(raw, line, places) if plan is not None and places is not None else None
        return None if plan is None or spans is None else (plan, spans)

    @property
    def heard(self) -> Hears:
        return self._rows.heard

    def _take(self, start: int, end: int) -> int:
        """Take what begins on these lines; says how many."""
        count: int = self._taken.count((start, end))
        if count:
            self._scan.take_sifted(self._taken, (start, end), self._first_line)
        return count

    def _unsampled(self) -> re.Pattern[bytes]:
        """Lines that must be looked at, or have a shape of which there is no sample."""
        return _none_of(BLANK, *_OF_NCCL, *self._shapes)

    def _line(self, at: int) -> str:
        return line_of(self._part[self._starts[at] : self._starts[at + 1]])

    def skip(self, count: int) -> None:
        end = self._next + count
        left_out = self._codes[self._next : end]
        if REPEATED in left_out or TAKEN in left_out:
            # Those that repeat a line of a document may stand behind it: from here on every line is looked at.
            self._codes = self._codes[:end] + bytes((ASK,)) * (len(self._codes) - end)
        self._next = end

    def all(self) -> list[str]:
        if self._every is None:
            self._every = [self._line(at) for at in range(len(self._codes))]
        return self._every

    @property
    def texts(self) -> int:
        if self._every is not None:
            return len(self._every) - self._every.count("")
        return len(self._codes) - self._codes.count(BLANK) - self._emptied


def sift_into(sieve: Any, part: bytes, rows: Rows) -> tuple[bytes, bytes, Any, bytes]:
    """What becomes of the lines of ``part``, and those of NCCL's that go into ``rows``."""
    if not isinstance(rows, NativeRows):
        raise TypeError(rows)  # where there is a sieve, machine code keeps the edges, too
    found: tuple[bytes, bytes, Any, bytes] = sieve.sift(part, rows.table)
    rows.name_kinds()
    return found


@lru_cache(8)
def sieve_for(parsers: tuple[type[LineParser], ...], dialect: Dialect) -> Any:
    """A sieve for lines of this dialect; None where Python must look at all."""
    if native is None or os.environ.get(WITHOUT) or dialect.gutter or dialect.frames:
        return None
    from slowlink.parsers.reading.prefix_gates import ISO_STAMP, behind_stamp, journal, leads, prefixes

    declared = [_declared(unit) for unit in parsers]
    quiet = {head.encode() for head in quiet_heads()}
    return native.Sieve(
        declared,
        ISO_STAMP,
        prefixes(dialect),
        behind_stamp(dialect),
        journal(),
        leads(),
        quiet,
        dialect.indent.encode(),
    )


def _declared(unit: Any) -> tuple[list[bytes] | None, bool, tuple[tuple[str, ...], ...]]:
    literals = getattr(unit, "literals", None)
    gate = getattr(unit, "gate", ())
    if literals is None:
        return None, False, gate
    return [text.encode() for text in literals.texts], literals.folds, gate
