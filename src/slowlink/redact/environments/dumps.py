"""Whole environments: JSON arrays of ``NAME=value`` (nccl-tests ``-J`` writes one) and what ``env`` prints."""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal

from slowlink.patterns import regex
from slowlink.redact.environments.allowed import is_allowed
from slowlink.redact.hidden import Hidden
from slowlink.redact.replaced import REPLACED, replace_with

_ARRAY = regex(r"[\"'](?i:env|environ|environment|envp|env_vars)[\"']\s{0,20}:\s{0,20}\[")
_ARRAY_LATER = regex(r"[\"'](?i:env|environ|environment|envp|env_vars)[\"']\s{0,20}:\s*$")
_ARRAY_END = regex(r"\]\s*(?:[,}]|$)")
_STRING = regex(r"(?:[^\"\\]|\\.)*(?:\\\Z)?", re.DOTALL)
_TOKEN = regex(r"[\"\]{]")
_STAMP = (
    r"(?:\d{4}-\d\d-\d\d[T ][\d:.,]{5,30}(?:Z|[+-]\d\d:?\d\d)?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
    r" (?:(?:stdout|stderr) [FP] |\S{1,253} [\w./-]{1,64}(?:\[\d{1,9}\])?: )?"
)
"""What kubectl, containerd, syslog and journald put before a line."""
_VARIABLE = regex(
    rf"(?P<lead>\s{{0,8}}(?:{_STAMP})?"
    r"(?:\[\d{1,6},\d{1,6}\]<\w{1,10}>: ?|[\w.-]{1,64}: )?"
    r"(?:export |(?:declare|typeset) -x "
    r"|(?P<word>setenv |set (?:-{1,2}\w{1,8} ){1,3})|(?P<json>\{?\s{0,8}[\"'])(?=[A-Z_][A-Z\d_]{0,100}[\"']:))?)"
    r"(?P<name>[A-Za-z_][\w%()]{0,100})(?P<sign>(?(json)[\"']:\s{0,4}|(?(word)[ =]|=)))(?P<value>[^\n]*)"
)
_IN_QUOTES = regex(r"(?P<open>[\"'])(?P<value>[^\n]*?)(?P<close>[\"']?,?\s*\}?,?)")
TELLS = frozenset({"HOME", "SHELL", "LOGNAME", "SHLVL", "LS_COLORS", "OLDPWD", "PWD", "MAIL"}) | frozenset(
    {"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "XDG_SESSION_ID", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}
)
"""Variables that only a dump of a whole environment holds; from the first of them on it is taken for one."""


ArrayState = Literal["outside", "announced", "first", "array", "kept"]
"""``announced``: the bracket is still to come; ``first``: nothing of the array was seen; ``kept``: inside a string on
the list, which the line's end broke."""


class EnvironmentArrays:
    """Keeps of an ``"env": ["NAME=value", ...]`` the variables on the allow-list."""

    def __init__(self, hidden: Hidden, removed: Counter[str]) -> None:
        self._hidden = hidden
        self._removed = removed

    def rest(self, text: str) -> str:
        """What a string that was dropped leaves of ``text``, the next line: all after the quote that closes it."""
        if not self._hidden.string:
            return text
        end = _end_of_string(text, 0)
        self._hidden.string = end == len(text)
        rest = text[end + 1 :]
        return rest if rest.strip() else ""

    def line(self, text: str, state: ArrayState) -> tuple[str, ArrayState]:
        """``text`` without the strings that are not on the list, and what is open after it."""
        if state == "outside" and "env" not in text.lower():
            return text, state
        out: list[str] = []
        at = 0
        while at < len(text):
            step = self._outside if state in ("outside", "announced") else self._inside
            at, state = step(text, at, state, out)
        return "".join(out), state

    def _outside(self, text: str, at: int, state: ArrayState, out: list[str]) -> tuple[int, ArrayState]:
        if state == "announced":
            bare = text[at:].strip()
            end = text.index("[", at) + 1 if bare.startswith("[") else at if bare else len(text)
            out.append(text[at:end])
            return end, "first" if bare.startswith("[") else "outside" if bare else "announced"
        match = _ARRAY.search(text, at)
        end = len(text) if match is None else match.end()
        out.append(text[at:end])
        if match is not None:
            return end, "first"
        return end, "announced" if _ARRAY_LATER.search(text, at) else "outside"

    def _inside(self, text: str, at: int, state: ArrayState, out: list[str]) -> tuple[int, ArrayState]:
        if state == "kept":
            end = _end_of_string(text, at)
            out.append(text[at : end + 1])
            return end + 1, "array" if end < len(text) else "kept"
        token = _TOKEN.search(text, at)
        if token is None:
            out.append(text[at:])
            return len(text), state
        out.append(text[at : token.start()])
        if token[0] == '"':
            return self._string(text, token.end(), out)
        out.append(token[0])
        ends = (token[0] == "{" and state == "first") or (token[0] == "]" and _ARRAY_END.match(text, token.start()))
        return token.end(), "outside" if ends else state

    def _string(self, text: str, begin: int, out: list[str]) -> tuple[int, ArrayState]:
        end = _end_of_string(text, begin)
        content = text[begin:end]
        name, equals, _ = content.partition("=")
        if (equals and is_allowed(name)) or REPLACED.fullmatch(content):
            out.append(text[begin - 1 : end + 1])
            return end + 1, "array" if end < len(text) else "kept"
        # A string that the line's end broke is closed here, and the rest of it is dropped when it comes.
        out.append(f'"{replace_with("environment", self._removed)}"')
        self._hidden.string = end == len(text)
        return end + 1, "array"


def _end_of_string(text: str, begin: int) -> int:
    """Where the quote stands that closes a string; the length of ``text`` when it holds none."""
    match = _STRING.match(text, begin)
    return match.end() if match else len(text)


class EnvironmentDumps:
    """Keeps of the lines that ``env`` printed the variables on the allow-list, and the names of the others."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed

    def line(self, text: str, inside: bool) -> tuple[str, bool]:
        """``text`` with the value replaced, where it is one of such a dump, and whether a dump is open after it."""
        match = _VARIABLE.match(text)
        if match is None or not (inside or match["name"] in TELLS):
            return text, False
        lead, value, tail = text[: match.start("value")], match["value"], text[match.end() :]
        quoted = _IN_QUOTES.fullmatch(value) if match["json"] else None
        if quoted is not None:
            lead, value, tail = lead + quoted["open"], quoted["value"], quoted["close"] + tail
        if is_allowed(match["name"]) or not value.strip() or REPLACED.fullmatch(value.strip()):
            return text, True
        return lead + replace_with("environment", self._removed) + tail, True


def is_variable(text: str) -> bool:
    """May this line be one of an environment that is printed?"""
    return _VARIABLE.match(text) is not None
