"""Plain values (dict, list, str, int, bool) as YAML: only what we write, always the same text for one value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

Value = str | int | bool | None | Mapping[str, "Value"] | Sequence["Value"]

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9/_.-]*")
_WORDS_WITH_MEANING = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
"""YAML 1.1 reads these as something else than text."""


def to_yaml(documents: Sequence[Mapping[str, Value]]) -> str:
    """Documents, separated by ``---``; keys stay in the order given."""
    return "---\n".join("\n".join(_mapping(document, 0)) + "\n" for document in documents)


def _mapping(value: Mapping[str, Value], depth: int) -> Iterator[str]:
    for key, item in value.items():
        yield from _item(f"{'  ' * depth}{_text(key)}:", item, depth)


def _item(head: str, item: Value, depth: int) -> Iterator[str]:
    if isinstance(item, Mapping) and item:
        yield head
        yield from _mapping(item, depth + 1)
    elif isinstance(item, Sequence) and not isinstance(item, str) and item:
        yield head
        for each in item:
            yield from _element(each, depth)
    elif isinstance(item, str) and _is_block(item):
        yield f"{head} |"
        yield from (f"{'  ' * (depth + 1)}{line}".rstrip(" ") for line in item.splitlines())
    else:
        yield f"{head} {_scalar(item)}"


def _element(value: Value, depth: int) -> Iterator[str]:
    """One element of a list: the dash takes the place of the first line's indentation."""
    dash = f"{'  ' * depth}- "
    if isinstance(value, Mapping) and value:
        lines = list(_mapping(value, depth + 1))
        yield dash + lines[0].lstrip(" ")
        yield from lines[1:]
    else:
        yield dash + _scalar(value)


def _is_block(text: str) -> bool:
    """Scripts are shown as they are: lines that start at the margin, end once, and hold no control character."""
    body = text.removesuffix("\n")
    return (
        text.endswith("\n")
        and "\n" in body
        and body == body.strip()
        and all(line.rstrip() == line and line.isprintable() for line in body.split("\n"))
    )


def _scalar(value: Value) -> str:
    if isinstance(value, str):
        return _text(value)
    # JSON's numbers, words, empty lists and empty objects are YAML's.
    return json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS_WITH_MEANING:
        return text
    return f'"{"".join(_escaped(character) for character in text)}"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    # JSON writes characters beyond 16 bits as two halves, which YAML does not put together.
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
