"""Results of health checks that a script logs one by one, in the form of Python's logging::

    2031-01-02 03:04:05,678 - INFO - GPU Remap Test: Passed
    2031-01-02 03:04:06,200 - ERROR - GPU ECC Errors: GPU5 - Volatile: 9
    2031-01-02 03:04:07,112 - ERROR - PCIe Width Check: Failed
    2031-01-02 03:04:09,400 - ERROR - gpu07 - NCCL Test Failed: Avg bus bandwidth is 201.1

Scripts of providers and sites share this form and the words Passed and Failed; so do many other programs. A line counts
only when its name is about GPUs, links or NICs, and a log must hold two results before an error beside them is taken
for a third.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.catalog.words.check_topics import is_sharp_topic, is_topic
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_RESULTS, reading
from slowlink.patterns import regex

_LINE = regex(r"(?:^|.{0,40}\s|-\s?)(?P<level>INFO|WARNING|ERROR|CRITICAL) - (?P<text>\S.{2,300})$")
_RESULT = regex(
    r"(?P<name>[A-Za-z][\w /()-]{2,60}?):? {0,3}(?:- )?(?P<status>[Pp]assed|PASSED|PASS|[Ff]ailed|FAILED|FAIL|OK)\.?"
    r"(?P<rest> .{0,200})?$"
)
_OF_HOST = regex(
    r"(?P<host>[A-Za-z][\w.-]{0,80}\d[\w.-]{0,20}) - (?P<name>[A-Za-z][\w /()-]{2,60}? Test) "
    r"(?P<status>Failed|Succeeded|Passed)(?:: (?P<rest>.{1,200}))?$"
)
_ERROR = regex(r"(?P<name>[A-Za-z][\w /()-]{2,60}?): (?P<rest>\S.{0,250})$")
_ENOUGH = 2
_GPU = regex(r"(?i)gpus?")
_CHECKS = regex(r"(?i)test|check|health|count|diag")


class CheckLines:
    """Collects results and errors, and gives them when there were enough results for a health check."""

    kind: ClassVar[str] = "health-check-log"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(("INFO - ", "WARNING - ", "ERROR - ", "CRITICAL - "))

    def __init__(self) -> None:
        self._found: list[tuple[str, str, str, Line]] = []
        """(name, status, words, line)"""
        self._results = 0

    @staticmethod
    def wants(text: str) -> bool:
        return " - " in text and _LINE.match(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _LINE.match(line.text[:400])
        if found is None or not MAX_RESULTS.has_room(len(self._found)):
            return Use.NOT_MINE
        text, level = found["text"].strip(), found["level"]
        told = _OF_HOST.fullmatch(text)
        if told is not None and is_topic(told["name"]):
            self._results += _ENOUGH  # node, test and result: no other program's line
            of_host = replace(line, host=told["host"])
            self._found.append((told["name"], _status(told["status"]), (told["rest"] or "").strip(), of_host))
            return Use.USED
        result = _RESULT.fullmatch(text)
        if result is not None and is_topic(result["name"]):
            self._results += 1
            words = (result["rest"] or "").strip()
            self._found.append((result["name"].strip(), _status(result["status"]), words, line))
            return Use.USED
        error = _ERROR.fullmatch(text)
        if error is not None and level == "ERROR" and is_topic(error["name"]):
            self._found.append((error["name"].strip(), "fail", error["rest"].strip(), line))
            return Use.USED
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        if self._results < _ENOUGH or not any(_is_of_a_node(name) for name, *_ in self._found):
            return
        for name, status, words, line in self._found:
            part = Part("test", f"checks/{name}")
            yield reading("health-test", part, status, line)
            if words:
                yield reading("health-test-detail", part, words, line)


def _is_of_a_node(name: str) -> bool:
    """Jobs and accounts have GPUs, too; who checks a node says so, or names more of it."""
    return is_sharp_topic(_GPU.sub("", name)) or (is_sharp_topic(name) and _CHECKS.search(name) is not None)


def _status(word: str) -> str:
    return "fail" if word.lower().startswith("fail") else "pass"


PARSER = CheckLines
