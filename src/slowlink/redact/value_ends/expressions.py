"""Values in the source of a program that are none: a call, or a place where something is looked up."""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.names import reading

_NAME = r"[A-Za-z_]{1,40}"
_LOOKED_UP = r"[\"'](?P<{}>[A-Za-z_][\w.-]{{0,60}})[\"']"
_EXPRESSION = regex(
    rf"(?P<before>{_NAME}(?:\.{_NAME}){{0,6}})"
    rf"(?:\[{_LOOKED_UP.format('place')}\]|\((?:{_LOOKED_UP.format('first')}(?:,\s?(?:None|null|nil|\"\"|''))?)?\))"
    r"(?=[\s,;)\]}]|$)"
)
_CALLED = regex(r"[A-Za-z_]*[._][\w.]*|(?:get|read|load|fetch|ask|input|prompt|make|generate)[a-zA-Z]*")
"""How functions are called; a password may end in brackets, too."""
_BEFORE = regex(r"(?<!\w)(?:if|elif|while|unless)\s{1,4}(?:not\s{1,4})?\Z")
_LONGEST_BEFORE = 20
_STATEMENT = regex(r"(?:raise|return|continue|break|pass|yield|exit|die|sys)\b")


def end_of_expression(text: str, value: int) -> int:
    """Where the call or the lookup ends that begins at ``value`` (``get_token()``, ``os.environ["API_KEY"]``); -1 where
    none does. Its argument is the name of a secret, or it has none."""
    match = _EXPRESSION.match(text, value)
    if match is None:
        return -1
    name = match["place"] or match["first"]
    is_one = _CALLED.fullmatch(match["before"]) is not None if name is None else reading(name).surety != "no"
    return match.end() if is_one else -1


def is_condition(text: str, name: int, value: int) -> bool:
    """Is the name at ``name`` what a program asks for (``if not token: raise ...``)?"""
    if _STATEMENT.match(text, value) is None:
        return False
    return _BEFORE.search(text, max(0, name - _LONGEST_BEFORE), name) is not None
