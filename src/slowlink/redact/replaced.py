"""What stands where something was taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.harmless import gives_nothing, looks_secret

REPLACED = regex(r"<redacted:[a-z-]{1,30}>[,;:.)\]}>\\]{0,8}")
"""A value that was replaced already, with what punctuation may follow it."""
_DONE = regex(r"<redacted:[a-z-]{1,30}>(?:[,;:.)\]}>\\\"'`]|$)")
_MARK = regex(r"<redacted:[a-z-]{1,30}>")
_LONGEST_MARK = 41


class Span(NamedTuple):
    """Where something stands in a text."""

    begin: int
    end: int


def replace_with(kind: str, removed: Counter[str]) -> str:
    """The text to put there; counts it."""
    removed[kind] += 1
    return f"<redacted:{kind}>"


def replaced(value: str, kind: str, removed: Counter[str], *, weak: bool = False) -> str:
    """What stands for ``value``: itself, when it gives nothing away or is replaced already."""
    if REPLACED.fullmatch(value) or gives_nothing(value, kind) or (weak and not looks_secret(value)):
        return value
    ending = value[len(value.rstrip("\r\n")) :]
    return replace_with(kind, removed) + ending


def replace_spans(text: str, spans: Iterable[Span], removed: Counter[str]) -> str:
    """``text`` with the passwords that stand there replaced, where they give something away. Where two overlap, all of
    both is."""
    out: list[str] = []
    at = 0
    for begin, end in _joined(text, spans):
        out += [text[at:begin], replace_with("password", removed)]
        at = end
    return "".join((*out, text[at:]))


def without_marks(text: str, begin: int, end: int) -> Span | None:
    """The part of ``text[begin:end]`` that cuts no mark of what was taken out before; None where there is none."""
    if (mark := _around(text, begin)) is not None:
        begin = mark.end
    if (mark := _around(text, end)) is not None:
        end = mark.begin
    return Span(begin, end) if begin < end and _DONE.match(text, begin, end) is None else None


def _joined(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans that give something away, of which none overlap."""
    joined: list[Span] = []
    for found in sorted(set(spans)):
        span = without_marks(text, *found)
        if span is None or gives_nothing(text[span.begin : span.end], "password"):
            continue
        if joined and span.begin < joined[-1].end:
            joined[-1] = Span(joined[-1].begin, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return joined


def _around(text: str, at: int) -> Span | None:
    """The mark within which a place is."""
    begin = text.rfind("<", max(0, at - _LONGEST_MARK), at)
    mark = _MARK.match(text, begin) if begin >= 0 else None
    return Span(*mark.span()) if mark is not None and mark.end() > at else None
