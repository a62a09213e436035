"""A page, a table or a summary that slowlink wrote, as a file of its own beside the logs: no evidence, like the report
that ``saved_report`` knows. Its first lines::

    <!doctype html>
    <!-- written by slowlink -->
    <html lang="en">

    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="slowlink" tests="236">

    level,node,hca,check,required,state,measured

Source: ``report/templates``, ``report/markdown.py``, ``report/junit.py``, ``report/acceptance/table.py``,
``report/history``. It quotes the lines that it was made of, and names every rule after its fault. What somebody put
behind it (``job >> report.md``) is none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from slowlink.parsers.forms.interface import Record

_START = re.compile(
    rb"<!doctype html>\s+<!-- written by slowlink -->\s+<html"
    rb"|<!-- written by slowlink -->\s+## "
    rb"|<\?xml [^>]*\?>\s+<testsuites name=\"slowli"
    rb"|level,node,hca,check,required,state,"
    rb"|id,at,at_basis,command,verdict,"
    rb"|collective,nranks,nodes,system,quantity,unit,"
)
"""Of the 64 bytes that are looked at."""
_FIRST_LINES = (b"<!doctype html>", b"<!-- written by slowlink -->", b"<?xml ", b"<testsuites ")
_LAST_LINE = re.compile(rb"(?:.*</html>|.*</testsuites>|<sub>slowlink [^<]{1,60}</sub>)", re.DOTALL)
_NO_END = "written by slowlink, but its end is missing, and nothing of it was read: take it out"
_LONGEST = 1 << 20
"""Bytes of a line; of a longer one the beginning is dropped."""


class WrittenReport:
    """Takes the whole text and gives nothing."""

    kind: ClassVar[str] = "report"
    otherwise: ClassVar[str] = "written by slowlink: what it was made of is the evidence"
    of_text: ClassVar[bool] = True
    lines = used = 0

    @staticmethod
    def wants_start(start: bytes) -> bool:
        return _START.match(start) is not None

    def read(self, chunks: Iterator[bytes], source: str) -> tuple[list[Record], str | None]:  # noqa: ARG002
        is_foreign, first, count = _Foreign(), 0, 0
        for line in _lines_of(chunks):
            self.lines += 1
            if is_foreign(line):
                first, count = first or self.lines, count + 1
        if not count:
            return [], _NO_END if is_foreign.has_no_end else None
        what = "a line in it is none of that" if count == 1 else f"{count:,} lines in it are none of that"
        return (
            [],
            f"written by slowlink, but {what} (the first is line {first}), and nothing of it was read: take them out",
        )


class _Foreign:
    """Is a line none of what slowlink writes? Asked of each, in order."""

    def __init__(self) -> None:
        self._begun = self._is_table = self._ended = self._quoted = False
        self._cells = 0

    @property
    def has_no_end(self) -> bool:
        """Is the last page not whole? What stands in its place may be anybody's."""
        return not self._is_table and not self._ended

    def __call__(self, line: bytes) -> bool:
        if not self._begun:
            self._begun, self._cells = True, line.count(b",")
            self._is_table = not line.startswith(b"<")
        if self._is_table:
            return self._is_no_row(line)
        if self._ended and line.strip():
            self._ended = not line.startswith(_FIRST_LINES)
            return self._ended
        end = None if self._ended else _LAST_LINE.match(line)
        self._ended = self._ended or end is not None
        return end is not None and bool(line[end.end() :].strip())  # the page may have no line break at its end

    def _is_no_row(self, line: bytes) -> bool:
        """It has not all the cells, and is none of the lines of a cell in quotes."""
        was_quoted = self._quoted
        self._quoted ^= line.count(b'"') % 2 == 1
        return not was_quoted and not self._quoted and bool(line.strip()) and line.count(b",") < self._cells


def _lines_of(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
        rest = rest[-_LONGEST:]
    if rest:
        yield rest


BINARY = WrittenReport
