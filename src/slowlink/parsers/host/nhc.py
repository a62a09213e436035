"""Results of Node Health Check: LBNL's NHC, and the checks that clouds ship with it::

    SUCCESS:  nhc:  Health check passed:  check_ib_bw_gdr: IB_WRITE_BW passed for all 4 IB ports, BW=~196 Gbps each
    ERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7

The same words stand in a log, with its node where many nodes write into one, on a terminal, or as the reason why a
scheduler drained a node (``NHC: check_gpu_count: ...``). What a check says is free text: the number that was expected
and the one that was measured are taken from the usual words for them, and a number that only names a device is left
alone.

Source: ``nhc`` 1.4.x (``nhc_common.nhc``, ``node-mark-offline``); results of azurehpc-health-checks as published.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_RESULT = regex(
    r"(?:ERROR|SUCCESS|INFO|WARNING|WARN)?:? {0,4}nhc: {1,4}(?:Node )?[Hh]ealth check (?P<result>passed|failed)"
    r"(?: \([^)]{1,40}\))?: {1,4}(?P<check>\w{2,60})\b(?: {0,2}[:-] {1,4}(?P<words>.{1,400}))?"
)
_REASON = regex(r"(?:^|[\s:])NHC: {1,3}(?P<check>check_\w{1,60}): {1,3}(?P<words>.{1,400})")
_DONE = regex(
    r"(?:Node Health Check|nhc: {0,4}(?:Node )?health check) "
    r"(?:completed successfully|passed|done|(?P<failed>failed))(?=\s{0,4}(?:\(|[.!]|$))",
    re.IGNORECASE,
)
_WHERE = regex(r"\s{0,8}\d{8} \d\d:\d\d:\d\d (?:\[\w{1,20}\] )?(?P<host>[A-Za-z][\w.-]{1,80}) nhc: ")
"""The log of many nodes in one file."""
_NOISE = regex(
    r"(?:nhc: )?(?:Node Health Check starting|Running check: {1,4}\""
    r"|\d{8} \d\d:\d\d:\d\d \[\w{1,20}\] (?:[\w.-]{1,80} )?\S{0,60}nhc\b)"
)
_EXPECTED = regex(r"[Ee]xpected?[^\d\n]{0,20}(?P<number>\d{1,9}(?:\.\d{1,6})?)")
_MEASURED = regex(r"(?:found|got|measured|actual|but)[^\d\n]{0,20}(?P<number>\d{1,9}(?:\.\d{1,6})?)")
_RATE = regex(r"(?<![\w.])~?(?P<number>\d{1,9}(?:\.\d{1,6})?) ?(?:[GM]i?B/s|[GM]B/sec|Gbps|Gb/s|Gb/sec|us\b|C\b)")
_PARTS = regex(r"\b[Aa]ll (?P<number>\d{1,5}) [A-Za-z]")


class Nhc:
    """Reads each line alone: a result with its numbers, or that all checks passed."""

    kind: ClassVar[str] = "nhc"
    literals: ClassVar[Literals] = Literals(("nhc", "node health check"), fold=True)

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        lowered = text[:600].lower()
        return "nhc" in lowered or "node health check" in lowered

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:1000]
        if (where := _WHERE.match(text)) is not None and line.host is None:
            line = replace(line, host=where["host"])
        found = _RESULT.search(text) or _REASON.search(text)
        if found is not None:
            status = "pass" if found.groupdict().get("result") == "passed" else "fail"
            if MAX_READINGS.has_room(len(self._found)):
                self._found += _readings(found["check"], status, (found["words"] or "").strip(), line)
            return Use.USED
        if (done := _DONE.search(text)) is not None:
            if MAX_READINGS.has_room(len(self._found)):
                status = "fail" if done["failed"] else "pass"
                self._found.append(reading("health-test", Part("test", "nhc/all checks"), status, line))
            return Use.USED
        return Use.IGNORED if _NOISE.match(text.strip()) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found


def _readings(check: str, status: str, words: str, line: Line) -> Iterator[Reading]:
    part = Part("test", f"nhc/{check}")
    yield reading("health-test", part, status, line)
    if not words:
        return
    yield reading("health-test-detail", part, words, line)
    expected, measured = _EXPECTED.search(words), _MEASURED.search(words) or _RATE.search(words)
    if expected is not None:
        yield reading("health-test-expected", part, float(expected["number"]), line)
    if measured is not None:
        yield reading("health-test-value", part, float(measured["number"]), line)
    covered = _PARTS.search(words)
    if covered is not None:
        yield reading("health-test-parts", part, int(covered["number"]), line)


PARSER = Nhc
