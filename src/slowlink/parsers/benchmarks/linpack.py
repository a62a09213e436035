"""Solvers that check their own result: HPL of all vendors, HPL-MxP, HPCG.

The result of HPL, and its check::

    T/V                N    NB     P     Q         Time          Gflops (   per GPU)
    WC0           131072  1024     2     2              14.10       1.065e+05 ( 2.662e+04)
    ||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.0021114 ...... PASSED

The part in parentheses is NVIDIA's; elsewhere P times Q processes have a GPU each, as a rule. Sources: HPL 2.1 to 2.3
``testing/ptest/HPL_pdtest.c``, rocHPL 6.0, the documents of NVIDIA's HPC benchmarks 23.5 to 25.4, HPCG 3.1
``src/ReportResults.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

RESULT, CHECK, ORIGIN = "solver-result", "solver-check", "linpack"
_MOST = Limit(50_000, "results")
_HEADER = regex(r"\s*T/V\s+N\s+NB\s+P\s+Q\s+(?:\S+\s+){0,6}?Time\s+(?P<unit>G|T)flops(?: \(\s*per GPU\))?.{0,80}")
_ROW = regex(
    r"\s*(?P<variant>[WH][RC]\w{1,20})\s+(?P<n>\d{1,9})\s+(?P<nb>\d{1,6})\s+(?P<p>\d{1,6})\s+(?P<q>\d{1,6})\s+"
    r"(?P<time>\d{1,9}\.\d{1,4})\s+(?P<rate>\d{1,9}\.\d{1,6}(?:[eE][+-]?\d{1,3})?)"
    r"(?:\s+\(\s{0,6}(?P<each>\d{1,9}\.\d{1,6}(?:[eE][+-]?\d{1,3})?)\))?\s*"
)
_CHECK = regex(r"\s*\|\|A ?x ?- ?b\|\|.{1,120}?\s?=\s{0,20}(?P<residual>\S{1,30}) \.{2,12} (?P<said>PASSED|FAILED)\s*")
_HPCG = regex(r"\s*(?:Final Summary::)?HPCG result is (?P<said>VALID|INVALID)\b.{0,120}")


class Linpack:
    """One event for each result, and one for each check of a result."""

    kind: ClassVar[str] = "linpack"
    literals: ClassVar[Literals] = Literals(("T/V", "||A", "HPCG result", "\nWR", "\nWC", "\nHR", "\nHC"))

    def __init__(self) -> None:
        self._events: list[JobEvent] = []

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text[:400]) for pattern in (_HEADER, _ROW, _CHECK, _HPCG))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        if _HEADER.fullmatch(text):
            return Use.IGNORED
        row = _ROW.fullmatch(text)
        if row is not None:
            return self._take(RESULT, {name: value for name, value in row.groupdict().items() if value}, line)
        check = _CHECK.fullmatch(text)
        if check is not None:
            return self._take(CHECK, {"residual": check["residual"], "passed": _yes(check["said"] == "PASSED")}, line)
        hpcg = _HPCG.fullmatch(text)
        if hpcg is not None:
            return self._take(CHECK, {"residual": "", "passed": _yes(hpcg["said"] == "VALID")}, line)
        return Use.NOT_MINE

    def finish(self) -> Iterable[JobEvent]:
        return self._events

    def _take(self, kind: str, groups: dict[str, str], line: Line) -> Use:
        if _MOST.has_room(len(self._events)):
            self._events.append(
                JobEvent(kind, ORIGIN, line.text[:400].strip(), groups, line.ref(), line.host, line.rank)
            )
        return Use.USED


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


PARSER = Linpack
