"""Whole environments: JSON arrays of ``NAME=value`` (nccl-tests ``-J`` writes one) and what ``env`` prints."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.environment import is_allowed
from slowlink.redact.replaced import REPLACED, replace_with

_ARRAY = regex(r"[\"'](?i:env|environ|environment|envp|env_vars)[\"']\s{0,20}:\s{0,20}\[")
_ARRAY_LATER = regex(r"[\"'](?i:env|environ|environment|envp|env_vars)[\"']\s{0,20}:\s*$")
_ARRAY_END = regex(r"\]\s*(?:[,}]|$)")
_STRING = regex(r"(?:[^\"\\]|\\.)*", re.DOTALL)
_TOKEN = regex(r"[\"\]{]")
_VARIABLE = regex(
    r"(?P<lead>\s{0,8}(?:\[\d{1,6},\d{1,6}\]<\w{1,10}>: ?|[\w.-]{1,64}: )?(?:export |declare -x )?)"
    r"(?P<name>[A-Za-z_][\w%()]{0,100})=(?P<value>[^\n]*)"
)
_TELLS = frozenset({"HOME", "SHELL", "LOGNAME", "SHLVL", "LS_COLORS", "OLDPWD", "PWD", "MAIL"}) | frozenset(
    {"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "XDG_SESSION_ID"}
)
"""Variables that only a dump of a whole environment holds; from the first of them on it is taken for one."""


class EnvironmentArrays:
    """Keeps of an ``"env": ["NAME=value", ...]`` the variables on the allow-list."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self._state = "outside"
        """``outside``, ``announced`` (the bracket is still to come), ``first`` (of the array), ``array``, ``kept`` or
        ``dropped`` (inside a string that the line's end broke)."""

    @property
    def open(self) -> bool:
        """Is an array open?"""
        return self._state != "outside"

    def line(self, text: str) -> str:
        """``text`` without the strings that are not on the list."""
        out: list[str] = []
        at = 0
        while at < len(text):
            step = self._outside if self._state in ("outside", "announced") else self._inside
            at = step(text, at, out)
        return "".join(out)

    def _outside(self, text: str, at: int, out: list[str]) -> int:
        if self._state == "announced":
            bare = text[at:].strip()
            self._state = "first" if bare.startswith("[") else "announced" if not bare else "outside"
            end = text.index("[", at) + 1 if bare.startswith("[") else at if bare else len(text)
            out.append(text[at:end])
            return end
        match = _ARRAY.search(text, at)
        if match is None:
            if _ARRAY_LATER.search(text, at):
                self._state = "announced"
            out.append(text[at:])
            return len(text)
        self._state = "first"
        out.append(text[at : match.end()])
        return match.end()

    def _inside(self, text: str, at: int, out: list[str]) -> int:
        if self._state in ("kept", "dropped"):
            return self._rest_of_string(text, at, out)
        token = _TOKEN.search(text, at)
        if token is None:
            out.append(text[at:])
            return len(text)
        out.append(text[at : token.start()])
        if token[0] == '"':
            return self._string(text, token.end(), out)
        out.append(token[0])
        if (token[0] == "{" and self._state == "first") or (token[0] == "]" and _ARRAY_END.match(text, token.start())):
            self._state = "outside"
        return token.end()

    def _string(self, text: str, begin: int, out: list[str]) -> int:
        match = _STRING.match(text, begin)
        end = match.end() if match else len(text)
        content = text[begin:end]
        name, equals, _ = content.partition("=")
        keep = bool(equals and is_allowed(name)) or REPLACED.fullmatch(content) is not None
        if end == len(text):
            self._state = "kept" if keep else "dropped"
            out.append('"' + (content if keep else replace_with("environment", self._removed)))
            return end
        self._state = "array"
        out.append(f'"{content}"' if keep else f'"{replace_with("environment", self._removed)}"')
        return end + 1

    def _rest_of_string(self, text: str, at: int, out: list[str]) -> int:
        match = _STRING.match(text, at)
        end = match.end() if match else len(text)
        if self._state == "kept":
            out.append(text[at:end])
        if end < len(text):
            self._state = "array"
            out.append('"')
        return end + 1


class EnvironmentDumps:
    """Keeps of the lines that ``env`` printed the variables on the allow-list, and the names of the others."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.open = False

    def line(self, text: str) -> str:
        """``text`` with the value replaced, where it is one of such a dump."""
        match = _VARIABLE.match(text)
        self.open = match is not None and (self.open or match["name"] in _TELLS)
        if match is None or not self.open or is_allowed(match["name"]):
            return text
        if not match["value"].strip() or REPLACED.fullmatch(match["value"].strip()):
            return text
        return f"{match['lead']}{match['name']}={replace_with('environment', self._removed)}{text[match.end() :]}"
