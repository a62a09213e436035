"""Which ranks the analyser of flight recorders names, and which of them are the odd ones."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from slowlink.model.job import JobEvent
from slowlink.patterns import regex

_CULPRIT = regex(
    r"(?:Culprit|Error) rank (?P<rank>\d{1,7})[;,] (?:Error type: )?(?P<error>[A-Z_]{4,40})"
    r"(?:, (?P<detail>(?:(?!, (?:Culprit|Error) rank ).){1,400}))?"
)
_TWO = regex(
    r"Expected [a-z ]{1,40}: '(?P<usual>[^']{1,160})' does not match found [a-z ]{1,40}: '(?P<odd>[^']{1,160})'"
)
_NUMBER = regex(r"\d{1,7}")
_STATES = ("scheduled", "started", "completed")


class Culprits(Struct, frozen=True):
    """Ranks that differ in one way from the rank that the analyser took as its measure."""

    error: str
    """``COLLECTIVE_TYPE_MISMATCH``, ``SIZE_OR_SYNTAX_MISMATCH``, ``COLLECTIVE_DTYPE_MISMATCH``,
    ``COLLECTIVE_STATE_MISMATCH``."""
    odd: tuple[int, ...]
    usual: tuple[int, ...]
    """The others; empty where the ranks of the group are not listed."""
    odd_called: str
    usual_called: str


def numbers(text: str) -> tuple[int, ...]:
    """Ranks of a printed set, in its order."""
    return tuple(dict.fromkeys(map(int, _NUMBER.findall(text))))


def culprits(event: JobEvent) -> tuple[Culprits, ...]:
    """One for each way in which ranks differ. Where most ranks are called culprits, the rank that they were compared
    with is the odd one: the analyser begins with some rank and takes it as right."""
    expected = set(numbers(event.groups.get("expected", "")))
    found: dict[tuple[str, str, str], list[int]] = {}
    for match in _CULPRIT.finditer(event.groups.get("culprits", "")):
        two = _TWO.match(match["detail"] or "")
        called = (two["usual"], two["odd"]) if two else ("", "")
        found.setdefault((match["error"], *called), []).append(int(match["rank"]))
    named = {rank for ranks in found.values() for rank in ranks}
    return tuple(
        _turned(Culprits(error, tuple(sorted(ranks)), tuple(sorted(expected - named)), odd, usual))
        for (error, usual, odd), ranks in found.items()
    )


def _turned(each: Culprits) -> Culprits:
    """The fewer ranks are the odd ones; of two states the one that is behind is."""
    turn = len(each.odd) > len(each.usual) > 0
    if each.error == "COLLECTIVE_STATE_MISMATCH" and {each.odd_called, each.usual_called} <= set(_STATES):
        turn = _STATES.index(each.odd_called) > _STATES.index(each.usual_called)
    if not turn:
        return each
    return Culprits(each.error, each.usual, each.odd, each.usual_called, each.odd_called)


def firsts(events: Iterable[JobEvent]) -> tuple[JobEvent, ...]:
    """The first event of each process group: once calls differ, its later ones are paired wrongly."""
    groups: dict[tuple[str, str], JobEvent] = {}
    for event in events:
        groups.setdefault((event.ref.source, event.groups.get("group", "")), event)
    return tuple(groups.values())
