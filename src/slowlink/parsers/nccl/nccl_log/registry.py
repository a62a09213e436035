"""Finds the message families of this package and the message that a text belongs to."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache

from slowlink.catalog.vocabulary import Meaning, Message, joined
from slowlink.parsers.nccl.nccl_log.message import Keep, NcclMessage, head_of

VOCABULARIES = ("nccl", "ofi-nccl", "rccl", "sharp-plugins")
"""Programs that print warnings in NCCL's log: the library itself, and its plugins."""

_PACKAGE = __name__.rpartition(".")[0]
_HEAD = 7
"""Characters that the fold looks at to skip harmless messages without a pattern."""


def _modules(package: str) -> Iterator[str]:
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__, package + "."):
        yield found.name
        if found.ispkg:
            yield from _modules(found.name)


@cache
def messages() -> tuple[NcclMessage, ...]:
    """Every message of every family, in the order in which they are compared with a line."""
    found: list[NcclMessage] = []
    for name in _modules(_PACKAGE):
        found.extend(getattr(importlib.import_module(name), "MESSAGES", ()))
    # The catalogue and what has values go before the broad patterns of what says nothing.
    found.sort(key=lambda message: (not message.id, message.quiet))
    return tuple(found)


@cache
def _numbers() -> dict[int, int]:
    return {id(message): number for number, message in enumerate(messages())}


def number_of(message: NcclMessage) -> int:
    """Its place among all messages."""
    return _numbers()[id(message)]


@cache
def _by_head() -> dict[str, tuple[NcclMessage, ...]]:
    heads: dict[str, dict[int, NcclMessage]] = {}
    for message in messages():
        for each in message.samples:
            heads.setdefault(head_of(each.text), {})[id(message)] = message
    return {head: tuple(found.values()) for head, found in heads.items()}


@cache
@cache
def warnings() -> tuple[NcclMessage, ...]:
    """The catalogue: messages with an id."""
    return tuple(message for message in messages() if message.id)


@cache
def quiet_heads() -> dict[str, str | None]:
    """First characters that only harmless messages begin with, and their subsystem."""
    heads: dict[str, list[NcclMessage]] = {}
    for message in messages():
        for each in message.samples:
            heads.setdefault(each.text[:_HEAD], []).append(message)
    return {
        head: found[0].subsystem
        for head, found in heads.items()
        if len(head) == _HEAD and not any(c.isdecimal() for c in head) and all(m.keep is Keep.NOTHING for m in found)
    }


def find(level: str, body: str) -> tuple[NcclMessage, re.Match[str]] | None:
    """The message that ``body`` is, with its match. A warning may begin with a function's name, so it is compared
    with the whole catalogue; one that looks like a message of no interest is a warning all the same."""
    for message in _by_head().get(head_of(body), ()):
        match = message.match(body)
        if match is not None and not (level == "WARN" and message.quiet and "WARN" not in message.levels):
            return message, match
    if level == "WARN":
        for message in warnings():
            match = message.match(body)
            if match is not None:
                return message, match
    return None


def found_before(number: int, body: str) -> tuple[NcclMessage, re.Match[str]] | None:
    """The message of this number, which ``body`` was found to be, with its match."""
    message = messages()[number]
    match = message.match(body)
    return (message, match) if match is not None else None


def meaning_of(level: str, body: str) -> tuple[Meaning, dict[str, str]] | None:
    """What the vocabularies say about a warning that no family here knows, with its values."""
    return joined(VOCABULARIES).find(Message(body)) if level == "WARN" else None
