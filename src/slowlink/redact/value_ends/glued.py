"""Values to which something else is glued: the end of the line or the string that holds them, or another pair."""

from __future__ import annotations

from slowlink.redact.harmless import gives_nothing, looks_secret
from slowlink.redact.replaced import REPLACED
from slowlink.redact.value_ends.quotes import bare_before

_ESCAPED_END = r"\\{1,7}[nr\"']|\\{0,7}&(?:quot|apos|lt|gt|#3[49]);"
"""The end of a line or a string that stands in another string: it ends a value that is a number or a switch."""
_NEXT_PAIR = r"[;&|](?:[\w.-]{2,60}=(?:[\w.+-]|<redacted:)|[A-Za-z_]{3,60}:(?:[\s\w\"']|<redacted:))"
"""Behind the value of a weak name: ``pass=12;fail=0``."""
_NEXT_VARIABLE = bare_before(r",[A-Z][A-Z\d]{0,40}_[A-Z\d_]{1,80}=")
_NEXT_PARAMETER = bare_before(r"&[A-Za-z_][\w.-]{0,60}=")
_LISTS = {",": _NEXT_VARIABLE, "=": _NEXT_VARIABLE, "?": _NEXT_PARAMETER, "&": _NEXT_PARAMETER}
"""What ends a value, by what stands before its name: of ``--export=ALL,A_B=x,C_D=y``, of the query of an address."""
_BEFORE_END, _BEFORE_PAIR = bare_before(_ESCAPED_END), bare_before(_NEXT_PAIR)
_BEFORE_EITHER = bare_before(_ESCAPED_END, _NEXT_PAIR)


def harmless_end(text: str, place: tuple[int, int], kind: str, *, weak: bool) -> int:
    """Where the beginning of a word ends that gives nothing away, before something that is glued to it; -1 where there
    is no such. The word behind that is not read: each pair of a long line would read all others."""
    first = (_BEFORE_EITHER if weak else _BEFORE_END).match(text, *place)
    if first is None:
        return -1
    if first.lastindex == 1:
        if gives_nothing(first[0], kind):
            return first.end()
        first = _BEFORE_PAIR.match(text, *place) if weak else None
    return first.end() if first is not None and _is_harmless(first[0], kind) else -1


def end_in_list(text: str, name: int, place: tuple[int, int]) -> int:
    """Where a bare word ends before the next pair of the list in which its name stands; -1 where no such follows. The
    word behind that is not read: each pair of a long list would read all others."""
    before = _LISTS.get(text[name - 1 : name])
    match = before.match(text, *place) if before is not None else None
    return -1 if match is None else match.end()


def _is_harmless(value: str, kind: str) -> bool:
    return REPLACED.fullmatch(value) is not None or gives_nothing(value, kind) or not looks_secret(value)
