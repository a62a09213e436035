"""Secrets in Kubernetes objects: ``name``/``value`` pairs of containers, and the data of a Secret."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.replaced import REPLACED, replace_with

_NAME = regex(r"(?<![\w.])[\"']?(?:name|key|Name|Key)[\"']?\s{0,4}:\s{0,4}[\"']?(?P<name>[\w.-]{1,100})[\"']?")
_VALUE = regex(r"(?<![\w.])[\"']?[vV]alue[\"']?\s{0,4}:\s{0,4}(?P<value>\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|[^\s,}]+)")
_BRACES = regex(r"[{}]")
_NAMING = regex(r"(?:ame|ey)[\"']?\s{0,4}:")
"""Without it there is no pair on a line."""
_DATA = regex(r"(?:^|(?<=[\s:\]>|#+-]))[\"']?(?P<key>data|stringData)[\"']?\s{0,4}:\s{0,4}\{?\s*$")
_ENTRY = regex(r"(?P<lead>\s{1,80}[\"']?[\w.-]{1,253}[\"']?\s{0,4}:\s{0,4})(?P<value>[^\n]*)")
_BASE64 = regex(r"[A-Za-z\d+/]{6,}={0,2}")


class KubernetesSecrets:
    """Reads YAML and JSON as ``kubectl`` prints them, one line at a time, without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.pair_ways: dict[str, GoesOn] = {"pair": self._value}
        self.data_ways: dict[str, GoesOn] = {"data": self._data}

    def line(self, text: str) -> tuple[str, tuple[Left, ...]]:
        """``text`` without the values of pairs on it, and what it opens: the value of its last name, or data."""
        lefts: list[Left] = []
        if _NAMING.search(text) is not None:
            text, at = self._pairs(text)
            lefts += [Left("pair", at=at)] if at >= 0 else []
        if "ata" in text and (data := _DATA.search(text)) is not None:
            is_plain = data["key"] == "stringData"
            lefts.append(Left("data", at=data.start("key"), weak=not is_plain, plain=not text[: data.start()].strip()))
        return text, tuple(lefts)

    def _pairs(self, text: str) -> tuple[str, int]:
        """Values of secret names replaced; where the last name begins that has none on this line, or -1."""
        out: list[str] = []
        at = 0
        while (name := _NAME.search(text, at)) is not None:
            following = _NAME.search(text, name.end())
            end = len(text) if following is None else following.start()
            value = _value_beside(text, (at, end), name.span()) if is_secret_name(name["name"]) else None
            if value is not None:
                out += [text[at : value.start("value")], self._replaced(value["value"])]
                at = value.end("value")
            elif following is None and is_secret_name(name["name"]):
                return "".join((*out, text[at:])), sum(map(len, out)) + name.start() - at
            if at < name.end():
                out.append(text[at : name.end()])
                at = name.end()
        return "".join((*out, text[at:])), -1

    def _value(self, text: str, _: Left) -> tuple[str, Left]:
        """The line after a name: its value may be there."""
        name = _NAME.search(text)
        value = _VALUE.search(text, 0, len(text) if name is None else name.start())
        if value is None:
            return text, NOTHING_LEFT
        begin, end = value.span("value")
        return text[:begin] + self._replaced(value["value"]) + text[end:], NOTHING_LEFT

    def _data(self, text: str, left: Left) -> tuple[str, Left]:
        """A line below ``data:``."""
        if not text.strip():
            return text, left
        if len(text) - len(text.lstrip()) <= left.indent:
            return text, NOTHING_LEFT
        return self._entry(text, any_value=not left.weak), left

    def _replaced(self, value: str) -> str:
        quote = value[0] if value[:1] in "\"'" else ""
        bare = value[1:].removesuffix(quote) if quote else value
        if REPLACED.fullmatch(bare) or not bare:
            return value
        return quote + replace_with("secret", self._removed) + quote

    def _entry(self, text: str, *, any_value: bool) -> str:
        entry = _ENTRY.match(text)
        begin, end = entry.span("value") if entry is not None else (0, len(text))
        value = text[begin:end].strip().rstrip(",").strip("\"'")
        if value in ("|", "|-", ">", ">-", "") or REPLACED.fullmatch(value):
            return text
        if not (any_value or _is_base64(value)):
            return text
        begin = text.index(value, begin)
        return text[:begin] + replace_with("secret", self._removed) + text[begin + len(value) :]


def _value_beside(text: str, bounds: tuple[int, int], name: tuple[int, int]) -> re.Match[str] | None:
    """The value behind a name, or else the one before it, in the same mapping."""
    value = _VALUE.search(text, name[1], bounds[1])
    if value is not None and "}" not in text[name[1] : value.start()]:
        return value
    before = list(_VALUE.finditer(text, bounds[0], name[0]))
    return before[-1] if before and _BRACES.search(text, before[-1].end(), name[0]) is None else None


def _is_base64(value: str) -> bool:
    """Whole groups of four, and not plainly a word or a number."""
    if len(value) % 4 or _BASE64.fullmatch(value) is None:
        return False
    return value.endswith("=") or not (value.isdecimal() or value.islower() or value.isupper())
