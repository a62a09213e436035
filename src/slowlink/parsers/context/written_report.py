"""A page, a table or a summary that slowlink wrote, as a file of its own beside the logs: no evidence, like the report
that ``saved_report`` knows. Its first lines::

    <!doctype html>
    <!-- written by slowlink -->

    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="slowlink" tests="236">

    level,node,hca,check,required,state,measured

Source: ``report/templates``, ``report/markdown.py``, ``report/junit.py``, ``report/acceptance/table.py``,
``report/history``. It quotes the lines that it was made of, and names every rule after its fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from slowlink.parsers.forms.interface import Record

_START = re.compile(
    rb"(?:<!doctype html>\s+)?<!-- written by slowlink -->"
    rb"|<\?xml [^>]*\?>\s+<testsuites name=\"slowli"
    rb"|level,node,hca,check,required,state,"
    rb"|id,at,at_basis,command,verdict,"
    rb"|collective,nranks,nodes,system,quantity,unit,"
)
"""Of the 64 bytes that are looked at."""


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
        self.lines = sum(chunk.count(b"\n") for chunk in chunks)
        return [], None


BINARY = WrittenReport
