"""Different faults on different nodes are told apart, although they have one cause.

Findings of one cause are one diagnosis where they say the same or share a node; one that names no node joins the first.
A driver's library that does not fit on node03 and a firmware that differs on node07 are two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.model.report import Diagnosis
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
    parted: list[tuple[set[str], list[Diagnosis]]] = []
    nowhere: list[Diagnosis] = []
    for members in alike.values():
        nodes = _nodes(members)
        if not nodes:
            nowhere += members
            continue
        for other in [other for other in parted if nodes & other[0]]:
            parted.remove(other)
            nodes, members = nodes | other[0], [*other[1], *members]
        parted.append((nodes, members))
    place = {id(each): number for number, each in enumerate(found)}
    groups = sorted((members for _, members in parted), key=lambda members: min(place[id(each)] for each in members))
    groups = [[*groups[0], *nowhere], *groups[1:]] if groups else [nowhere]
    return [sorted(members, key=lambda each: place[id(each)]) for members in groups]


def _nodes(group: Iterable[Diagnosis]) -> set[str]:
    return {name for each in group for name in nodes_of(each)}


def _said(found: Diagnosis) -> str:
    """The words of the message, without the names and numbers that differ from node to node."""
    message = found.message
    for name in sorted(nodes_of(found), key=len, reverse=True):
        message = message.replace(name, "0")
    return " ".join(_NUMBERED.sub("", message).split())
