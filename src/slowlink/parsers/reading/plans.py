"""What is done with the lines of each shape, in one dialect: looked up, and worked out once for all sources."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from slowlink.parsers.forms.identifiers import blind_to_identifiers
from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.json_blocks import opens_block
from slowlink.parsers.forms.lines import Dialect, find_prefix, shape_of
from slowlink.parsers.reading.line_interest import Plan, asked_of
from slowlink.parsers.reading.once.refusals import refusals_of

MAX_SHAPES = 20_000
MAX_ASKED = 1 << 16
"""Parsers are asked by the front of a line: only a JSON value is longer, and those have their own way."""
MAX_SHAPE_LENGTH = 400
_MAX_DIALECTS = 16
_TIMES = 8
"""So often a shape must come before those who want it are tried: a trial costs as much as some ten refusals."""


class Known(NamedTuple):
    """What is known of lines of one dialect, by their shapes."""

    plans: dict[bytes, Plan]
    rows: dict[bytes, Any]
    """How they are read as rows (``rows.row_plans``)."""


_KNOWN: dict[tuple[tuple[type[LineParser], ...], Dialect], Known] = {}
"""Of all sources with a dialect. Thousands may be alike: a transcript of each node."""


class Plans:
    """The plans for lines of one dialect."""

    def __init__(self, parsers: tuple[type[LineParser], ...], dialect: Dialect) -> None:
        if len(_KNOWN) >= _MAX_DIALECTS:
            _KNOWN.clear()
        self._known, self.rows = _KNOWN.setdefault((parsers, dialect), Known({}, {}))
        self._dialect = dialect
        self._asked = asked_of(parsers)
        self._refusals = refusals_of(parsers)
        self._times: dict[bytes, int] = {}
        """Of shapes that only ``lone`` parsers want: how often they came."""
        self._blind = not dialect.tags and not dialect.frames  # these know hosts, by any name

    def of(self, line: str) -> Plan:
        """What is done with lines of the shape of this one."""
        if len(line) > MAX_SHAPE_LENGTH:
            return self._new(line)
        shape = shape_of(line)
        plan = self._known.get(shape)
        if plan is None and self._blind:
            plan = self._known.get(shape := blind_to_identifiers(shape))
        if plan is None:
            if len(self._known) >= MAX_SHAPES:
                self._known.clear()
            plan = self._known[shape] = self._new(line)
        return plan

    def tried(self, line: str, plan: Plan, *, at_once: bool = False) -> Plan:
        """``plan``, which is that of ``line``; once its shape came often, or ``at_once``, without those of its parsers
        who take nothing of all lines of this shape."""
        if not plan.lone or plan.quiet or not plan.is_wanted() or len(line) > MAX_SHAPE_LENGTH:
            return plan
        shape = shape_of(line)
        times = self._times.get(shape, 0)
        if times > _TIMES:
            return self._known.get(shape, plan)
        if times < _TIMES and not at_once:
            if len(self._times) >= MAX_SHAPES:
                self._times.clear()
            self._times[shape] = times + 1
            return plan
        self._times[shape] = _TIMES + 1
        text = line[plan.prefix.cut :]
        without = partial(self._refusals.without, ranked=plan.prefix.rank is not None)
        wanted = without(plan.wanted_by, text)
        behind = tuple(each._replace(wanted_by=without(each.wanted_by, text[each.lead.end :])) for each in plan.behind)
        quiet = not wanted and not any(each.wanted_by for each in behind)
        tried = self._known[shape] = plan._replace(wanted_by=wanted, behind=() if quiet else behind, quiet=quiet)
        return tried

    def _new(self, line: str) -> Plan:
        prefix = find_prefix(line, self._dialect)
        text = line[prefix.cut :] if prefix.cut else line
        wanted, behind = self._asked.wants_of(text[:MAX_ASKED])
        begins = (0, *(each.lead.end for each in behind))
        json_at = next((prefix.cut + at for at in begins if opens_block(text[at:])), None)
        return Plan(prefix, wanted, json_at, behind, self._asked.are_lone((wanted, behind)))
