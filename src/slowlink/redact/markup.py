"""Secrets in XML: elements, and pairs of a name and a value as elements or attributes."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.names import SECRET_NAME, is_secret_name, kind_of
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.replaced import replaced

_BEGINS = regex(r"<(?!redacted:[a-z-]{1,30}>)[A-Za-z]")
"""An element; what stands in the place of a value has no attributes."""
_ELEMENT = regex(
    r"<(?!redacted:)(?P<name>[A-Za-z][\w:.-]{0,100})(?P<attributes>(?:\s[^<>]{0,400})?)>(?P<begin>\s{0,20}(?:<!\[CDATA\[)?)(?P<value>[^<\]]{0,8000})"
)
_NAMING = regex(r"\s(?:[nN]ame|[kK]ey|id|property|field|type)\s{0,4}=\s{0,4}[\"'](?P<name>[\w:.-]{1,100})[\"']")
_VALUE = regex(r"\s(?:value|Value|text|content)\s{0,4}=\s{0,4}(?:\"(?P<one>[^\"]{1,8000})|'(?P<two>[^']{1,8000}))")
_NAME_ELEMENT = regex(r"<(?:name|key|Name|Key)>\s{0,20}(?P<name>[\w:.-]{1,100})\s{0,20}</(?:name|key|Name|Key)>")
_VALUE_ELEMENT = regex(r"<(?P<tag>value|string|Value)(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?(?P<value>[^<\]]{1,8000})")
_OPEN_VALUE = regex(r"<(?:value|string|Value)(?:\s[^<>]{0,200})?>\s{0,20}(?:<!\[CDATA\[\s{0,20})?$")
"""A value that stands on the lines after."""
_TAG = regex(r"<[A-Za-z](?:[^<>\"']{1,400}(?=[\"'>])|\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'){0,24}>|<[A-Za-z][^<>]{0,800}>")
_CELLS = regex(
    r"<(?:td|th|dt)(?:\s[^<>]{0,200})?>\s{0,20}(?:<\w{1,8}>)?(?P<name>[A-Za-z][\w .-]{1,100}?):?(?:</\w{1,8}>){1,2}"
    r"\s{0,20}<(?:td|dd)(?:\s[^<>]{0,200})?>\s{0,20}(?:<\w{1,8}>)?(?P<value>(?:[^<\s]|<(?![/A-Za-z])){5,400})\s{0,20}</"
)
"""A name and its value in cells of HTML, side by side."""
_LINE = regex(r"\s{0,60}(?P<value>[^\s<](?:[^<]|<(?!/)){0,8000})")
_LONGEST_TEXT = 8000


class Markup:
    """Replaces the values of secret elements and attributes."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"markup value": self._value, "markup text": self._text}

    def _text(self, text: str, left: Left) -> tuple[str, Left]:
        """The line after ``<password>``: its text, or an element that holds it."""
        match = _LINE.match(text)
        if match is None:
            return self._value(text, left) if _VALUE_ELEMENT.match(text.lstrip()) is not None else (text, NOTHING_LEFT)
        value = match["value"].rstrip()
        begin = match.start("value")
        end = begin + len(value)
        if left.told and len(value.split()) > 1:
            return text, NOTHING_LEFT
        is_open = not text[end:].strip() and not left.told  # a name, and below it the password
        goes_on = Left("markup text", told=("second",)) if is_open else NOTHING_LEFT
        return text[:begin] + replaced(value, "secret", self._removed) + text[end:], goes_on

    def _value(self, text: str, _: Left) -> tuple[str, Left]:
        """The line after the name of a pair."""
        name = _NAME_ELEMENT.search(text)
        value = _VALUE_ELEMENT.search(text, 0, len(text) if name is None else name.start())
        if name is None and _OPEN_VALUE.search(text) is not None:
            return text, Left("markup text")
        return (
            text if value is None else self._put(text, _text_of(text, value.span("value"), value["tag"]))
        ), NOTHING_LEFT

    def _put(self, text: str, place: tuple[int, int]) -> str:
        begin, end = place
        return text[:begin] + replaced(text[begin:end], "secret", self._removed) + text[end:]

    def line(self, text: str, words: int) -> tuple[str, Left]:
        """One line with the values of secret elements and attributes replaced, and what the next line has. ``words``:
        what ``held`` says of it."""
        if "<" not in text or not words & SECRET_NAME or _BEGINS.search(text) is None:
            return text, NOTHING_LEFT
        text = _CELLS.sub(lambda cells: _cells(cells, self._removed), text)
        text = _TAG.sub(lambda tag: _attributes(tag[0], self._removed), text)
        out: list[str] = []
        at = 0
        while (element := _ELEMENT.search(text, at)) is not None:
            begin, end = _text_of(text, element.span("value"), element["name"])
            naming = _NAMING.search(element["attributes"])
            name = element["name"].rpartition(":")[2]
            if is_secret_name(name) or (naming is not None and is_secret_name(naming["name"])):
                inner = _VALUE_ELEMENT.match(text, end) if not text[begin:end].strip() else None
                begin, end = _text_of(text, inner.span("value"), inner["tag"]) if inner is not None else (begin, end)
                out += [text[at:begin], replaced(text[begin:end], "secret", self._removed)]
                at = end
                if end == len(text) and not text[begin:end].strip():
                    return "".join(out), Left("markup text", at=sum(map(len, out[:-1])) - begin + element.start())
            else:
                out.append(text[at : element.end("attributes")])
                at = element.end("attributes")
        out.append(text[at:])
        return _pairs("".join(out), self._removed)


def _text_of(text: str, place: tuple[int, int], tag: str) -> tuple[int, int]:
    """Where the text of an element stands: up to its own end, also where signs of markup are in it as they are."""
    begin, end = place
    closes = text.find(f"</{tag}", end, end + _LONGEST_TEXT)
    if closes < 0 or not text[begin:end].strip():
        return place
    return begin, closes - 3 if text.endswith("]]>", begin, closes) else closes


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


def _cells(cells: re.Match[str], removed: Counter[str]) -> str:
    """Two cells, the value replaced where it is mixed as secrets are: headings stand side by side, too."""
    if not is_secret_name(cells["name"]):
        return cells[0]
    begin, end = (place - cells.start() for place in cells.span("value"))
    put = replaced(cells["value"], kind_of(cells["name"]), removed, weak=True)
    return cells[0][:begin] + put + cells[0][end:]


def _pairs(text: str, removed: Counter[str]) -> tuple[str, Left]:
    """``<name>...</name><value>...</value>``; the value may be on the next line."""
    out: list[str] = []
    at = begins = 0
    expected = False
    while True:
        name = _NAME_ELEMENT.search(text, at)
        value = _VALUE_ELEMENT.search(text, at, len(text) if name is None else name.start()) if expected else None
        if value is not None and value["value"].strip():
            begin, end = _text_of(text, value.span("value"), value["tag"])
            out += [text[at:begin], replaced(text[begin:end], "secret", removed)]
            at, expected = end, False
        if name is None:
            way = "markup text" if expected and _OPEN_VALUE.search(text, at) is not None else "markup value"
            return "".join((*out, text[at:])), Left(way, at=begins) if expected else NOTHING_LEFT
        begins = sum(map(len, out)) + name.start() - at
        out.append(text[at : name.end()])
        at, expected = name.end(), is_secret_name(name["name"])
