"""Rows below the only heading of a table, under a rule: what psql prints for one column."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.replaced import REPLACED, replaced

_HEADING = regex(r"\s{0,20}(?P<name>[\w.-]{2,60})\s*")
_RULE = regex(r"\s{0,20}[-=\u2500]{3,400}\s*")
_ROW = regex(r"\s{0,20}(?P<value>[^\s\"'<>]{6,200}|<redacted:\w+>)\s*")


class LoneHeadings:
    """Replaces the rows below a heading that is a secret's name."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"headed": self._row}

    def openings(self, text: str) -> list[Left]:
        """The one that ``text`` opens, if it does."""
        heading = _HEADING.fullmatch(text)
        if heading is None or not is_secret_name(heading["name"]):
            return []
        return [Left("headed", kind_of(heading["name"]), at=heading.start("name"))]

    def _row(self, text: str, left: Left) -> tuple[str, Left]:
        """The rule first, then each word that is mixed as secrets are."""
        if not left.told:
            return text, left._replace(told=("ruled",)) if _RULE.fullmatch(text) is not None else NOTHING_LEFT
        row = _ROW.fullmatch(text)
        if row is None or not (REPLACED.fullmatch(row["value"]) or looks_secret(row["value"])):
            return text, NOTHING_LEFT
        begin, end = row.span("value")
        return text[:begin] + replaced(row["value"], left.kind, self._removed) + text[end:], left
