"""The sieve: which lines of a part Python must look at, told by machine code (``native/``) where it was built.

Most lines of an application's log are nobody's: no parser may want them, no NCCL line and no JSON value is in them,
and nothing but a stamp stands before them. The sieve proves that of a line without Python, by the literals and gates
of all parsers; every other line it leaves to the scan. Without the sieve all lines are left to it: the result is the
same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.lines import ESCAPES, Dialect

native: Any
try:
    from slowlink import slowlink_native as native
except ImportError:  # not built: there was no compiler
    native = None

BLANK, ASK, OTHER_SHAPE = 0, 1, 255
"""What the sieve says of a line; between the last two stand the numbers of the first shapes of the part."""
WITHOUT = "SLOWLINK_WITHOUT_NATIVE"
"""A variable: where it is set, all is read by Python."""


class Lines(Protocol):
    """The lines of one part, with their numbers, as the scan goes through them."""

    def __iter__(self) -> Iterator[tuple[int, str]]: ...

    def __len__(self) -> int: ...

    def skip(self, count: int) -> None:
        """Leave out the next lines."""

    def all(self) -> list[str]:
        """All lines of the part."""

    @property
    def texts(self) -> int:
        """How many are not blank; asked when all were gone through."""


class AllLines:
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
        """Must the next line be looked at, whatever it is?"""

    def sampled(self) -> bool:
        """Are there samples enough of lines that are nobody's?"""

    def passed_over(self, blank: int, nobodys: int, number: int, line: str) -> None:
        """So many lines were; ``line`` is the last that is nobody's."""


class SiftedLines:
    """Only lines that the sieve leaves are looked at, and those that the scan needs for what stands beside them."""

    def __init__(self, part: bytes, sifted: tuple[bytes, bytes], first_line: int, scan: PassedOver) -> None:
        self._part = part
        self._codes = sifted[0]
        self._starts = memoryview(sifted[1]).cast("I")
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
        codes, scan = self._codes, self._scan
        while self._next < len(codes):
            if not scan.needs_all():
                self._pass_over()
                if self._next >= len(codes):
                    return
            at = self._next
            self._next += 1
            line = self._line(at)
            if not line and codes[at] != BLANK:
                self._emptied += 1
            yield self._first_line + at, line

    def _pass_over(self) -> None:
        """Go on to the next line that must be looked at."""
        codes, start = self._codes, self._next
        end = self._unsampled(start) if not self._scan.sampled() else codes.find(ASK, start)
        self._next = end = len(codes) if end < 0 else end
        blank = codes.count(BLANK, start, end)
        last = end - 1
        while last >= start and codes[last] == BLANK:
            last -= 1
        if end > start:
            line = self._line(last) if last >= start else ""
            self._scan.passed_over(blank, end - start - blank, self._first_line + last, line)

    def _unsampled(self, start: int) -> int:
        """The next line that must be looked at, or has a shape of which there is no sample."""
        known = b"".join(re.escape(bytes((code,))) for code in (BLANK, *self._shapes))
        found = re.compile(b"[^" + known + b"]", re.DOTALL).search(self._codes, start)
        if found is None:
            return -1
        if ASK < found[0][0] < OTHER_SHAPE:
            self._shapes.add(found[0][0])
        return found.start()

    def _line(self, at: int) -> str:
        return line_of(self._part[self._starts[at] : self._starts[at + 1]])

    def skip(self, count: int) -> None:
        self._next += count

    def all(self) -> list[str]:
        if self._every is None:
            self._every = [self._line(at) for at in range(len(self._codes))]
        return self._every

    @property
    def texts(self) -> int:
        if self._every is not None:
            return len(self._every) - self._every.count("")
        return len(self._codes) - self._codes.count(BLANK) - self._emptied


def line_of(raw: bytes) -> str:
    """One line without its end, trailing blanks, control sequences and NULs."""
    text = raw.decode("utf-8", "replace")
    if "\x1b" in text:
        text = ESCAPES.sub("", text)
    if "\0" in text:
        text = text.replace("\0", "")
    return text.rstrip()


@lru_cache(8)
def sieve_for(parsers: tuple[type[LineParser], ...], dialect: Dialect) -> Any:
    """A sieve for lines of this dialect; None where Python must look at all."""
    if native is None or os.environ.get(WITHOUT) or dialect.indent or dialect.gutter:
        return None
    from slowlink.parsers.forms.prefix_gates import ISO_STAMP, behind_stamp, prefixes

    return native.Sieve([_declared(unit) for unit in parsers], ISO_STAMP, prefixes(dialect), behind_stamp(dialect))


def _declared(unit: Any) -> tuple[list[bytes] | None, bool, tuple[tuple[str, ...], ...]]:
    literals = getattr(unit, "literals", None)
    gate = getattr(unit, "gate", ())
    if literals is None:
        return None, False, gate
    return [text.encode() for text in literals.texts], literals.folds, gate
