"""What somebody measured of pairs alone and of all together, in one line of words::

    each pair alone gives 46 GB/s, the alltoall of all 64 nodes 9 GB/s
    in the alltoall: 21 GB/s; two hosts by themselves 47.8 GB/s

It accuses nobody by itself: a collective over many nodes may rightly be slower than a pair. But counters that grew
while it ran do not tell whether anybody suffered, and this does.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.complaints.plans import is_about_other_things
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.observation_table import Fact, ObservationParser
from slowlink.patterns import regex

KIND = "slower-together"
_ALONE = r"\b(?:alone|by themselves|on their own|in isolation)\b"
_RATE = r"(?P<rate>\d{1,5}(?:\.\d{1,3})?) ?(?P<unit>[GM]B/s|[GM]bit/s|[GM]b/s|[GM]iB/s)"
_NEAR = 60
"""Characters between the word and its rate."""
_LESS = 0.7
"""A rate together over the one alone, at most: less is no noise."""
_BEHIND = regex(rf"(?i){_ALONE}[^\d;]{{0,{_NEAR}}}(?:\d{{1,4}} ?(?:to|-) ?)?{_RATE}")
_BEFORE = regex(rf"(?i){_RATE}[^\d;.]{{0,{_NEAR}}}{_ALONE}")
_EACH = regex(_RATE)
_PEOPLE = regex(r"(?i).*\b(?:pairs?|two|both|hosts?|nodes?)\b")


class SlowerTogether(ObservationParser):
    """One ``Observation`` for each line that gives both rates: ``46 GB/s alone, 9 GB/s together``."""

    kind: ClassVar[str] = "words"
    facts: ClassVar[tuple[Fact, ...]] = tuple(
        Fact(KIND, mark, mark, (f"each pair {mark} 46 GB/s, all together 9 GB/s",))
        for mark in ("alone", "by themselves", "on their own", "in isolation")
    )

    def take(self, line: Line, text: str) -> Use:
        if _PEOPLE.match(text) is None or is_about_other_things(text.lstrip("# ").lower()):
            return Use.NOT_MINE
        rates = [(float(found["rate"]), found["unit"], found.start()) for found in _EACH.finditer(text)]
        for alone in filter(None, (_BEHIND.search(text), _BEFORE.search(text))):
            single, unit, at = float(alone["rate"]), alone["unit"], alone.start("rate")
            others = [rate for rate, of, where in rates if of == unit and where != at]
            if len(others) == 1 and 0 < others[0] <= _LESS * single:
                self._add(KIND, "", f"{single:g} {unit} alone, {others[0]:g} {unit} together", line)
                return Use.USED
        return Use.NOT_MINE


PARSER = SlowerTogether
