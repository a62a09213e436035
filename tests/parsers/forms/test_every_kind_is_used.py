"""Every kind of message or observation has its use, or says on purpose that it has none.

A line counts as *used* where something is concluded from it. A kind that only a parser spells is read for nothing.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import slowlink
from slowlink.catalog.vocabulary import programs, vocabulary
from slowlink.parsers import unit_names
from slowlink.parsers.forms.message_table import EventPattern, MessageParser
from slowlink.parsers.forms.observation_table import Fact, ObservationParser

PRODUCERS = {"parsers", "simulate"}
"""Packages that write kinds and conclude nothing from them."""


def _entries() -> list[EventPattern | Fact]:
    units = [getattr(import_module(name), "PARSER", None) for name in unit_names()]
    tables = [unit for unit in units if isinstance(unit, type)]
    messages = [entry for unit in tables if issubclass(unit, MessageParser) for entry in unit.messages]
    facts = [entry for unit in tables if issubclass(unit, ObservationParser) for entry in unit.facts]
    return [*messages, *facts]


def _spelled() -> frozenset[str]:
    """Every string in quotation marks outside the producers: names are kebab-case in Python and TOML alike."""
    root = Path(slowlink.__file__).parent
    texts = [
        path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.suffix in (".py", ".toml")
        and path.relative_to(root).parts[0] not in PRODUCERS
        and path.parent.name != "vocabulary"
    ]
    names = frozenset(name for text in texts for name in re.findall(r"[\"']([a-z0-9]+(?:-[a-z0-9]+)*)[\"']", text))
    return names | {meaning.kind for name in programs() for meaning in vocabulary(name).meanings if meaning.cause}


ENTRIES = _entries()
KINDS = sorted({entry.kind for entry in ENTRIES})
SPELLED = _spelled()


def _has_no_use(entry: EventPattern | Fact) -> bool:
    return entry.harmless if isinstance(entry, EventPattern) else entry.informative


def _what_to_do(kind: str) -> str:
    if kind in SPELLED:
        return f"{kind} is used: take harmless=True (of a fact: informative=True) away"
    return f"name the kind {kind} in a rule, or set harmless=True (of a fact: informative=True) with the reason"


def test_the_tables_are_found() -> None:
    assert len(KINDS) > 140


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_used_or_declared_to_have_no_use(kind: str) -> None:
    declared = {_has_no_use(entry) for entry in ENTRIES if entry.kind == kind}
    assert len(declared) == 1, "its entries disagree"
    assert declared == {kind not in SPELLED}, _what_to_do(kind)
