"""Notes of a fault injector: which ranks, which fault, after how long. Written beside the dumps of a test.

Spellings differ; these are two of them::

    Fault ranks: [3, 5]
    fault_delay_s = 42.5
    Rank 3, fault_type: SIGSTOP

Source: what injectors of resilience tests print or log. A note is no finding: it says what was done on purpose, so
that a report can call what it finds injected.
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


class FaultInjection:
    """Gives one ``FaultInjected`` for each ``key: value`` line about a fault that was injected."""

    kind: ClassVar[str] = "fault-injection"
    literals: ClassVar[Literals] = Literals(("ault",))

    @staticmethod
    def wants(text: str) -> bool:
        return "ault" in text and any(word in text for word in ("rank", "type", "delay"))

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
        return Use.NOT_MINE

    def finish(self) -> Iterable[FaultInjected]:
        return self._found


PARSER = FaultInjection
