"""One node says something else than all its peers, in a line or a table that no tool's format explains.

Scripts print versions and settings of nodes in forms of their own: below the name of each node, or side by side.
Where three or more nodes have the same line, known by its first words, and all but one say exactly the same (or all but
less than a fifth), the others differ. Lines with values that differ by nature (addresses, times, temperatures,
counters) are not compared.

Why it matters: nodes of a cluster are built alike. What only the slow node has is the first suspect.
How to confirm: ask all nodes for this one value; run the same collective without these nodes.
What to do: set the odd nodes like the others.
When it is wrong: the value may differ on purpose, or mean nothing for speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from slowlink.model.facts import Observations
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import finding, line_evidence, suspects

CAUSES = ("node-differs",)
_KINDS = ("node-line", "node-setting")


class Params(Struct, frozen=True):
    """Which minority counts."""

    fewest_nodes: int = 3
    """Nodes that say the line."""
    share: float = 0.2
    """Where more than one node differs: they must be fewer than this share of all."""
    most_lines: int = 8
    """Odd lines of one set of nodes: with more, their output is another, and the lines are not compared."""


class _Odd(NamedTuple):
    """A line that few nodes say otherwise."""

    usual: str
    nodes: int
    """How many say so."""
    lines: tuple[Observation, ...]


def check(observations: Observations, params: Params) -> Iterator[Finding]:
    """One finding for each set of odd nodes."""
    by_key: dict[str, dict[str, Observation]] = {}
    for seen in observations.all:
        if seen.kind in _KINDS and seen.host:
            by_key.setdefault(seen.subject, {}).setdefault(seen.host, seen)
    found: dict[tuple[str, ...], list[_Odd]] = {}
    for said in by_key.values():
        odd = _odd(said, params)
        if odd is not None:
            found.setdefault(tuple(line.host or "" for line in odd.lines), []).append(odd)
    for nodes, lines in found.items():
        if len(lines) <= params.most_lines:
            yield _finding(nodes, lines)


def _odd(said: dict[str, Observation], params: Params) -> _Odd | None:
    """The minority of one line; None where there is none."""
    camps: dict[str, list[Observation]] = {}
    for line in said.values():
        camps.setdefault(line.value, []).append(line)
    most = max(camps.values(), key=len)
    few = [line for camp in camps.values() if camp is not most for line in camp]
    if len(said) < params.fewest_nodes or not few or (len(few) > 1 and len(few) >= params.share * len(said)):
        return None
    return _Odd(most[0].value, len(most), tuple(few))


def _finding(nodes: Sequence[str], found: Sequence[_Odd]) -> Finding:
    more = f"; and {len(found) - 3} more lines" if len(found) > 3 else ""
    verb = "says" if len(nodes) == 1 else "say"
    sentences = (
        f"'{odd.lines[0].subject} {odd.lines[0].value[:80]}', while {odd.nodes} nodes say '{odd.usual[:80]}'"
        for odd in found[:3]
    )
    return finding(
        "node-differs",
        f"{fold(nodes)} {verb} {'; '.join(sentences)}{more}",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(odd.lines[0].ref, expected=odd.usual[:200]) for odd in found[:4]],
        suspects=suspects("node", nodes),
        explains=("straggler-node",),
        remedy=[("Ask all nodes for these values, and set the odd nodes like the others.", "")],
    )
