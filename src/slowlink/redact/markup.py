"""Secrets in XML: elements, and pairs of a name and a value as elements or attributes."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name
from slowlink.redact.values import replaced

MarkupState = Literal["", "value", "text"]
"""What the next line has: a ``value`` element, or the text of an element."""
_ELEMENT = regex(
    r"<(?!redacted:)(?P<name>[A-Za-z][\w:.-]{0,100})(?P<attributes>(?:\s[^<>]{0,400})?)>(?P<begin>\s{0,20}(?:<!\[CDATA\[)?)(?P<value>[^<\]]{0,8000})"
)
_NAMING = regex(r"\s(?:name|key|id|property|field)\s{0,4}=\s{0,4}[\"'](?P<name>[\w:.-]{1,100})[\"']")
_VALUE = regex(r"\s(?:value|Value|text|content)\s{0,4}=\s{0,4}(?:\"(?P<one>[^\"]{1,8000})|'(?P<two>[^']{1,8000}))")
_NAME_ELEMENT = regex(r"<(?:name|key|Name|Key)>\s{0,20}(?P<name>[\w:.-]{1,100})\s{0,20}</(?:name|key|Name|Key)>")
_VALUE_ELEMENT = regex(r"<(?P<tag>value|string|Value)(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?(?P<value>[^<\]]{1,8000})")
_TAG = regex(r"<[A-Za-z][^<>]{0,800}>")
_LINE = regex(r"\s{0,60}(?P<value>[^\s<][^<]{0,8000})")


def redact_markup(text: str, state: MarkupState, removed: Counter[str]) -> tuple[str, MarkupState]:
    """One line with the values of secret elements and attributes replaced, and what the next line has."""
    if "<" not in text and not state:
        return text, ""
    if state == "text" and (match := _LINE.match(text)) is not None:
        value = match["value"].rstrip()
        begin = match.start("value")
        text = text[:begin] + replaced(value, "secret", removed) + text[begin + len(value) :]
    text = _TAG.sub(lambda tag: _attributes(tag[0], removed), text)
    out: list[str] = []
    at = 0
    while (element := _ELEMENT.search(text, at)) is not None:
        begin, end = element.span("value")
        naming = _NAMING.search(element["attributes"])
        name = element["name"].rpartition(":")[2]
        if is_secret_name(name) or (naming is not None and is_secret_name(naming["name"])):
            out += [text[at:begin], replaced(text[begin:end], "secret", removed)]
            at = end
            if end == len(text) and not text[begin:end].strip():
                return "".join(out), "text"
        else:
            out.append(text[at : element.end("attributes")])
            at = element.end("attributes")
    out.append(text[at:])
    return _pairs("".join(out), state == "value", removed)


def _attributes(tag: str, removed: Counter[str]) -> str:
    """A tag with ``name="..." value="..."`` of a secret."""
    naming = _NAMING.search(tag)
    if naming is None or not is_secret_name(naming["name"]):
        return tag
    value = _VALUE.search(tag)
    if value is None:
        return tag
    begin, end = value.span("one" if value["one"] is not None else "two")
    return tag[:begin] + replaced(tag[begin:end], "secret", removed) + tag[end:]


def _pairs(text: str, expected: bool, removed: Counter[str]) -> tuple[str, MarkupState]:
    """``<name>...</name><value>...</value>``, also when the value is on the next line."""
    out: list[str] = []
    at = 0
    while True:
        name = _NAME_ELEMENT.search(text, at)
        value = _VALUE_ELEMENT.search(text, at, len(text) if name is None else name.start()) if expected else None
        if value is not None:
            begin, end = value.span("value")
            out += [text[at:begin], replaced(text[begin:end], "secret", removed)]
            at, expected = end, False
        if name is None:
            return "".join((*out, text[at:])), "value" if expected and at > 0 else ""
        out.append(text[at : name.end()])
        at, expected = name.end(), is_secret_name(name["name"])
