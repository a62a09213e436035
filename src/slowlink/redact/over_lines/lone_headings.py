"""Rows below the only heading of a table, under a rule: what psql prints for one column. And rows of a name and a value
below headings that say so."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import REPLACED, replaced

_HEADING = regex(r"\s{0,20}(?P<name>[\w.-]{2,60})\s*")
_RULE = regex(r"\s{0,20}[-=\u2500]{3,400}\s*")
_PAIRED = regex(r"(?i:\s{0,20}(?:key|name|field|property|variable) {2,60}value\s*)")
_RULES = regex(r"\s{0,20}[-=\u2500]{3,200} {1,60}[-=\u2500]{3,200}\s*")
_PAIR = regex(r"\s{0,20}(?P<name>[\w.-]{1,100}) {2,60}(?P<value>\S(?:[^\n]{0,4000}\S)?)\s*")
"""Source: Vault, what ``kv get`` prints."""
_ROW = regex(r"\s{0,20}(?P<value>[^\s\"'<>]{6,200}|<redacted:\w+>)\s*")


SAYS_VALUE = ask_for(("value",))


class LoneHeadings:
    """Replaces the rows below a heading that is a secret's name, and the passwords in rows of a name and a value."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"headed": self._row, "paired": self._pair}

    def openings(self, text: str) -> list[Left]:
        """The one that ``text`` opens, if it does."""
        if _PAIRED.fullmatch(text) is not None:
            return [Left("paired", "password", at=len(text) - len(text.lstrip()))]
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

    def _pair(self, text: str, left: Left) -> tuple[str, Left]:
        """The rule first, then rows. Where a token or a key has its own row, what is said of it has rows, too: there
        only what is mixed is secret, which needs no headings."""
        if not left.told:
            return text, left._replace(told=("ruled",)) if _RULES.fullmatch(text) is not None else NOTHING_LEFT
        row = _PAIR.fullmatch(text)
        if row is None:
            return text, NOTHING_LEFT
        if not is_secret_name(row["name"]) or kind_of(row["name"]) != left.kind:
            return text, left
        begin, end = row.span("value")
        return text[:begin] + replaced(row["value"], left.kind, self._removed) + text[end:], left
