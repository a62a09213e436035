"""Secrets in Kubernetes objects: ``name``/``value`` pairs of containers, and the data of a Secret."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import gives_nothing
from slowlink.redact.names import SECRET_NAME, is_secret_name, kind_of
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import REPLACED, replace_with
from slowlink.redact.value_ends.phrases import end_of_phrase, end_of_scalar

_NAME = regex(
    r"(?<![\w.])[\"']?(?:(?:name|key|(?:[A-Z][a-z]{1,20}){0,2}(?:Name|Key))[\"']?\s{0,4}:\s{0,4}[\"']?(?:[\w.-]{0,100}/){0,12}(?P<name>[\w.-]{1,100})"
    r"|[tT]ype[\"']?\s{0,4}:\s{0,4}[\"']?(?P<secret>SecureString))[\"']?"
)
"""The last part of a path is what its value is; the parameters of AWS say themselves that they are secret."""
_VALUE = regex(
    r"(?<![\w.])[\"']?(?:value|(?:[A-Z][a-z]{1,20}){0,2}Value)[\"']?\s{0,4}:\s{0,4}(?P<value>\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|(?:[^\s,}]|[,}](?=[\w!$%&()*+./:;<=>?@^|~-])(?![\w.-]{1,60}:))+)"
)
_BRACES = regex(r"[{}]")
_BESIDE = regex(r"\s{0,80}[\"']?[\w.-]{1,60}[\"']?\s{0,4}:\s{0,4}[^\s{}\[\]][^{}]*$")
"""Something else that is said of the same thing, on a line of its own: a type, a version."""
_NAMING = regex(r"(?:ame|ey)[\"']?\s{0,4}:|SecureString")
"""Without it there is no pair on a line."""
_SECURE = ask_for(("securestring",))
_ASKS = ask_for(("ame", "ey", "securestring", "ata"))
_DATA = regex(r"(?:^|(?<=[\s:\]>|#+-]))[\"']?(?P<key>data|stringData)[\"']?\s{0,4}:\s{0,4}\{?\s*$")
_ENTRY = regex(r"(?P<lead>\s{1,80}[\"']?[\w.-]{1,253}[\"']?\s{0,4}:\s{0,4})(?P<value>[^\n]*)")
_KIND = regex(r"[\"']kind\\{0,7}[\"']\s{0,4}:\s{0,4}\\{0,7}[\"']Secret(?:List)?\\{0,7}[\"']")
_DATA_ON_LINE = regex(r"[\"'](?P<key>data|stringData)\\{0,7}[\"']\s{0,4}:\s{0,4}\{")
_ENTRY_ON_LINE = regex(
    r"[\s,]{0,4}\\{0,7}[\"'][\w.-]{1,253}\\{0,7}[\"']\s{0,4}:\s{0,4}(?P<quote>\\{0,7}[\"'])(?P<value>(?:(?!(?<!\\)(?P=quote)).)*)(?P=quote)?"
)
"""A whole object on one line: ``kubectl -o json | jq -c``, and what ``kubectl apply`` keeps of it in an annotation."""
_FLOW = regex(r"(?:^|(?<=[\s,{]))(?:data|(?P<plain>[\"']?stringData[\"']?))\s{0,4}:\s{0,4}\{")
"""A mapping of YAML on one line; of JSON on one line only a name that no other object has."""
_ENTRY_OF_FLOW = regex(
    r"[\s,]{0,8}(?:\"[\w.-]{1,253}\"|'[\w.-]{1,253}'|[\w.-]{1,253})\s{0,4}:\s{0,4}"
    r"(?:\"(?P<double>[^\"\n]{0,8000})\"(?=[\s,}])|'(?P<single>[^'\n]{0,8000})'(?=[\s,}])|(?P<bare>[^\s,{}][^,{}]*))"
)
"""A quote in a word, which no other closes, is a sign of it."""
_END_OF_FLOW = regex(r"[^{}]{0,8000}\}")
_BASE64 = regex(r"[A-Za-z\d+/]{6,}={0,2}")


class KubernetesSecrets:
    """Reads YAML and JSON as ``kubectl`` prints them, one line at a time, without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.pair_ways: dict[str, GoesOn] = {"pair": self._value}
        self.data_ways: dict[str, GoesOn] = {"data": self._data}

    def line(self, text: str, words: int) -> tuple[str, tuple[Left, ...]]:
        """``text`` without the values of pairs on it, and what it opens: the value of its last name, or data.
        ``words``: what ``held`` says of it."""
        if not words & _ASKS:
            return text, ()
        lefts: list[Left] = []
        if words & (SECRET_NAME | _SECURE) and _NAMING.search(text) is not None:
            text, pair = self._pairs(text)
            lefts.append(pair)
        if "ata" in text and _KIND.search(text) is not None:
            text = self._on_one_line(text)
        if "ata" in text and _FLOW.search(text) is not None:
            text = self._flow(text)
        if "ata" in text and (data := _DATA.search(text)) is not None:
            is_plain = data["key"] == "stringData"
            lefts.append(Left("data", at=data.start("key"), weak=not is_plain, plain=not text[: data.start()].strip()))
        return text, tuple(lefts)

    def _on_one_line(self, text: str) -> str:
        """All data of the Secrets in a document on one line; a ConfigMap's beside them where it looks like theirs."""
        out: list[str] = []
        at = 0
        while (data := _DATA_ON_LINE.search(text, at)) is not None:
            out.append(text[at : data.end()])
            at = data.end()
            while (entry := _ENTRY_ON_LINE.match(text, at)) is not None:
                begin, end = entry.span("value")
                value = entry["value"]
                known = not value or REPLACED.fullmatch(value) is not None
                if not known and (data["key"] == "stringData" or _is_base64(value)):
                    value = replace_with("secret", self._removed)
                out += [text[at:begin], value, text[end : entry.end()]]
                at = entry.end()
        return "".join((*out, text[at:]))

    def _flow(self, text: str) -> str:
        """The data of Secrets that are written as mappings of one line."""
        out: list[str] = []
        at = copied = 0
        while (data := _FLOW.search(text, at)) is not None:
            at = data.end()
            entries: list[tuple[int, int]] = []
            while (entry := _ENTRY_OF_FLOW.match(text, at)) is not None:
                begin, end = entry.span(entry.lastgroup or "bare")
                entries.append((begin, begin + len(text[begin:end].rstrip()) if entry["bare"] else end))
                at = entry.end()
            for begin, end in entries if _END_OF_FLOW.match(text, at) is not None else ():
                value = text[begin:end]
                known = not value or REPLACED.fullmatch(value) is not None
                if not known and (data["plain"] is not None or _is_base64(value)):
                    out += [text[copied:begin], replace_with("secret", self._removed)]
                    copied = end
        return "".join((*out, text[copied:]))

    def _pairs(self, text: str) -> tuple[str, Left]:
        """Values of secret names replaced, and the last name when it has none on this line."""
        out: list[str] = []
        at = 0
        while (name := _NAME.search(text, at)) is not None:
            following = _NAME.search(text, name.end())
            end = len(text) if following is None else following.start()
            value = _value_beside(text, (at, end), name.span()) if _is_secret(name) else None
            if value is not None:
                begin, end = _place(text, value)
                out += [text[at:begin], self._replaced(text[begin:end], _kind(name))]
                at = end
            elif following is None and _is_secret(name):
                return "".join((*out, text[at:])), Left("pair", _kind(name), at=sum(map(len, out)) + name.start() - at)
            if at < name.end():
                out.append(text[at : name.end()])
                at = name.end()
        return "".join((*out, text[at:])), NOTHING_LEFT

    def _value(self, text: str, left: Left) -> tuple[str, Left]:
        """A line after a name: its value may be there, or what stands between them."""
        name = _NAME.search(text)
        value = _VALUE.search(text, 0, len(text) if name is None else name.start())
        if value is None:
            goes_on = name is None and _BESIDE.match(text) is not None
            return text, left if goes_on and len(text) - len(text.lstrip()) >= left.indent else NOTHING_LEFT
        begin, end = _place(text, value)
        return text[:begin] + self._replaced(text[begin:end], left.kind) + text[end:], NOTHING_LEFT

    def _data(self, text: str, left: Left) -> tuple[str, Left]:
        """A line below ``data:``."""
        if not text.strip():
            return text, left
        if len(text) - len(text.lstrip()) <= left.indent:
            return text, NOTHING_LEFT
        return self._entry(text, any_value=not left.weak), left

    def _replaced(self, value: str, kind: str) -> str:
        quote = value[0] if value[:1] in "\"'" else ""
        bare = value[1:].removesuffix(quote) if quote else value
        if REPLACED.fullmatch(bare) or gives_nothing(bare, kind):
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


