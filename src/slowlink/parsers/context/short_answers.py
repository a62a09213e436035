"""Questions whose answer is one bare word::

    [root@gpu07 ~]# ulimit -l
    unlimited
    [root@gpu07 ~]# ls /sys/kernel/mm/memory_peers
    nv_mem

Only the command above says what the answer means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit_values import memlock
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_BEFORE = r"(?:.{0,160}[#$>]|\s{0,8}\+{1,8}) (?:sudo )?"
"""A prompt, or the mark of a shell's trace (``set -x``)."""
_SENT = r"(?:(?:ssh|srun|mpirun|mpiexec|pdsh|docker|podman|kubectl|apptainer|singularity) .{1,200} )?"
_LIMIT = regex(_BEFORE + _SENT + r"(?:(?:ba)?sh -l?c )?['\"]?ulimit -[SH]?l['\"]?\s{0,8}$")
_CLIENTS = regex(_BEFORE + r"ls (?:-1 )?/sys/kernel/mm/memory_peers/?\s{0,8}$")
_NAMES = regex(r"[a-z][\w-]{1,30}(?:\s{1,8}[a-z][\w-]{1,30}){0,7}$")
_AMOUNT = regex(r"(?P<amount>unlimited|\d{1,15})$")
_TRACED_AMOUNT = regex(
    r"\+{1,8} (?:(?:local |export |declare |readonly )?\w{1,60}=|'?\[{1,2}'? |echo (?:[^\d].{0,80}?[ =:])?)['\"]?"
    r"(?P<amount>unlimited|\d{1,15})(?!\w)"
)
"""What a traced shell does with the answer that it caught: ``++ ulimit -l``, ``+ limit=64``."""


class ShortAnswers:
    """Readings from a question and the line directly below it."""

    kind: ClassVar[str] = "short-answers"
    literals: ClassVar[Literals] = Literals(("ulimit", "memory_peers"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._asked: tuple[re.Pattern[str], Line] | None = None

    @classmethod
    def wants(cls, text: str) -> bool:
        return cls.literals.in_(text) and _question(text) is not None

    @property
    def greedy(self) -> bool:
        return self._asked is not None

    def feed(self, line: Line) -> Use:
        asked, self._asked = self._asked, None
        question = _question(line.text)
        if asked is not None and line.no == asked[1].no + 1:
            answered = self._answer(asked[0], line)
            if answered:
                return Use.USED
        if question is None:
            return Use.NOT_MINE
        self._asked = (question, line)
        return Use.NOT_MINE  # it is a prompt, too

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _answer(self, question: re.Pattern[str], line: Line) -> bool:
        """Did this line answer?"""
        text = line.text.strip()
        if question is _LIMIT and (amount := _AMOUNT.match(text) or _TRACED_AMOUNT.match(text)):
            value = memlock(amount["amount"], 1024)
            return value is not None and self._add("memlock-limit", NODE, value, line)
        if question is _CLIENTS and _NAMES.match(text):
            return all(self._add("peer-memory-client", Part("module", name), True, line) for name in text.split())
        return False

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> bool:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))
        return True


def _question(text: str) -> re.Pattern[str] | None:
    return next((pattern for pattern in (_LIMIT, _CLIENTS) if pattern.match(text)), None)


PARSER = ShortAnswers
