"""Secrets that a program answers with, on a line of their own below the command that asked for them, or below a line
that says what follows.

Sources: ``kubeadm token``, ``argocd admin initial-password``, ``elasticsearch-reset-password``; RFC 7578; GRUB's
manual, security; cat(1).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import REPLACED, replaced


class _Answer(NamedTuple):
    """What one line announces."""

    mark: str
    """In small letters, in each line that opens it."""
    asked: re.Pattern[str]
    """The end of that line; where it names what it asks for in a group ``name``, this has to be a secret's name."""
    answer: re.Pattern[str]
    kind: str
    passes: int
    """So many other lines may stand between, and so many below where there may be several."""
    several: bool = False


_WORD = r"\s{0,20}(?P<value>[^\s\"'<>]{4,400}|<redacted:\w{1,20}>)\s*$"
_OPTIONS = r"(?:\s{1,4}(?!--print-join)[^\s|;&<>]{1,200}){0,12}\s*$"
_ANSWERS = {
    "bootstrap": _Answer(
        "kubeadm token ",
        regex(rf"(?<![\w-])kubeadm\s{{1,4}}token\s{{1,4}}(?:create|generate){_OPTIONS}"),
        regex(r"\s{0,20}(?P<value>[a-z\d]{6}\.[a-z\d]{16}|<redacted:token>)\s*$"),
        "token",
        passes=3,
    ),
    "initial": _Answer(
        "admin initial-password",
        regex(rf"(?<![\w-])argocd\s{{1,4}}admin\s{{1,4}}initial-password{_OPTIONS}"),
        regex(r"\s{0,20}(?P<value>(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}[A-Z\d])[\w-]{8,64}|<redacted:password>)\s*$"),
        "password",
        passes=2,
    ),
    "reset": _Answer(
        "successfully reset",
        regex(r"(?i:\bpassword for (?:the )?\[?[\w.@-]{1,60}\]?(?: user)? successfully reset)\.?\s*$"),
        regex(r"\s{0,20}New value:\s{1,4}(?P<value>\S{1,400})\s*$"),
        "password",
        passes=2,
    ),
    "printed": _Answer(
        "cat ",
        regex(r"(?<![\w.-])(?:cat|sudo cat)\s{1,4}[^\s|;&<>\"']{0,300}/(?P<name>[A-Za-z][\w.-]{2,60})\s*$"),
        regex(_WORD),
        "secret",
        passes=0,
    ),
    "superusers": _Answer(
        "superusers",
        regex(r"(?<![\w-])set\s{1,4}superusers\s{0,4}=\s{0,4}\S{1,200}\s*$"),
        regex(r"\s{0,40}password(?:_pbkdf2)?\s{1,4}(?!--)[^\s\"']{1,60}\s{1,4}(?P<value>\S{1,600})\s*$"),
        "password",
        passes=8,
        several=True,
    ),
}
_ASKS = ask_for((*(answer.mark for answer in _ANSWERS.values()), "form-data"))
_PART = regex(r"(?i:content-disposition:\s{0,4}form-data;)[^\n]{0,100}?\bname=\"?(?P<name>[\w.\[\]-]{1,100})\"?\s*$")
"""A part of a form that holds no file."""
_HEADER = regex(r"\s{0,20}[A-Za-z-]{1,40}: ")
_WHOSE_LINES = frozenset({"passwd"})
"""What ``cat /etc/passwd`` prints is no password."""


class Answers:
    """Reads the lines below, without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"form part": self._part, "form value": self._form_value}
        self.ways |= dict.fromkeys(_ANSWERS, self._answer)

    def opening(self, text: str, words: int) -> Left:
        """What a line opens. ``words``: what ``held`` says of it."""
        if not words & _ASKS:
            return NOTHING_LEFT
        low = text.lower()
        for way, answer in _ANSWERS.items():
            if answer.mark in low and (asked := answer.asked.search(text)) is not None:
                name = asked["name"] if "name" in answer.asked.groupindex else None
                if name is not None and (name in _WHOSE_LINES or not is_secret_name(name)):
                    continue
                kind = answer.kind if name is None else kind_of(name)
                return Left(way, kind, at=asked.start(), told=("",) * answer.passes)
        if "form-data" in low and (part := _PART.search(text)) is not None and is_secret_name(part["name"]):
            return Left("form part", kind_of(part["name"]), at=part.start())
        return NOTHING_LEFT

    def _answer(self, text: str, left: Left) -> tuple[str, Left]:
        """A line below: the answer, or one of the few others that may stand there."""
        answer = _ANSWERS[left.way]
        if not text.strip():
            return text, left
        goes_on = left._replace(told=left.told[1:]) if left.told else NOTHING_LEFT
        match = answer.answer.match(text)
        if match is None:
            return text, goes_on
        value, (begin, end) = match["value"], match.span("value")
        if answer.answer.pattern == _WORD and not (REPLACED.fullmatch(value) or looks_secret(value)):
            return text, NOTHING_LEFT
        put = replaced(value, left.kind, self._removed)
        return text[:begin] + put + text[end:], goes_on if answer.several else NOTHING_LEFT

    def _part(self, text: str, left: Left) -> tuple[str, Left]:
        """The other headers of a part, up to the empty line."""
        if not text.strip():
            return text, left._replace(way="form value")
        return text, left if _HEADER.match(text) is not None else NOTHING_LEFT

    def _form_value(self, text: str, left: Left) -> tuple[str, Left]:
        """The first line of what a part holds; another part begins with dashes."""
        value = text.strip()
        if not value or value.startswith("--"):
            return text, NOTHING_LEFT
        begin = text.find(value)
        return text[:begin] + replaced(value, left.kind, self._removed) + text[begin + len(value) :], NOTHING_LEFT
