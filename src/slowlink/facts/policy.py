"""The state of nodes held against what their site says they must be: a fleet that is wrong alike differs from that.

Nodes that are compared with one another (``facts.differences``) show who is odd; only a policy shows that all are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from slowlink.facts.differences import ABSENT, in_words
from slowlink.facts.readings import latest
from slowlink.facts.tools import NO_TIME
from slowlink.model.facts import State
from slowlink.model.policy import ALL_PARTS, COUNT, Deviation, Expected, Policy, PolicyReview, Unknown
from slowlink.model.state import Reading, Value
from slowlink.nodes import expand

_MOST_PARTS = 10_000
_PartReadings = Mapping[str, Reading]
"""Name of a part -> its reading of one attribute."""
_Readings = Mapping[str, Mapping[str, _PartReadings]]
"""Attribute -> node -> its parts, of one kind."""


def reviewed(state: State | None, policy: Policy | None) -> PolicyReview | None:
    """None without a policy, or without nodes."""
    if state is None or policy is None or not state.nodes:
        return None
    of_kind = {kind: _of_kind(state, kind) for kind in {each.kind for each in policy.expected}}
    whole = _whole(state, frozenset(policy.collectors))
    deviations: list[Deviation] = []
    unknown: list[Unknown] = []
    met = 0
    for expected in policy.expected:
        found, untold = _held(expected, of_kind[expected.kind], state.nodes, whole)
        deviations += found
        if untold:
            unknown.append(Unknown(expected, tuple(untold)))
        met += not found and not untold
    return PolicyReview(policy, state.nodes, tuple(deviations), tuple(unknown), met)


def parts_of(names: str) -> tuple[str, ...]:
    """The parts that a set of a policy names. Raises SlowlinkError (``bad-node-set``)."""
    return tuple(expand(names, _MOST_PARTS)) if "[" in names else tuple(names.split(","))


def is_right(expected: Expected, value: Value) -> bool:
    """Does a value meet an expectation?"""
    if expected.any_of:
        return any(_same(value, each) for each in expected.any_of)
    low, high = expected.at_least, expected.at_most
    return (low is None or _order(low, value) <= 0) and (high is None or _order(value, high) <= 0)


def in_policy_words(expected: Expected) -> str:
    """``on``; ``1.2.3 or 1.2.4``; ``at least 700``."""
    if expected.any_of:
        return " or ".join(map(in_words, expected.any_of))
    bounds = (("at least", expected.at_least), ("at most", expected.at_most))
    return " and ".join(f"{words} {in_words(bound)}" for words, bound in bounds if bound is not None)


def parts_seen(state: State, node: str, kind: str) -> set[str]:
    """Names of the parts of a node of which anything is known."""
    return _parts_of_node(_of_kind(state, kind), node)


def _parts_of_node(readings: _Readings, node: str) -> set[str]:
    return {name for of_nodes in readings.values() for name in of_nodes.get(node, ())}


def _whole(state: State, needed: frozenset[str]) -> frozenset[str]:
    """The nodes that answered all questions: those of the policy, or where it names none all that they were asked. Of
    others nobody knows that a part is not there: its tool failed, hung, or had no time."""
    told: dict[str, set[str]] = {}
    silent: dict[str, set[str]] = {}
    for each in state.collected:
        answers = each.outcome == "ran" or (each.outcome == "skipped" and each.detail != NO_TIME)
        (told if answers else silent).setdefault(each.host or "", set()).add(each.collector)
    cut = {node for node, names in silent.items() if not needed or needed & names}
    return frozenset(node for node, names in told.items() if node not in cut and needed <= names)


def _of_kind(state: State, kind: str) -> _Readings:
    found: dict[str, dict[str, dict[str, Reading]]] = {}
    for attribute, readings in state.readings.items():
        for (node, part), reading in latest(readings.all).items():
            if part.kind == kind:
                found.setdefault(attribute, {}).setdefault(node, {})[part.name] = reading
    return found


def _held(
    expected: Expected, readings: _Readings, nodes: Iterable[str], whole: frozenset[str]
) -> tuple[list[Deviation], list[str]]:
    """Who deviates and how, and of whom nothing is known."""
    wrong: dict[tuple[str, tuple[str, ...]], list[tuple[str, tuple[Reading, ...]]]] = {}
    untold: list[str] = []
    for node in nodes:
        if expected.attribute == COUNT:
            told = _count(expected, readings, node, node in whole)
        else:
            told = _parts(expected, readings.get(expected.attribute, {}).get(node, {}), node in whole)
        if told is None:
            untold.append(node)
            continue
        for value, parts, shown in told:
            wrong.setdefault((value, parts), []).append((node, shown))
    deviations = [
        Deviation(expected, value, tuple(node for node, _ in who), parts, tuple(r for _, shown in who for r in shown))
        for (value, parts), who in wrong.items()
    ]
    return deviations, untold


_Told = list[tuple[str, tuple[str, ...], tuple[Reading, ...]]]
"""What is wrong on one node: value, parts, readings."""


def _count(expected: Expected, readings: _Readings, node: str, whole: bool) -> _Told | None:
    seen = _parts_of_node(readings, node)
    if is_right(expected, len(seen)):
        return []
    return [(str(len(seen)), (), ())] if whole else None


def _parts(expected: Expected, readings: _PartReadings, whole: bool) -> _Told | None:
    if not readings:
        return None
    wanted = tuple(readings) if expected.parts == ALL_PARTS else parts_of(expected.parts)
    by_value: dict[str, list[str]] = {}
    for name in wanted:
        reading = readings.get(name)
        if reading is None:
            by_value.setdefault(ABSENT, []).append(name)
        elif not is_right(expected, reading.value):
            by_value.setdefault(in_words(reading.value), []).append(name)
    if not whole and by_value.pop(ABSENT, None) is not None and not by_value:
        return None
    return [
        (value, tuple(names) if names != [""] else (), tuple(readings[name] for name in names if name in readings))
        for value, names in by_value.items()
    ]


def _same(value: Value, wanted: Value) -> bool:
    if isinstance(value, float) or isinstance(wanted, float):
        return (
            _is_number(value) and _is_number(wanted) and abs(float(value) - float(wanted)) <= 1e-6 * abs(float(wanted))
        )
    return type(value) is type(wanted) and value == wanted


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _order(one: Value, other: Value) -> int:
    """-1, 0 or 1: of numbers, else of the numbers in a version (``550.54.15``)."""
    if _is_number(one) and _is_number(other):
        return (float(one) > float(other)) - (float(one) < float(other))
    ours, theirs = ([int(digits) for digits in re.findall(r"[0-9]{1,18}", str(each))] for each in (one, other))
    return (ours > theirs) - (ours < theirs)
