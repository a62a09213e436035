"""Who wants lines of a shape: asked once, and remembered for all sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.lines import Prefix, form_of
from slowlink.parsers.forms.literals import Choice, Literals
from slowlink.parsers.forms.marked_lines import parts_behind_front
from slowlink.parsers.reading.leads.of_loggers import Lead, leads_of

_MAX_KNOWN = 16


class Behind(NamedTuple):
    """What a line would be without what a logger may have put before its words."""

    lead: Lead
    wanted_by: tuple[int, ...]


class Plan(NamedTuple):
    """What to do with every line of one shape."""

    prefix: Prefix
    wanted_by: tuple[int, ...]
    json_at: int | None
    """Where a JSON value may begin, in the line."""
    behind: tuple[Behind, ...] = ()
    lone: bool = False
    """Do only ``lone`` parsers want it?"""
    quiet: bool = False
    """Did only ``lone`` parsers want it, and does none of them take anything of it?"""

    def is_wanted(self) -> bool:
        """As it stands, or behind a logger's lead."""
        return bool(self.wanted_by) or any(each.wanted_by for each in self.behind)


def literals_of(unit: type[LineParser]) -> Literals | None:
    """The texts, one of which stands in each line that the parser may want; None where it has none."""
    return getattr(unit, "literals", None)


_FRONT = 120
"""Characters, longer than any literal at the beginning of a line."""
Wants = tuple[tuple[int, ...], tuple[Behind, ...]]
"""Numbers of the parsers that want a line, in order, and what is behind its leads."""


class Asked:
    """Which parsers want a line. One search of its *form*, its text with every number as one 0, tells which of them
    are worth asking."""

    def __init__(self, parsers: tuple[type[LineParser], ...]) -> None:
        self._parsers = parsers
        self._worth_asking = Choice([literals_of(unit) for unit in parsers])

    def wants_of(self, text: str) -> Wants:
        """Who wants ``text``, and who what stands behind each lead that it may begin with."""
        leads = leads_of(text)
        fronts = [text[lead.end :][:_FRONT] for lead in leads]  # all but what begins there was found in the whole
        every = (text, *fronts, *(front.lstrip() for front in fronts if front[:1].isspace()))
        held = self._worth_asking.of(form_of("\n".join(every)).decode("utf-8", "replace"))
        behind = (Behind(lead, held.filter(text[lead.end :], self._asks)) for lead in leads)
        return held.filter(text, self._asks), tuple(behind)

    def worth_asking(self, texts: Iterable[str]) -> tuple[int, ...]:
        """The parsers that may want any of ``texts``, by their literals."""
        fronts = (text[:_FRONT].lstrip() for text in texts)
        return self._worth_asking.of(form_of("\n".join(["", *fronts])).decode("utf-8", "replace")).numbers

    def parts_wanted_of(self, text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Parts of an overlong line, behind its front, with those of the parsers that search lines that want them."""
        for part in parts_behind_front(text):
            wanted, _ = self.wants_of(part)
            if wanted := tuple(each for each in wanted if getattr(self._parsers[each], "searches", False)):
                yield part, wanted

    def are_lone(self, wants: Wants) -> bool:
        """Is none of those who want a line ever greedy?"""
        wanted, behind = wants
        everybody = {*wanted, *(number for each in behind for number in each.wanted_by)}
        return all(getattr(self._parsers[number], "lone", False) for number in everybody)

    def _asks(self, number: int, text: str) -> bool:
        return self._parsers[number].wants(text)


_ASKED: dict[tuple[type[LineParser], ...], Asked] = {}


def asked_of(parsers: tuple[type[LineParser], ...]) -> Asked:
    """What these parsers were asked, of all sources."""
    known = _ASKED.get(parsers)
    if known is None:
        if len(_ASKED) >= _MAX_KNOWN:
            _ASKED.clear()
        known = _ASKED[parsers] = Asked(parsers)
    return known
