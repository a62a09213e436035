"""Whole environments: JSON arrays of ``NAME=value`` (nccl-tests ``-J`` writes one) and what ``env`` prints."""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal

from slowlink.patterns import regex
from slowlink.redact.environments.allowed import is_allowed, keeps
from slowlink.redact.environments.writings import WRITINGS, shown_by, written
from slowlink.redact.harmless import gives_nothing, looks_secret
from slowlink.redact.hidden import Hidden
from slowlink.redact.over_lines.leads import looks_like_lead, split_lead
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import REPLACED, replace_with

_ARRAY = regex(r"[\"'](?i:env|environ|environment|envp|env_vars)[\"']\s{0,20}:\s{0,20}\[")
_ARRAY_LATER = regex(r"[\"'](?i:env|environ|environment|envp|env_vars)[\"']\s{0,20}:\s*$")
_ARRAY_END = regex(r"\]\s*(?:[,}]|$)")
_STRING = regex(r"[^\"\\]*(?:\\.[^\"\\]*)*(?:\\\Z)?", re.DOTALL)
_TOKEN = regex(r"[\"\]{]")
_BEFORE = (
    r"(?:export |(?:declare|typeset) -x "
    r"|(?P<word>setenv |set (?:-{1,2}\w{1,8} ){1,3})|(?P<json>\{?\s{0,8}[\"'])(?=[A-Z_][A-Z\d_]{0,100}[\"']:))?"
)
_SIGN = r"(?P<sign>(?(json)[\"']:\s{0,4}|(?(word)[ =]|=)))"
_VARIABLE = regex(rf"\s{{0,8}}{_BEFORE}(?P<name>[A-Za-z_][\w%()]{{0,100}}){_SIGN}(?P<value>[^\n]*)")
_UNSET = regex(r"\s{0,8}(?:export|(?:declare|typeset) -x) [A-Za-z_]\w{0,100}\s*")
"""One that is exported without a value (bash lists ``OLDPWD`` so): it stands among the others."""
_POD = regex(r"[\w.]{1,40}-[\w.-]{1,64} {1,4}[\w.-]{1,64} {1,4}(?:[\d:T.Z+-]{19,40} )?|[a-z]{2,40}/[\w.-]{1,253} {1,4}")
"""What stern puts there: the pod and the container, without a sign behind them; or a pod as kubectl names it."""
_SETTING = regex(r"[a-z][\w.-]{0,60}=(?P<value>[^\s=]{0,60})")
_BEHIND_HOST = regex(r"[\w.-]{1,64}: ")
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
_BEFORE_NAME = regex(r"(?:export |(?:declare|typeset) -x |\{?\s{0,8}[\"'])$")
_LONGEST_LEAD = 300
_MOST_SIGNS = 4
_BEHIND = frozenset(" \t:]>|#+-)")
_IN_QUOTES = regex(r"(?P<open>[\"'])(?P<value>[^\n]*?)(?P<close>[\"']?,?\s*\}?,?)")
WAY = "dump"
TELLS = frozenset({"HOME", "SHELL", "LOGNAME", "SHLVL", "LS_COLORS", "OLDPWD", "PWD", "MAIL"}) | frozenset(
    {"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "XDG_SESSION_ID", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}
)
"""Variables that only a dump of a whole environment holds; from the first of them on it is taken for one."""
NAMES_TELLING = ask_for(map(str.lower, TELLS))
_TELL = regex(rf"(?<![\w$.%/]){_BEFORE}(?P<name>{'|'.join(sorted(TELLS))}){_SIGN}")

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


HIDDEN_VARIABLE = regex(r"(?:export )?[A-Za-z_]\w{0,100}=<redacted:environment>")
"""A variable of a dump, as it is put out."""


class EnvironmentDumps:
    """Keeps of the lines that ``env`` printed the variables on the allow-list, and the names of the others."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {WAY: self._variable}

    def line(self, text: str, words: int) -> tuple[str, Left]:
        """``text`` without the value of a variable that only a dump holds, and what is open after it. ``words``: what
        ``held`` says of it."""
        if not words & NAMES_TELLING:
            return text, NOTHING_LEFT
        at, writing = _shown(text)
        if at < 0:
            return text, NOTHING_LEFT
        left = Left(WAY, quote=writing, at=at, plain=not text[:at].strip())
        return text[:at] + self.hidden(text[at:], writing), left

    def _variable(self, text: str, left: Left) -> tuple[str, Left]:
        pattern = WRITINGS.get(left.quote, _VARIABLE)
        goes_on = pattern.match(text) is not None or (pattern is _VARIABLE and _UNSET.fullmatch(text) is not None)
        return (self.hidden(text, left.quote), left) if goes_on else (text, NOTHING_LEFT)

    def hidden(self, text: str, writing: str = "") -> str:
        """A line of a dump, without its lead, where it is written so."""
        if writing:
            return next((self._put(text, match) for found, match in written(text) if found == writing), text)
        match = _VARIABLE.match(text)
        if match is None:
            return text
        lead, value, tail = text[: match.start("value")], match["value"], text[match.end() :]
        quoted = _IN_QUOTES.fullmatch(value) if match["json"] else None
        if quoted is not None:
            lead, value, tail = lead + quoted["open"], quoted["value"], quoted["close"] + tail
        if keeps(match["name"], value) or not value.strip() or REPLACED.fullmatch(value.strip()):
            return text
        if match["name"].islower() and _are_switches(value):
            return text
        return lead + replace_with("environment", self._removed) + tail

    def _put(self, text: str, match: re.Match[str]) -> str:
        value = match["value"]
        if keeps(match["name"], value) or REPLACED.fullmatch(value):
            return text
        begin, end = match.span("value")
        return text[:begin] + replace_with("environment", self._removed) + text[end:]


def _shown(text: str) -> tuple[int, str]:
    """Where the first variable begins that only a dump holds, and how it is written; -1 where none does."""
    tell = _TELL.search(text)
    if tell is not None and (looks_like_lead(text, tell.start()) or _POD.fullmatch(text, 0, tell.start())):
        return tell.start(), ""
    return shown_by(text) or (-1, "")


def _are_switches(value: str) -> bool:
    """Is this the rest of a kernel's command line or the like, which jobs print beside ``PWD`` (``passthrough=on
    iommu=pt``)? A switch, and settings in small letters of which none is mixed as secrets are."""
    switch, *others = value.split() or ["/"]
    settings = [_SETTING.fullmatch(other) for other in others]
    return (
        switch[0] not in "/~"
        and gives_nothing(switch, "secret")
        and all(setting is not None and not looks_secret(setting["value"]) for setting in settings)
    )


def is_variable(text: str) -> bool:
    """May this line be one of an environment that is printed?"""
    words = split_lead(text)[1]
    if next(written(words), None) is not None or _UNSET.fullmatch(words):
        return True
    if "=" not in text and '":' not in text and "'" not in text and "set" not in text:
        return False
    host = _BEHIND_HOST.match(words)
    return (
        _VARIABLE.match(words) is not None
        or (host is not None and _VARIABLE.match(words, host.end()) is not None)
        or _is_behind_lead(text)
    )


def _is_behind_lead(text: str) -> bool:
    """Does a name in capitals stand behind what may be a lead? Words of programs stand before the same sign."""
    sign = -1
    for _ in range(_MOST_SIGNS):
        sign = text.find("=", sign + 1)
        if sign < 0:
            break
        if text[sign - 1] in _CAPITALS and _is_name_behind_lead(text[:sign]):
            return True
    sign = text.find('":')
    return sign > 0 and _is_name_behind_lead(text[:sign])


def _is_name_behind_lead(text: str) -> bool:
    before = text.rstrip(_CAPITALS)
    if len(before) == len(text) or text[len(before)].isdecimal():
        return False
    before = _BEFORE_NAME.sub("", before[-_LONGEST_LEAD:])
    if before[-1:] not in _BEHIND and before:
        return False
    return looks_like_lead(before, len(before)) or _POD.fullmatch(before) is not None
