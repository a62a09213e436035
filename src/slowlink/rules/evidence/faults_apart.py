"""Different faults on different nodes are told apart, although they have one cause.

Findings of one cause are one diagnosis where they say the same or share a node; one that names no node joins the first.
A driver's library that does not fit on node03 and a firmware that differs on node07 are two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.model.report import Diagnosis
from slowlink.nodes import without_names
from slowlink.parting import joined, parted
from slowlink.patterns import regex

_NUMBERED = regex(r"[^\s()]*\d[^\s()]*")
"""Words with a digit: nodes, devices, counts, values."""


def nodes_of(found: Diagnosis) -> frozenset[str]:
    """The nodes that it suspects."""
    return frozenset(suspect.name for suspect in found.suspects if suspect.kind == "node")


def faults_apart(found: Sequence[Diagnosis]) -> list[list[Diagnosis]]:
    """``found``, all of one cause, in groups that are one fault each; in order of the first of each group."""
    alike: dict[str, list[Diagnosis]] = {}
    for each in found:
        alike.setdefault(_said(each), []).append(each)
    somewhere, nowhere = parted(alike.values(), _nodes)
    place = {id(each): number for number, each in enumerate(found)}
    groups = [[each for members in group for each in members] for group in joined(somewhere, _nodes)]
    groups.sort(key=lambda members: min(place[id(each)] for each in members))
    of_none = [each for members in nowhere for each in members]
    groups = [[*groups[0], *of_none], *groups[1:]] if groups else [of_none]
    return [sorted(members, key=lambda each: place[id(each)]) for members in groups]


def _nodes(group: Iterable[Diagnosis]) -> set[str]:
    return {name for each in group for name in nodes_of(each)}


def _said(found: Diagnosis) -> str:
    """The words of the message, without the names and numbers that differ from node to node."""
    message = without_names(found.message, nodes_of(found), "0")
    return " ".join(_NUMBERED.sub("", message).split())
