"""Notes of a fault injector: which ranks, which fault, after how long. Written beside the dumps of a test.

Spellings differ; these are two of them::

    Fault ranks: [3, 5]
    fault_delay_s = 42.5
    Rank 3, fault_type: SIGSTOP

And what says in a sentence that a failure was injected: ``injected ... status=12``, the kernel's
``FAULT_INJECTION: forcing a failure``.

Source: what injectors of resilience tests print or log; the kernel's ``lib/fault-inject.c``. A note is no finding: it
says what was done on purpose, so that a report can call what it finds injected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.hang import FaultInjected
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_NOTES = Limit(50_000, "injected faults")
_RANKS = regex(r"[Ff]ault[ _]ranks?\s?[:=]\s?\[?(?P<ranks>\d{1,7}(?:,\s?\d{1,7}){0,1000})\]?$")
_DELAY = regex(r"[Ff]ault[ _]delay(?:_s|_sec|_seconds)?\s?[:=]\s?(?P<delay>\d{1,9}(?:\.\d{1,9})?)\s?s?$")
_FAULT = regex(r"(?:[Rr]ank[ =:]\s?(?P<ranks>\d{1,7}),?\s)?[Ff]ault[ _]type\s?[:=]\s?(?P<fault>[\w.]{1,60})$")
_SAID = regex(
    r"(?i)^FAULT_INJECTION: forcing a failure"
    r"|\binject(?:ed|ing) (?:\w{1,12} ){0,3}(?:fault|failure|error|completion|cqe|drop|loss)s?\b"
    r"|\binjected .{0,160}\b(?:new_)?status=\d"
)
_NEGATED = regex(r"(?i)\b(?:no|not|without|never|0)\b[^,;.]{0,30}\binject")


class FaultInjection:
    """Gives one ``FaultInjected`` for each line about a fault that was injected."""

    kind: ClassVar[str] = "fault-injection"
    literals: ClassVar[Literals] = Literals(("ault", "nject", "FAULT_INJECTION"))

    @staticmethod
    def wants(text: str) -> bool:
        named = "ault" in text and any(word in text for word in ("rank", "type", "delay"))
        return named or "nject" in text or "FAULT_INJECTION" in text

    def __init__(self) -> None:
        self._found: list[FaultInjected] = []

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        for pattern in (_RANKS, _DELAY, _FAULT):
            found = pattern.match(text)
            if found is None:
                continue
            groups = found.groupdict()
            ranks = tuple(int(digits) for digits in re.findall(r"\d+", groups.get("ranks") or ""))
            delay = float(groups["delay"]) if groups.get("delay") else None
            if MAX_NOTES.has_room(len(self._found)):
                self._found.append(FaultInjected(ranks, groups.get("fault"), delay, line.ref()))
            return Use.USED
        if _SAID.search(text) is not None and _NEGATED.search(text) is None:
            if MAX_NOTES.has_room(len(self._found)):
                self._found.append(FaultInjected((), None, None, line.ref()))
            return Use.USED
        return Use.NOT_MINE

    def finish(self) -> Iterable[FaultInjected]:
        return self._found


PARSER = FaultInjection
