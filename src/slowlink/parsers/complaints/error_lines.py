"""Lines that a program marks as an error, whatever program it is and whatever it says.

A logger's line, a shell script's, a program's of nobody's framework::

    2031-04-05 06:07:08,123 - trainer - ERROR - shard 7 lacks its end
    mesh: error: no route in it
    FATAL: the mesh has no route

Asked when no parser knows the line. What it says is kept word for word: the first of them is where to begin reading.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.gates import Gate, at_start, is_blind, of_literals
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS, compiled, is_library_line, quotes_code
from slowlink.parsers.forms.own_level import is_milder
from slowlink.parsers.forms.rows import NOT_MINE, Row
from slowlink.parsers.forms.source_text import is_source
from slowlink.patterns import regex

KIND = "error-line"
MAX_ERRORS = Limit(20_000, "different errors")
MOST_TEXT = 300
_MOST_READ = 1 << 11
"""Texts of which it is remembered what they say: a program that fails says the same again and again."""


class Form(Struct, frozen=True):
    """One way to mark a line as an error."""

    name: str
    """``exception`` and ``fatal`` end a program; ``error`` may not; ``end`` says that one ended."""
    marks: tuple[str, ...]
    """Literal texts without digits, one of which stands in every such line; () where only the pattern tells."""
    pattern: str
    """Searched in the line; its group ``text`` is what the line says."""
    samples: tuple[str, ...]


_BEFORE_LEVEL = r"(?:^|[\[|<(:-]\s?|[\d\])}>,]\s{1,3}|\s(?=[A-Z]{3,9}\s?[\]|>):-]))"
"""A level stands at the front, behind a bracket, a stamp or a field, or has a mark of its own behind it."""

_QUOTED = r"\s{0,20}(?:[|\u2502] {1,4}|[*-] (?:\d{1,6} x )?){1,2}"
"""What a report of a run puts before the lines that it quotes or counts."""

FORMS = (
    Form(
        "exception",
        ("Error", "Exception"),
        rf"^(?: {{0,2}}|{_QUOTED})"
        r"(?P<text>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)(?:: .{1,300}|:?$))",
        (
            "KeyError: 'hidden_size'",
            "acme.store.ShardException: shard 7 is torn",
            "AssertionError",
            "      | KeyError: 'hidden_size'",
            "  * 7 x KeyError: 'hidden_size'",
        ),
    ),
    Form(
        "exception",
        ("what():", "terminate called", "panicked at", "anic: ", "in thread "),
        r"^\s{0,4}(?P<text>(?:what\(\): |terminate called |panic: |thread '[^']{0,60}' panicked at "
        r"|Exception in thread )"
        r".{1,300})",
        (
            "  what():  the mesh has no root",
            "panic: runtime error: index out of range",
            "thread 'main' panicked at 'no'",
        ),
    ),
    Form(
        "fatal",
        ("FATAL", "CRITICAL", "SEVERE", "PANIC"),
        rf"{_BEFORE_LEVEL}(?:FATAL|CRITICAL|SEVERE|PANIC)(?: ERROR)?(?:[\s\]|>):-]{{1,4}})(?P<text>[^\s\d="
        rf"|`,;*].{{2,300}})",
        ("[FATAL] the mesh has no root",),
    ),
    Form(
        "fatal",
        ("atal: ", "atal error: ", "ssertion", "Assert"),
        r"^(?:[\w./+-]{1,80}: )?[Ff]atal(?: error)?: (?P<text>.{3,300})"
        r"|(?P<assert>\b[Aa]ssert(?:ion)?\b.{1,200} failed.{0,80})",
        ("grind: fatal: no corn", "mill.c:7: turn: Assertion `corn > 0' failed."),
    ),
    Form(
        "fatal",
        (),
        r"^F\d{4,8} \d\d:\d\d:\d\d[.\d]{0,10} +\d+ [\w./-]{1,120}:\d+\] (?P<text>.{1,300})",
        ("F0405 06:07:08.123456 4711 mesh.cc:77] Check failed: root != nullptr",),
    ),
    Form(
        "fatal",
        ("hipError", "cudaError", "CUDA_ERROR_", "HIP_ERROR_"),
        r"(?P<text>\b(?:hipError|cudaError|CUDA_ERROR_|HIP_ERROR_)(?!Not?Ready|NOT_READY"
        r"|s?\b)[A-Z]\w{3,60}\b.{0,200})",
        ('"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"',),
    ),
    Form(
        "fatal",
        ("nan", "NaN", "NAN", "inf"),
        r"(?P<text>\b(?i:loss|grad\w{0,20}|activations?|weights?)\b.{0,80}\b(?i:nan|inf|infinite)\b.{0,60}"
        r"\b(?i:stopping|aborting|exiting|terminating)\b(?! criteri).{0,100})",
        ("Loss is nan, stopping the training", "iteration 7: grad norm is NaN, aborting"),
    ),
    Form(
        "fatal",
        ("run_stop",),
        r'"key": ?"(?P<text>run_stop".{0,200}"status": ?"aborted")',
        (':::MLLOG {"key": "run_stop", "value": null, "metadata": {"file": "a.py", "status": "aborted"}}',),
    ),
    Form(
        "error",
        (),
        r"^\[?E\d{0,8} ?(?:\d\d:\d\d:\d\d[.\d]{0,10})? *\d* ?[\w./-]{1,120}\.\w{1,4}:\d+\] (?P<text>.{1,300})",
        (
            "E0405 06:07:08.123456 4711 mesh.cc:77] no route in the mesh",
            "[E405 06:07:08.123456789 MeshGroup.cpp:77] no route in the mesh",
        ),
    ),
    Form(
        "error",
        ("ERROR", "[ERR]", "EMERG", "ALERT"),
        rf"{_BEFORE_LEVEL}(?:ERROR|ERR|EMERG|ALERT)(?:[\s\]|>):-]{{1,4}})(?P<text>[^\s\d=|`,;*].{{2,300}})",
        (
            "2031-04-05 06:07:08,123 - trainer - ERROR - checkpoint shard 7 is torn",
            "ERROR:trainer:checkpoint shard 7 is torn",
            "[ERROR] checkpoint shard 7 is torn",
        ),
    ),
    Form(
        "error",
        ("rror:", "rror]", "rror ="),
        r"^(?:[\w./+-]{1,80}: (?:\S{1,80}: )?)?(?:\[[Ee]rror\]|[Ee]rror:"
        r"|ERROR:) ?(?P<text>[^\s\d=|`,;*].{2,300})",
        ("srun: error: the mesh has no root", "grind.py: error: unrecognized arguments: --fine", "Error: no corn"),
    ),
    Form(
        "error",
        ("level=err", "level=fatal", "level=crit", "level=panic"),
        r"(?<![\w-])level=(?:error|err|fatal|critical|panic)\b(?P<text>.{1,300})",
        ('time="2031-04-05T06:07:08Z" level=error msg="no corn in the mill"',),
    ),
    Form(
        "error",
        (": command not found", ": No such file or directory", ": cannot ", ": Permission denied", "xec format"),
        r"^(?P<text>(?:[\w./+-]{1,80}: ){1,3}(?:line \d{1,6}: )?[^:]{1,200}: (?:command not found"
        r"|No such file or directory"
        r"|Permission denied|cannot execute\b.{0,60}|cannot execute binary file.{0,60}|Exec format error))$",
        ("bash: line 7: grind: command not found", "run.sh: ./mill: Permission denied"),
    ),
    Form(
        "end",
        ("xit", "EXIT", "eturn", "status", "signal"),
        r"(?P<text>\b(?:exit(?:ed)?|EXIT|[Rr]eturn(?:ed)?)(?: with)?(?: non-zero)?(?: (?:exit )?(?:code|status)"
        r"| value)?"
        r"\s{0,3}(?:[:=]\s{0,3})?(?<![\d.])[1-9]\d{0,2}(?![\w.%/])(?=\s{0,3}(?:$|[,;.)\]])).{0,100})",
        ("grind exited with code 3", "@@ EXIT=143", "job exit status: 1"),
    ),
    Form(
        "end",
        ("egmentation fault", "us error", "borted", "illed"),
        r"^\s{0,4}(?P<text>(?:Segmentation fault|Bus error|Aborted|Killed|Illegal instruction)\b.{0,100})",
        ("Segmentation fault", "Killed"),
    ),
)
"""Tried in this order."""

_NONE = regex(
    r"(?i)^\W{0,4}(?:0|no (?:errors?|failures?|problems?|issues?)|none|null|false|n/?a|nothing|ok|success"
    r"|counters?|count|codes?|rates?|messages?|logs?"
    r"|handling"
    r"|correction|bits?|status|recovery|detection|injection|policy|types?|levels?|budget|margin|bars?|tolerance)\b"
)
"""What stands behind the mark makes it a heading, a setting or a zero."""
_NUMBERS = regex(r"\d+")
_OWN_NAME = regex(r"^(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z][A-Za-z_]{2,60}: \S.{0,300}$")
_FRAME = regex(r"^(?: {4,}\S| {2}File \")")
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST_TRACEBACK = 500
"""An exception may have neither ``Error`` nor ``Exception`` in its name. Then it is known by what stands above: a
traceback begins some lines before, and the code of its innermost frame directly before."""


_MARKS = Literals((_TRACEBACK, *(mark for form in FORMS for mark in form.marks)))
_GLOG = regex(r"^(?:[EF]\d{1,8} \d|\[E\d{0,8} )")


_LOOKED = regex(
    r"^(?:/(?:usr/)?bin/)?(?:cat|ls|head|tail|z?grep|stat|readlink|find|wc)(?: \(\w{1,20}\))?: "
    r".{1,300}: No such file or directory$"
)
"""What answers somebody who looked for a file: that there is none is the answer, and no job failed of it."""


class _Kept(Struct):
    """The first of equal errors, how many there were, and where the last stands."""

    first: Ref
    rank: int | None
    host: str | None
    form: str
    text: str
    count: int
    last: int


class ErrorLines:
    """One event for each text, rank and node; texts that differ in numbers alone are one, with a count."""

    kind: ClassVar[str] = "errors"
    digits_alike: ClassVar[bool] = True
    lone: ClassVar[bool] = True
    searches: ClassVar[bool] = True
    last_resort: ClassVar[int] = 3
    literals: ClassVar[Literals] = Literals((*_MARKS.texts, "\nE0 0", "\nF0 0", "\n[E ", "\n[E0 ", ": "))

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int | None, str | None], _Kept] = {}
        self._traceback: dict[tuple[str, str], int] = {}

    @staticmethod
    def gate() -> Gate:
        return (of_literals(_MARKS),), (at_start(_GLOG, _OWN_NAME),)

    @staticmethod
    def wants(text: str) -> bool:
        """Does one of the marks stand in the line?"""
        return _MARKS.in_(text) or _GLOG.match(text) is not None or _is_name(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:MATCH_CHARACTERS]
        mine, found = _read(text)
        if mine and found is None and self._ends_traceback(line):
            found = "exception", text[:MOST_TEXT]
        if found is None or _LOOKED.match(text) is not None:
            return Use.NOT_MINE
        form, said = found
        key = (form, _NUMBERS.sub("0", said), line.rank, line.host or line.place)
        known = self._kept.get(key)
        if known is not None:
            known.count += not (line.part and known.last == line.no)
            known.last = line.no
        elif MAX_ERRORS.has_room(len(self._kept)):
            self._kept[key] = _Kept(line.ref(), line.rank, line.host, form, said, 1, line.no)
        return Use.USED

    def _ends_traceback(self, line: Line) -> bool:
        """Does a traceback of this stream end here? Remembers where one begins."""
        of = line.source, line.stream
        if _TRACEBACK in line.text and MAX_ERRORS.has_room(len(self._traceback)):
            self._traceback[of] = line.no
        begun = self._traceback.get(of, -_LONGEST_TRACEBACK)
        near = 0 < line.no - begun < _LONGEST_TRACEBACK
        return near and _is_name(line.text) and _FRAME.match(line.before) is not None

    @staticmethod
    def row(text: str) -> Row | None:
        front = text[:MATCH_CHARACTERS]
        forms = (form.pattern for form in FORMS if not form.marks or any(mark in front for mark in form.marks))
        if _TRACEBACK in text or _is_name(text):
            return None
        return None if any(not is_blind(each) or compiled(each).search(front) for each in forms) else NOT_MINE

    def finish(self) -> Iterable[JobEvent]:
        return [_event(kept) for kept in self._kept.values()]


def _is_name(text: str) -> bool:
    """May it be the last line of a traceback, whose exception has a name of its own?"""
    return text[:1].isalpha() and _OWN_NAME.match(text) is not None


@lru_cache(_MOST_READ)
def _read(text: str) -> tuple[bool, tuple[str, str] | None]:
    """Is it what some program prints, and no log of NCCL's? And what ``read_error`` says of it."""
    mine = not (is_library_line(text) or quotes_code(text) or is_source(text))
    return mine, read_error(text) if mine else None


def read_error(text: str) -> tuple[str, str] | None:
    """The form of the mark, and what the line says; None for a line without a mark."""
    for form in FORMS:
        if form.marks and not any(mark in text for mark in form.marks):
            continue
        found = compiled(form.pattern).search(text)
        if found is not None:
            said = next(said for said in found.groups() if said).strip()
            return None if _NONE.match(said) or is_milder(said) else (form.name, said[:MOST_TEXT])
    return None


def _event(kept: _Kept) -> JobEvent:
    level = "" if kept.form == "end" else "error"
    groups = {"form": kept.form, "text": kept.text, "last": str(kept.last)}
    text = kept.first.text.strip()
    return JobEvent(KIND, "program", text, groups, kept.first, kept.host, kept.rank, count=kept.count, level=level)


PARSER = ErrorLines
