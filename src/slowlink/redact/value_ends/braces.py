"""Values in braces, as connection strings of ODBC have them: ``Pwd={a;b}}c};``.

Source: Microsoft, ODBC, ``SQLDriverConnect``: a value with signs in it stands in braces, and a closing one in it is
doubled. Templates write references so, too (``Pwd={password}``): what names a secret again is one.
"""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret
from slowlink.redact.names import reading

_BRACED = regex(r"\{(?:(?P<value>(?:[^}\n]|\}\}){1,400})\}(?!\})|(?P<cut>[^\s{}:=\"']{1,400})(?=[\"']?\s*$))")
_REFERENCE = regex(r"(?:[\w.$]{1,60}\.)?(?P<name>[A-Za-z_]\w{0,60})(?:\[[^\]\n]{0,60}\]|\(\))?(?:[!:]\w{1,8})?|\d{0,2}")
"""What a program puts there later: a name, a member, a place in a list of arguments."""
_ALONE = regex(r"[^\s{}:=\"']{1,400}")
_BETWEEN_PAIRS = ";"


def braced(text: str, name: int, value: int) -> tuple[int, int] | None:
    """Where the value stands whose brace is at ``value``, of the name at ``name``; None where the braces are those of
    a mapping or of a reference."""
    match = _BRACED.match(text, value)
    if match is None:
        return None
    group = match.lastgroup or "value"
    if is_reference(match[group]):
        return None
    is_of_pairs = text[:name].rstrip()[-1:] == _BETWEEN_PAIRS or text[match.end() : match.end() + 1] == _BETWEEN_PAIRS
    if not is_of_pairs and not (_ALONE.fullmatch(match[group]) is not None and looks_secret(match[group])):
        return None
    return match.span(group)


def is_reference(words: str) -> bool:
    """Is what stands in the braces a name of a secret, for which a program puts the value?"""
    match = _REFERENCE.fullmatch(words)
    return match is not None and (match["name"] is None or reading(match["name"]).surety != "no")
