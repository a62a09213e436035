"""Secrets in Kubernetes objects: ``name``/``value`` pairs of containers, and the data of a Secret."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name
from slowlink.redact.replaced import REPLACED, replace_with

_NAME = regex(r"(?<![\w.])[\"']?name[\"']?\s{0,4}:\s{0,4}[\"']?(?P<name>[\w.-]{1,100})[\"']?")
_VALUE = regex(r"(?<![\w.])[\"']?value[\"']?\s{0,4}:\s{0,4}(?P<value>\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|[^\s,}]+)")
_DATA = regex(r"(?P<indent>\s{0,40})[\"']?(?P<key>data|stringData)[\"']?\s{0,4}:\s{0,4}\{?\s*")
_ENTRY = regex(r"(?P<lead>\s{1,80}[\"']?[\w.-]{1,253}[\"']?\s{0,4}:\s{0,4})(?P<value>[^\n]*)")
_BASE64 = regex(r"[A-Za-z\d+/]{6,}={0,2}")


class KubernetesSecrets:
    """Reads YAML and JSON as ``kubectl`` prints them, one line at a time."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self._expects_value = False
        self._data_indent: int | None = None
        self._any_value = False

    @property
    def open(self) -> bool:
        """Does the next line depend on this one?"""
        return self._expects_value or self._data_indent is not None

    def line(self, text: str) -> str:
        """``text`` without the values of secrets."""
        text = self._pair(text)
        data = _DATA.fullmatch(text)
        if data is not None:
            self._data_indent, self._any_value = len(data["indent"]), data["key"] == "stringData"
            return text
        return text if self._data_indent is None else self._entry(text, self._data_indent)

    def _pair(self, text: str) -> str:
        out: list[str] = []
        at = 0
        expected, self._expects_value = self._expects_value, False
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
        self._expects_value = expected and value is None and at > 0
        return "".join((*out, text[at:]))

    def _replaced(self, value: str) -> str:
        quote = value[0] if value[:1] in "\"'" else ""
        bare = value[1:].removesuffix(quote) if quote else value
        if REPLACED.fullmatch(bare) or not bare:
            return value
        return quote + replace_with("secret", self._removed) + quote

    def _entry(self, text: str, indent: int) -> str:
        if not text.strip():
            return text
        if len(text) - len(text.lstrip()) <= indent:
            self._data_indent = None
            return text
        entry = _ENTRY.match(text)
        value = (entry["value"] if entry is not None else text).strip().rstrip(",").strip("\"'")
        if value in ("|", "|-", ">", ">-", "") or REPLACED.fullmatch(value):
            return text
        if not (self._any_value or _is_base64(value)):
            return text
        return (
            text.replace(value, replace_with("secret", self._removed), 1)
            if entry is None
            else (
                entry["lead"]
                + entry["value"].replace(value, replace_with("secret", self._removed), 1)
                + text[entry.end() :]
            )
        )


def _is_base64(value: str) -> bool:
    """Whole groups of four, and not plainly a word or a number."""
    if len(value) % 4 or _BASE64.fullmatch(value) is None:
        return False
    return value.endswith("=") or not (value.isdigit() or value.islower() or value.isupper())
