"""Values that a traceback draws below a line of source, each under the name that holds it.

Source: Loguru, ``diagnose=True``: ``└`` stands below the first letter of the name, the value behind it.
"""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret
from slowlink.redact.names import SECRET_NAME, is_secret_name, kind_of
from slowlink.redact.over_lines.leads import split_lead
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.replaced import REPLACED, replaced

_INDENT = "    "
_LONGEST_SOURCE = 400
_MOST_NAMES = 8
_NAME = regex(r"(?<![\w\"'.-])(?<!<redacted:)(?:[A-Za-z_]\w{0,60}\.){0,4}(?P<last>[A-Za-z_]\w{0,60})(?![\w\"'(:-])")
_BECOMES = regex(r"\s{0,4}=\s{0,4}(?P<held>[A-Za-z_]\w{0,60}|<redacted:\w{1,20}>)(?![\w\"'(.:-])")
"""What a name is set to is as secret as what it will hold, and was taken out of the line of source already."""
_DRAWN = regex(
    r"[ \u2502]{0,400}\u2514 (?:(?P<quote>[\"'])(?P<quoted>[^\n]{0,4000})(?P=quote)|(?P<value>[^\n]{1,4000}?))\s*$"
)
_BARS = regex(r"[ \u2502]{1,400}$")


class TracedValues:
    """Reads such lines without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"traced": self._value}

    def opening(self, text: str, words: int) -> Left:
        """The columns of the secret names in a line of source. ``words``: what ``held`` says of it."""
        if not words & SECRET_NAME or _INDENT not in text or len(text) > _LONGEST_SOURCE:
            return NOTHING_LEFT
        lead, said = split_lead(text)
        if not said.startswith(_INDENT) or "\u2502" in said or "\u2514" in said:
            return NOTHING_LEFT
        columns: list[str] = []
        for name in _NAME.finditer(said):
            if len(columns) < _MOST_NAMES and is_secret_name(name["last"]):
                columns.append(f"{name.start('last')}:{kind_of(name['last'])}")
                if (becomes := _BECOMES.match(said, name.end())) is not None:
                    columns.append(f"{becomes.start('held')}:{kind_of(name['last'])}")
        return Left("traced", at=len(lead), told=tuple(columns)) if columns else NOTHING_LEFT

    def _value(self, text: str, left: Left) -> tuple[str, Left]:
        match = _DRAWN.match(text)
        if match is None:
            return text, left if _BARS.match(text) is not None else NOTHING_LEFT
        at = text.find("\u2514")
        kind = next((told.partition(":")[2] for told in left.told if told.partition(":")[0] == str(at)), "")
        group = "quoted" if match["quote"] else "value"
        value, (begin, end) = match[group], match.span(group)
        if not kind or not (match["quote"] or looks_secret(value)) or REPLACED.fullmatch(value):
            return text, left
        return text[:begin] + replaced(value, kind, self._removed) + text[end:], left
