"""Secrets that were written as Base64."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Callable

from slowlink.patterns import regex
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import replace_with
from slowlink.redact.runs import RUN, RUN_CHARS, runs

_RUN = regex(r"[A-Za-z\d+/_-]{20,}={0,2}")
_PARTS = regex(r"[/_-]")
_WHOLE = regex(r"[A-Za-z\d+/_-]{4,400}={0,2}")
_BASIC = regex(r"(?i:\bbasic)\s{1,4}(?P<value>[A-Za-z\d+/_-]{6,8000}={0,2})")
_NAME = regex(r"[\"']?(?<![\w.-])[\w.-]{1,100}[\"']?\s{0,4}[:=]\s{0,4}[\"']?$")
_SAYS_BASIC = ask_for(("basic",))
_LONGEST_NAME = 120
_FIRST = 24
_MOST_BEGINNINGS = 6


class EncodedTexts:
    """Takes out Base64 that ``holds_secret`` once it is decoded."""

    def __init__(self, removed: Counter[str], holds_secret: Callable[[str], bool]) -> None:
        self._removed = removed
        self._holds_secret = holds_secret
        self.ways: dict[str, GoesOn] = {"base64": self._goes_on}

    def _goes_on(self, text: str, left: Left) -> tuple[str, Left]:
        """A line without its lead that may go on with what the line before ended in."""
        bare = text.strip()
        if _WHOLE.fullmatch(bare) is None:
            return text, NOTHING_LEFT
        ended = NOTHING_LEFT if bare.endswith("=") else left
        return text.replace(bare, replace_with("base64", self._removed), 1), ended

    def line(self, text: str, words: int) -> tuple[str, Left]:
        """One line, and what the next may go on with. ``words``: what ``held`` says of it."""
        if words & _SAYS_BASIC:
            text = _BASIC.sub(lambda match: _basic(match[0], match["value"], self._removed), text)
        if len(text) < RUN_CHARS or RUN not in runs(text):
            return text, NOTHING_LEFT
        out: list[str] = []
        at = 0
        left = NOTHING_LEFT
        for run in _RUN.finditer(text):
            begin = _beginning(run[0], self._holds_secret)
            if begin is not None:
                out += [text[at : run.start() + begin], replace_with("base64", self._removed)]
                at = run.end()
                if at == len(text.rstrip()) and not run[0].endswith("="):
                    left = Left("base64", at=_name_before(text, run.start()))
        return ("".join((*out, text[at:])), left) if out else (text, left)


def _name_before(text: str, at: int) -> int:
    """Where the name begins whose value begins at ``at``; there, where it has none."""
    first = max(0, at - _LONGEST_NAME)
    name = _NAME.search(text[first:at])
    return first + name.start() if name is not None else at


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
    return decoded if all(mark.isprintable() or mark in "\r\n\t\x1b\0" for mark in decoded) else None
