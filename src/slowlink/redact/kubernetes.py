"""Secrets in Kubernetes objects: ``name``/``value`` pairs of containers, and the data of a Secret."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name
from slowlink.redact.replaced import REPLACED, replace_with

_NAME = regex(r"(?<![\w.])[\"']?(?:name|key|Name|Key)[\"']?\s{0,4}:\s{0,4}[\"']?(?P<name>[\w.-]{1,100})[\"']?")
_VALUE = regex(r"(?<![\w.])[\"']?[vV]alue[\"']?\s{0,4}:\s{0,4}(?P<value>\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|[^\s,}]+)")
_NAMING = regex(r"(?:ame|ey)[\"']?\s{0,4}:")
"""Without it there is no pair on a line."""
_DATA = regex(r"(?P<indent>\s{0,40})[\"']?(?P<key>data|stringData)[\"']?\s{0,4}:\s{0,4}\{?\s*")
_ENTRY = regex(r"(?P<lead>\s{1,80}[\"']?[\w.-]{1,253}[\"']?\s{0,4}:\s{0,4})(?P<value>[^\n]*)")
_BASE64 = regex(r"[A-Za-z\d+/]{6,}={0,2}")


class KubernetesState(NamedTuple):
    """What the lines so far have opened."""

    expects_value: bool = False
    """The name of a secret was the last word; its value is to come."""
    data_indent: int | None = None
    """How deep the ``data:`` stands whose entries are read; None when none is open."""
    any_value: bool = False
    """Are these entries plain text, and not only Base64?"""


class KubernetesSecrets:
    """Reads YAML and JSON as ``kubectl`` prints them, one line at a time."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed

    def line(self, text: str, state: KubernetesState) -> tuple[str, KubernetesState]:
        """``text`` without the values of secrets, and what is open after it."""
        expects_value = state.expects_value
        if expects_value or _NAMING.search(text) is not None:
            text, expects_value = self._pair(text, expects_value)
        data = _DATA.fullmatch(text)
        if data is not None:
            return text, KubernetesState(expects_value, len(data["indent"]), data["key"] == "stringData")
        indent = state.data_indent
        if indent is None or not text.strip():
            return text, state._replace(expects_value=expects_value)
        if len(text) - len(text.lstrip()) <= indent:
            return text, KubernetesState(expects_value)
        return self._entry(text, any_value=state.any_value), state._replace(expects_value=expects_value)

    def _pair(self, text: str, expected: bool) -> tuple[str, bool]:
        """Values of secret names replaced, and whether the value of the last name is still to come."""
        out: list[str] = []
        at = 0
        while True:
            name = _NAME.search(text, at)
            end = len(text) if name is None else name.start()
            value = _VALUE.search(text, at, end) if expected else None
            if value is not None:
                out.append(text[at : value.start("value")] + self._replaced(value["value"]))
                at = value.end("value")
            if name is None or name.start() < at:
                break
            out.append(text[at : name.end()])
            at = name.end()
            expected = is_secret_name(name["name"])
        # A name without a value on this line has it on the next.
        return "".join((*out, text[at:])), expected and value is None and at > 0

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


def _is_base64(value: str) -> bool:
    """Whole groups of four, and not plainly a word or a number."""
    if len(value) % 4 or _BASE64.fullmatch(value) is None:
        return False
    return value.endswith("=") or not (value.isdigit() or value.islower() or value.isupper())
