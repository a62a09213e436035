"""A gate: what stands open for every line that a parser may want (one that is ``lone``: that it may take), and shut for
nearly all others.

Literals are the first test and cost next to nothing. Some formats have only weak ones (a row of numbers begins with a
0), and half of all lines would be shown to their parsers. A gate is the second test. Its expressions are derived from
the parser's own patterns and say less than they do: no look-around, no counts. So any engine takes them, one without
backtracking, too (``native/``). They are about ASCII: a line with other characters passes every gate.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any

from slowlink.parsers.forms.literals import Literals

codes: Any = import_module("re._constants" if sys.version_info >= (3, 11) else "sre_constants")
parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
Pattern = re.Pattern[str] | str
Gate = tuple[tuple[str, ...], ...]
"""Open where, of one of these groups, all expressions are found in a line."""

_EXACT_UP_TO = 4
"""Counts up to this one stay: of a dash or two, not of a hundred characters."""
_CLASSES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}
_EDGES = {
    codes.AT_BEGINNING: "^",
    codes.AT_BEGINNING_STRING: "^",
    codes.AT_END: "$",
    codes.AT_END_STRING: "$",
    codes.AT_BOUNDARY: r"\b",
    codes.AT_NON_BOUNDARY: r"\B",
}
_NO_ASCII = r"[^\x00-\x7f]"
_DIGITS = range(ord("0"), ord("9") + 1)


def at_start(*patterns: Pattern) -> str:
    """An expression that is found in each line at whose start one of them matches."""
    return "|".join(f"^(?:{weaker(each, goes_on=True)})" for each in patterns)


def as_whole(*patterns: Pattern) -> str:
    """An expression that is found in each line that one of them matches as a whole."""
    return "|".join(f"^(?:{weaker(each)})$" for each in patterns)


def anywhere(*patterns: Pattern) -> str:
    """An expression that is found in each line in which one of them matches anywhere."""
    return "|".join(f"(?:{weaker(each, goes_on=True)})" for each in patterns)


def any_of(texts: Iterable[str]) -> str:
    """A pattern of literal texts, in upper or lower case."""
    return f"(?i:{'|'.join(re.escape(text) for text in texts if text.isascii())})"


def of_literals(literals: Literals) -> str:
    """A pattern that is found in each text that holds one of them."""
    found = "|".join(_literal(text, literals.folds) for text in sorted(literals.texts) if text.isascii())
    return f"(?i:{found})" if literals.folds else f"(?:{found})"


def _literal(text: str, folds: bool) -> str:
    start = r"^\s*" if text.startswith("\n") else ""
    end = r"\s*$" if len(text) > 1 and text.endswith("\n") else ""
    bare = re.escape(text.strip("\n"))
    return start + (bare.replace("0", r"\d") if folds else bare) + end


def weaker(pattern: Pattern, *, goes_on: bool = False) -> str:
    """An expression that matches all ASCII that ``pattern`` matches, and more: without look-around and counts. With
    ``goes_on`` more may stand behind a match: what the end of the pattern looks ahead to is a part of it then."""
    text, flags = (pattern, 0) if isinstance(pattern, str) else (pattern.pattern, pattern.flags)
    parsed = parser.parse(text, flags)
    return _sequence(parsed, (flags | parsed.state.flags) & re.IGNORECASE, goes_on)


def _sequence(parts: Any, flags: int, last: bool = False) -> str:
    """``last``: nothing of the pattern stands behind it."""
    found = [_part(code, value, flags) for code, value in parts[:-1]]
    return "".join(found) + "".join([_part(code, value, flags, last) for code, value in parts[-1:]])


def _part(code: Any, value: Any, flags: int, last: bool = False) -> str:
    if code in (codes.LITERAL, codes.NOT_LITERAL):
        return _set([(code, value)] if code is codes.LITERAL else [(codes.NEGATE, None), (codes.LITERAL, value)], flags)
    if code is codes.IN:
        return _set(value, flags)
    if code is codes.ANY:
        return "."
    if code is codes.BRANCH:
        return f"(?:{'|'.join(_sequence(each, flags, last) for each in value[1])})"
    if code is codes.SUBPATTERN:
        _, added, removed, inner = value
        return f"(?:{_sequence(inner, (flags | added) & ~removed, last)})"
    if code is codes.AT:
        return _EDGES[value]
    if code is codes.ASSERT and last and value[0] > 0:
        return f"(?:{_sequence(value[1], flags, last)})"
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return ""
    if "REPEAT" in str(code):
        return _repeated(value, flags)
    if "ATOMIC" in str(code):
        return f"(?:{_sequence(value, flags)})"
    return r"(?:.|\n)*"  # what a group held before


def _repeated(value: Any, flags: int) -> str:
    least, most, inner = value
    text = f"(?:{_sequence(inner, flags)})"
    if (least, most) == (1, 1):
        return text
    if (least, most) == (0, 1):
        return f"{text}?"
    if most <= _EXACT_UP_TO:
        return f"{text}{{{least},{most}}}"
    return text + ("*" if not least else "+" if least == 1 else f"{{{min(least, _EXACT_UP_TO)},}}")


def _set(items: Any, flags: int) -> str:
    """One character: ``items`` as the parser of patterns gives them."""
    negated = bool(items) and items[0][0] is codes.NEGATE
    found: list[str] = []
    for code, value in items[negated:]:
        if code is codes.CATEGORY:
            found.append(_CLASSES[value])
            continue
        first, last = value if code is codes.RANGE else (value, value)
        if first < 128:
            found.extend(_range(first, min(last, 127), flags))
    if negated:
        return f"[^{''.join(found)}]" if found else r"(?:.|\n)"
    return f"[{''.join(found)}]" if found else _NO_ASCII


def _range(first: int, last: int, flags: int) -> list[str]:
    found = [f"\\x{first:02x}-\\x{last:02x}" if first < last else f"\\x{first:02x}"]
    if flags & re.IGNORECASE:
        other = {chr(code).swapcase() for code in range(first, last + 1) if chr(code).isalpha()}
        found += [f"\\x{ord(each):02x}" for each in sorted(other)]
    return found


@lru_cache(1 << 12)
def is_blind(pattern: str) -> bool:
    """Is ``pattern`` found in a text just where it is found in the text with other digits in place of its own?"""
    return _all_blind(parser.parse(pattern))


def _all_blind(parts: Any) -> bool:
    return all(_is_blind(code, value) for code, value in parts)


def _is_blind(code: Any, value: Any) -> bool:
    if code in (codes.LITERAL, codes.NOT_LITERAL):
        return value not in _DIGITS
    if code is codes.IN:
        return _set_is_blind(value)
    if code is codes.BRANCH:
        return all(_all_blind(each) for each in value[1])
    if code in (codes.ANY, codes.AT):
        return True
    if code is codes.SUBPATTERN:
        return _all_blind(value[3])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return _all_blind(value[1])
    if "REPEAT" in str(code):
        return _all_blind(value[2])
    if "ATOMIC" in str(code):
        return _all_blind(value)
    return False  # what a group held before


def _set_is_blind(items: Any) -> bool:
    """All digits or none."""
    if any(code is codes.CATEGORY and value in (codes.CATEGORY_DIGIT, codes.CATEGORY_WORD) for code, value in items):
        return True
    held: set[int] = set()
    for code, value in items:
        if code is codes.LITERAL:
            held.add(value)
        elif code is codes.RANGE:
            held.update(range(value[0], min(value[1], _DIGITS.stop) + 1))
    return len(held.intersection(_DIGITS)) in (0, len(_DIGITS)) or any(
        code is codes.CATEGORY and value in (codes.CATEGORY_NOT_SPACE,) for code, value in items
    )
