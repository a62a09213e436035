"""What stands before `` NCCL `` in a line: the library's own prefix, and what a launcher or a row put before it."""

from __future__ import annotations

from typing import NamedTuple

from slowlink.parsers.forms.lines import NO_PREFIX, STAMP, Dialect, Prefix, find_prefix, shape_of
from slowlink.patterns import regex

LONGEST_LEAD = 600
MAX_LEADS = 100_000
_ORIGIN = regex(
    r"(?<![^\s:<>\[\]()|`'\"])(?!(?:\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d(?!\d))"
    r"[^\s:<>\[\]()|`'\"]+:\d+:\d+(?= |$)"
)
"""``host:pid:tid`` of NCCL's own prefix, which a time of day is not."""
_GLUED = regex(r"-1(?=[^\d.])|-?\d+\.\d+(?=[A-Za-z])")
"""The end of a row's cell that stands directly before a host name: a root of -1, a decimal."""
_ROW = regex(r"\s*(?:#\s*)?\d[\d.]*\s+\d[\d.]*\s")


class Lead(NamedTuple):
    """What stands before `` NCCL `` in a line: the library's own prefix, and what a launcher put before it."""

    prefix: str
    cut: int
    stream: str
    rank: int | None
    host: str | None
    special: bool
    """Not one clean NCCL line: glued to a row, quoted in words, or inside a JSON log record."""


def rank_of(text: str, prefix: Prefix) -> int | None:
    """The rank that a prefix names; None for none, and for a number that no rank has."""
    if prefix.rank is None:
        return None
    digits = text[prefix.rank]
    return int(digits) if len(digits) < 8 else None


def read_lead(before: str, dialect: Dialect) -> Lead:
    """Tell the library's own prefix (``host:pid:tid [dev]`` and a code location) from what stands before it."""
    return _read_apart(before, dialect)[0]


def _read_apart(before: str, dialect: Dialect) -> tuple[Lead, Prefix]:
    """The lead, and the places of what a launcher put there."""
    origins = list(_ORIGIN.finditer(before, max(0, len(before) - LONGEST_LEAD)))
    if not origins:
        return Lead("", 0, "", None, None, special=True), NO_PREFIX
    at = origins[-1].start()  # the last one: a time of day before it looks alike
    prefix = find_prefix(before, dialect) if at else NO_PREFIX
    if prefix.cut > at:
        prefix = find_prefix(before[:at], dialect)
    glued = _GLUED.match(before, at) if _ROW.match(before, prefix.cut) else None
    if glued:
        at = glued.end()
    rest = before[prefix.cut : at]
    special = bool(glued) or before.startswith("{") or bool(_ROW.match(rest + " "))
    return _lead_at(before, at, prefix, special=special), prefix


def _lead_at(before: str, at: int, prefix: Prefix, *, special: bool = False) -> Lead:
    host = before[prefix.host] if prefix.host else None
    return Lead(before[at:], at, prefix.stream_of(before), rank_of(before, prefix), host, special)


class NcclLeads:
    """The leads of one dialect, each read once."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._known: dict[str, Lead] = {}
        self._places: dict[bytes, tuple[int, Prefix]] = {}
        """By shape: where the library's own prefix begins, and what stands before it."""
        self.plain: set[str] = set()
        """Those that are nothing but the library's own prefix: nearly all, so they get the shortest way."""

    def of(self, before: str) -> Lead:
        """What stands before `` NCCL ``, read."""
        return self._known.get(before) or self._read(before)

    def _read(self, before: str) -> Lead:
        stamp = STAMP.match(before)
        if stamp and stamp.end() < len(before):
            # Stamps differ from line to line; what stands behind them does not.
            lead = self.of(before[stamp.end() :])
            return lead._replace(cut=lead.cut + stamp.end())
        if len(self._known) >= MAX_LEADS:
            self._known.clear()
            self.plain.clear()
        lead = self._known[before] = self._by_shape(before)
        if lead == Lead(before, 0, "", None, None, special=False):
            self.plain.add(before)
        return lead

    def _by_shape(self, before: str) -> Lead:
        """Numbers of lines, ranks and processes differ, where they stand does not."""
        shape = shape_of(before)
        known = self._places.get(shape)
        if known is not None:
            return _lead_at(before, *known)
        lead, prefix = _read_apart(before, self._dialect)
        if not lead.special and len(before) <= LONGEST_LEAD:
            if len(self._places) >= MAX_LEADS:
                self._places.clear()
            self._places[shape] = lead.cut, prefix
        return lead