def _is_secret(name: re.Match[str]) -> bool:
    return name["secret"] is not None or is_secret_name(name["name"])


def _kind(name: re.Match[str]) -> str:
    return "secret" if name["secret"] is not None else kind_of(name["name"])


def _value_beside(text: str, bounds: tuple[int, int], name: tuple[int, int]) -> re.Match[str] | None:
    """The value behind a name, or else the one before it, in the same mapping."""
    value = _VALUE.search(text, name[1], bounds[1])
    if value is not None and "}" not in text[name[1] : value.start()]:
        return value
    before = list(_VALUE.finditer(text, bounds[0], name[0]))
    return before[-1] if before and _BRACES.search(text, before[-1].end(), name[0]) is None else None


def _place(text: str, value: re.Match[str]) -> tuple[int, int]:
    """Where a value stands: a bare one goes on over blanks where its line or its mapping is all that ends it."""
    begin, end = value.span("value")
    if value["value"][0] in "\"'":
        return begin, end
    if not text[: value.start()].strip(" \t-"):
        return begin, end_of_scalar(text, end)
    return begin, end_of_phrase(text, value.start(), begin, end)


def _is_base64(value: str) -> bool:
    """Whole groups of four, and not plainly a word or a number."""
    if len(value) % 4 or _BASE64.fullmatch(value) is None:
        return False
    return value.endswith("=") or not (value.isdecimal() or value.islower() or value.isupper())
