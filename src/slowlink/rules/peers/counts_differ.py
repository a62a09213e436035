"""A node counts fewer or more of something than its peers.

One command that counts lines (``lspci -d 15b3: | wc -l``) was sent to many nodes. From three nodes on, each is compared
with the number that more than half of them gave. Fewer HCAs or GPUs are missing ones; what other numbers mean only the
question says.

Why it matters: nodes of a cluster are built alike. What only the slow node lacks is the first suspect.
How to confirm: ask this node and another for the list itself, without the count.
What to do: where a device is gone, see what the kernel says of it; else set the odd node like the others.
When it is wrong: the nodes are of two kinds, or what is counted may differ on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from slowlink.facts.readings import latest, name_of_node
from slowlink.model.facts import Observations, Of, Readings
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.nodes import fold
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, line_evidence, suspects

CAUSES = ("hca-missing", "gpu-missing", "nvlink-down", "port-down", "node-differs")

_FEWEST = 3
"""Nodes from which on most of them show what is usual."""
_CAUSE_OF = {
    "counted-hcas": "hca-missing",
    "counted-gpus": "gpu-missing",
    "counted-nvlinks": "nvlink-down",
    "counted-ports": "port-down",
    "counted-lines": "node-differs",
}
_TITLES = {"hca-missing": "HCAs", "gpu-missing": "GPUs", "nvlink-down": "NVLinks", "port-down": "ports"}
_AT_RATE = regex(r"(?P<number>\d{1,4}) x (?P<rate>\d{1,4} Gb/s)")
_EXPLAINS = {
    "hca-missing": ("hca-list-incomplete", "busbw-below-expected", "straggler-nic", "node-differs"),
    "gpu-missing": ("busbw-below-expected", "node-differs"),
    "nvlink-down": ("busbw-below-expected", "node-differs"),
    "port-down": ("hca-list-incomplete", "busbw-below-expected", "straggler-nic", "node-differs"),
}
_REMEDIES = {
    "hca-missing": ("See why the driver has not started it, or the bus lost it.", "dmesg -T | grep -e mlx5 -e AER"),
    "gpu-missing": ("See why the driver lost it.", "dmesg -T | grep -e Xid -e NVRM"),
    "nvlink-down": ("See which links are inactive.", "nvidia-smi nvlink --status"),
    "port-down": ("See the state of all ports.", "rdma link; ibstat"),
}


class _Question(NamedTuple):
    kind: str
    text: str


class _Odd(NamedTuple):
    """A number that few nodes gave, and what the others said."""

    question: str
    number: int
    usual: int
    peers: int
    ref: Ref


class _Group(NamedTuple):
    """What is told in one finding: the same nodes, for the same cause."""

    cause: str
    nodes: tuple[str, ...]


def check(
    observations: Observations | None, rates: Annotated[Readings, Of("ports-at-rate")] | None
) -> Iterator[Finding]:
    """One finding for each set of odd nodes and what they lack."""
    found: dict[_Group, list[_Odd]] = {}
    for question, said in _counts(observations, rates).items():
        usual, times = Counter(number for number, _ in said.values()).most_common(1)[0]
        if len(said) < _FEWEST or 2 * times <= len(said):
            continue
        numbers: dict[int, list[str]] = {}
        for node, (number, _) in said.items():
            if number != usual:
                numbers.setdefault(number, []).append(node)
        for number, nodes in numbers.items():
            cause = _CAUSE_OF[question.kind] if number < usual else "node-differs"
            odd = _Odd(question.text, number, usual, times, said[nodes[0]][1])
            found.setdefault(_Group(cause, tuple(nodes)), []).append(odd)
    for group, odds in found.items():
        yield _finding(group, odds)


def _counts(observations: Observations | None, rates: Readings | None) -> dict[_Question, dict[str, tuple[int, Ref]]]:
    """Question -> node -> the number that it gave, and where. The last answer counts."""
    found: dict[_Question, dict[str, tuple[int, Ref]]] = {}
    for seen in observations.all if observations is not None else ():
        if seen.kind in _CAUSE_OF and seen.host:
            found.setdefault(_Question(seen.kind, seen.subject), {})[seen.host] = int(seen.value), seen.ref
    for reading in latest(rates.all).values() if rates is not None else ():
        told, node = _AT_RATE.fullmatch(str(reading.value)), name_of_node(reading)
        if told is not None and node:
            asked = _Question("counted-lines", f"ports at {told['rate']}")
            found.setdefault(asked, {})[node] = int(told["number"]), reading.ref
    return found


def _finding(group: _Group, odds: Sequence[_Odd]) -> Finding:
    lost = group.cause in _TITLES
    first = odds[0]
    words = f"{first.number} of {first.usual} {_TITLES[group.cause]}" if lost else f"{first.number}"
    asked = "; ".join(f"'{odd.question}': {odd.number}, {odd.usual} on {odd.peers} nodes" for odd in odds[:3])
    remedies: Mapping[str, tuple[str, str]] = _REMEDIES
    return finding(
        group.cause,
        f"{fold(group.nodes)}: {words if lost else 'counts that the other nodes have otherwise'} ({asked})",
        severity="error" if lost else "warning",
        confidence="likely" if lost else "possible",
        evidence=[line_evidence(odd.ref, expected=str(odd.usual)) for odd in odds[:4]],
        suspects=suspects("node", group.nodes),
        explains=_EXPLAINS.get(group.cause, ()),
        remedy=[
            ("Ask this node and another for the list itself, without the count.", ""),
            *([remedies[group.cause]] if lost else []),
        ],
    )
