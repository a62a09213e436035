"""Secrets as literals in an expression of a program: the default of a lookup, what a call takes.

::

    api_token = os.environ.get("API_TOKEN", "k3yOf...")        const pw = process.env.DB_PW || "k3yOf..."
    let token = env::var("T").unwrap_or("k3yOf...".to_string())    password: str = Field("k3yOf...", env="PW")
"""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import is_drawn, looks_secret
from slowlink.redact.names import reading
from slowlink.redact.replaced import REPLACED, Span, replaced

_WORD = r"(?:[A-Za-z_$]{1,40}|[a-z_]{1,20}\d{1,3}[a-z_]{0,20})"
"""Of a program; a password that goes on with a bracket is mixed otherwise."""
_HEAD = regex(rf"(?:\{{\{{-?\s{{0,4}})?(?:(?:new|await)\s)?{_WORD}(?:(?:\.|::|->|\?\.){_WORD}){{0,8}}!?")
_OPERATOR = regex(
    rf"\s{{0,4}}(?:(?:\.|::|->|\?\.){_WORD}|\|\||\?\?|\?|:(?=\s)|\+|\|(?=\s)|or(?=\s)|{_WORD}(?=\())\s{{0,4}}"
)
_LITERAL = regex(r"(?P<quote>[\"'])(?P<value>(?:(?!(?P=quote))[^\\\n]|\\.){0,400})(?P=quote)")
_OPENING, _CLOSING = "([{", ")]}"
_LONGEST = 600


def redact_literals(text: str, value: int, kind: str, weak: bool, removed: Counter[str]) -> tuple[int, str] | None:
    """Where the last literal ends of the expression that begins at ``value``, and what is put up to there: the call
    stays, and what it was made of goes. None where there is no such literal. Of a ``weak`` name only what is drawn by
    chance goes."""
    spans = _literals(text, value)
    put, at = "", value
    for begin, end in spans:
        literal = text[begin:end]
        put += text[at:begin] + (literal if weak and not is_drawn(literal) else replaced(literal, kind, removed))
        at = end
    return (at, put) if spans else None


def _literals(text: str, value: int) -> list[Span]:
    """Where literals that are no names stand in the expression that begins at ``value``, each mixed as a secret is, or
    replaced already; none where no expression begins."""
    head = _HEAD.match(text, value)
    if head is None:
        return []
    found: list[Span] = []
    at, depth, last = head.end(), 0, min(len(text), value + _LONGEST)
    after_operator = False
    while at < last:
        sign = text[at]
        if (depth or after_operator) and (literal := _LITERAL.match(text, at)) is not None:
            found.append(Span(*literal.span("value")))
            at, after_operator = literal.end(), False
        elif sign in _OPENING:
            depth, at, after_operator = depth + 1, at + 1, False
        elif sign in _CLOSING and depth:
            depth, at = depth - 1, at + 1
        elif depth:
            at += 1
        elif (operator := _OPERATOR.match(text, at)) is not None and operator.end() > at:
            at, after_operator = operator.end(), True
        else:
            break
    return [span for span in found if _is_secret(text[span.begin : span.end])]


def _is_secret(literal: str) -> bool:
    if REPLACED.fullmatch(literal) is not None:
        return True
    if " " in literal:
        return False  # what a prompt says
    return looks_secret(literal) and (reading(literal).surety == "no" or is_drawn(literal))
