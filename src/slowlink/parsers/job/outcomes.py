"""What says that a run came to its end and did its work.

A benchmark's log, its result, and a launcher::

    :::MLLOG {"namespace": "", "key": "run_stop", "value": null, "metadata": {"status": "success"}}
    RESULT,LANGUAGE_MODEL,,14703,acme,2031-04-05 06:07:08 AM
    [default] worker group successfully finished. Waiting 300 seconds for other agents to finish.

Sources: MLPerf's logging package and its ``run_and_time.sh``, ``torch.distributed.elastic``, Slurm's accounting, and
the words of programs at their end. Only the last of equal lines is kept: what stands before it was overcome.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS, compiled, is_library_line, quotes_code

KIND = "run-succeeded"
PATTERNS = (
    (
        "run_stop",
        r'"key": ?"run_stop".{0,200}"status": ?"success"',
        ':::MLLOG {"key": "run_stop", "value": null, "metadata": {"file": "a.py", "status": "success"}}',
    ),
    ("RESULT,", r"^RESULT,[A-Za-z_0-9]{2,40},", "RESULT,LANGUAGE_MODEL,,14703,acme,2031-04-05 06:07:08 AM"),
    (
        "worker group successfully finished",
        r"worker group successfully finished",
        "[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.",
    ),
    (
        "SUCCEEDED",
        r"\b(?:[Ss]tate|[Ss]tatus)\\?\"?'?\s{0,4}[:=]\s{0,4}\\?\"?'?(?:WorkerState\.)?SUCCEEDED\b",
        "state: SUCCEEDED",
    ),
    ("COMPLETED", r"\bCOMPLETED +0:0\b|\bJobState=COMPLETED\b", "4711.batch      batch  COMPLETED      0:0"),
    (
        "xit",
        r"\b[Ee]xit(?:ed)?(?: with)?(?: (?:code|status))?\s{0,3}[:=]?\s{0,3}0(?![\d.:x])\s{0,3}(?:$|[,;.)])",
        "grind exited with code 0",
    ),
    ("EXIT", r"\bEXIT(?:_?(?:CODE|STATUS))?[:= ]{1,3}0(?![\d.:x])\s{0,3}$", "EXIT=0"),
    (
        "raining",
        r"(?<!if )(?<!whether )(?<!until )(?<!before )(?<!unless )(?<!for )(?<![Ll]ink )"
        r"\b[Tt]raining (?:has |is |was )?(?:successfully )?(?:finished|completed?|done)\b(?! (?:step|epoch|iter))",
        "Training completed in 71 s",
    ),
    (
        "successfully",
        r"\b(?:[Jj]ob|[Rr]un|[Bb]enchmark|[Tt]ests?|[Tt]raining|[Pp]rogram|[Ww]orkload|[Ee]valuation)s? "
        r"(?:has |was |were )?(?:(?:completed|finished|ended|done) successfully|successfully (?:completed"
        r"|finished|ended))",
        "Benchmark finished successfully",
    ),
    (
        "successful",
        r"\b(?:[Aa]ll|[Ee]very) (?:\d{1,6} )?(?:tests|ranks|workers|tasks|jobs) "
        r"(?:were |have )?(?:passed|completed|finished|succeeded)\b.{0,20}successful",
        "All 8 ranks finished successfully",
    ),
)
"""Literal text without digits, pattern, sample."""


class Outcomes:
    """At most one event of each sort and stream: the last."""

    kind: ClassVar[str] = "outcome"
    last_resort: ClassVar[int] = 1
    literals: ClassVar[Literals] = Literals(mark for mark, _, _ in PATTERNS)
    """A line that says more than success belongs to the parser that reads it."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Line, int]] = {}

    @staticmethod
    def wants(text: str) -> bool:
        """Does one of the marks stand in it?"""
        return any(mark in text for mark, _, _ in PATTERNS)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:MATCH_CHARACTERS]
        if is_library_line(text) or quotes_code(text):
            return Use.NOT_MINE
        for mark, pattern, _ in PATTERNS:
            if mark in text and compiled(pattern).search(text):
                self._last[mark] = (line, self._last[mark][1] + 1 if mark in self._last else 1)
                return Use.USED
        return Use.NOT_MINE

    def finish(self) -> Iterable[JobEvent]:
        return [
            JobEvent(KIND, "program", line.text[:400].strip(), {}, line.ref(), line.host, line.rank, count=count)
            for line, count in self._last.values()
        ]


PARSER = Outcomes
