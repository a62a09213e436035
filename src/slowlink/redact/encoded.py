"""Secrets that were written as Base64."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Callable

from slowlink.patterns import regex
from slowlink.redact.replaced import replace_with
from slowlink.redact.runs import RUN, RUN_CHARS, runs

_RUN = regex(r"[A-Za-z\d+/_-]{20,}={0,2}")
_PARTS = regex(r"[/_-]")
_WHOLE = regex(r"[A-Za-z\d+/_-]{4,400}={0,2}")
_BASIC = regex(r"(?i:\bbasic)\s{1,4}(?P<value>[A-Za-z\d+/_-]{6,8000}={0,2})")
_FIRST = 24
_MOST_BEGINNINGS = 6


def redact_encoded(
    text: str, goes_on: bool, removed: Counter[str], holds_secret: Callable[[str], bool]
) -> tuple[str, bool]:
    """One line without Base64 that ``holds_secret`` once it is decoded, and whether the next line may go on with it."""
    bare = text.strip()
    if goes_on and _WHOLE.fullmatch(bare) is not None:
        return text.replace(bare, replace_with("base64", removed), 1), not bare.endswith("=")
    if "basic" in text.lower():
        text = _BASIC.sub(lambda match: _basic(match[0], match["value"], removed), text)
    if RUN not in runs(text):
        return text, False
    out: list[str] = []
    at = 0
    ended = False
    for run in _RUN.finditer(text):
        begin = _beginning(run[0], holds_secret)
        if begin is not None:
            out += [text[at : run.start() + begin], replace_with("base64", removed)]
            at = run.end()
            ended = at == len(text.rstrip()) and not run[0].endswith("=")
    if not out:
        return text, False
    return "".join((*out, text[at:])), ended


def _basic(whole: str, value: str, removed: Counter[str]) -> str:
    decoded = _decoded(value)
    if decoded is None or ":" not in decoded:
        return whole
    return whole[: -len(value)] + replace_with("authorization", removed)


def _beginning(run: str, holds_secret: Callable[[str], bool]) -> int | None:
    """From where on ``run`` is Base64 of a secret: its start, or what follows a part of a path."""
    begins = [0, *(part.end() for part in _PARTS.finditer(run))][:_MOST_BEGINNINGS]
    for begin in begins:
        if len(run) - begin < RUN_CHARS:
            return None
        first = _decoded(run[begin : begin + _FIRST])
        if first is None:
            continue
        decoded = _decoded(run[begin:])
        if decoded is not None and holds_secret(decoded):
            return begin
    return None


def _decoded(text: str) -> str | None:
    """The text that ``text`` stands for; None when it is not Base64 of readable text."""
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    bare = bare[:-1] if len(bare) % 4 == 1 else bare
    try:
        decoded = base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    return decoded if all(mark.isprintable() or mark in "\r\n\t\x1b" for mark in decoded) else None
