"""What is done with the lines of each shape, in one dialect: looked up, and worked out once for all sources."""

from __future__ import annotations

from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.json_blocks import opens_block
from slowlink.parsers.forms.lines import Dialect, find_prefix, shape_of
from slowlink.parsers.reading.line_interest import Plan, asked_of
from slowlink.parsers.reading.once.identifiers import blind_to_identifiers

MAX_SHAPES = 20_000
MAX_ASKED = 1 << 16
"""Parsers are asked by the front of a line: only a JSON value is longer, and those have their own way."""
MAX_SHAPE_LENGTH = 400
_MAX_DIALECTS = 16
_KNOWN: dict[tuple[tuple[type[LineParser], ...], Dialect], dict[bytes, Plan]] = {}
"""Of all sources with a dialect. Thousands may be alike: a transcript of each node."""


class Plans:
    """The plans for lines of one dialect."""

    def __init__(self, parsers: tuple[type[LineParser], ...], dialect: Dialect) -> None:
        if len(_KNOWN) >= _MAX_DIALECTS:
            _KNOWN.clear()
        self._known = _KNOWN.setdefault((parsers, dialect), {})
        self._dialect = dialect
        self._asked = asked_of(parsers)
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

    def _new(self, line: str) -> Plan:
        prefix = find_prefix(line, self._dialect)
        text = line[prefix.cut :] if prefix.cut else line
        wanted, behind = self._asked.wants_of(text[:MAX_ASKED])
        begins = (0, *(each.lead.end for each in behind))
        json_at = next((prefix.cut + at for at in begins if opens_block(text[at:])), None)
        return Plan(prefix, wanted, json_at, behind, self._asked.are_lone((wanted, behind)))
