"""What the outcomes say of nodes and of paths between them, after some rounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence

from msgspec import Struct

from slowlink.isolate.blame import bad_nodes
from slowlink.isolate.evidence import Evidence, weigh
from slowlink.isolate.judge import Judged
from slowlink.isolate.paths import slow_paths
from slowlink.isolate.steadily import LOOKS, smallest_steady
from slowlink.model.isolation import BadNode, Fabric, Outcome, Path, Uneven

_FEWEST_UNEVEN, _MANY = 6, 0.15
_FEWEST_PAIRS, _PART = 3, 0.3


class Belief(Struct, frozen=True):
    """What is known after some rounds."""

    cleared: frozenset[str]
    """Nodes with a fast group, that are not bad."""
    bad: dict[str, BadNode]
    suspects: tuple[str, ...]
    """Nodes of which it is not known yet."""
    paths: tuple[Path, ...]
    doubtful: tuple[tuple[str, ...], ...]
    """Pairs of cleared nodes that were slow, and were not tried again yet."""
    met: dict[str, frozenset[str]]
    """Node -> those that it was in a group with."""
    uneven: tuple[Uneven, ...]
    borderline: dict[str, tuple[int, int]]
    """Node -> with how many partners it was slow, of how many: too many to be paths, too few to be blamed."""
    smallest: float
    """The smallest slowdown of a node that would have been found nine times out of ten, as a share."""


def believe(outcomes: Sequence[Outcome], judged: Judged, fabric: Fabric, confidence: float) -> Belief:
    """Total: with no outcome everybody is a suspect."""
    pairs = len({outcome.pair for outcome in outcomes})
    looks = min(LOOKS, len({outcome.round for outcome in outcomes}))
    of_a_pair = (1 - confidence) / max(looks, 1) / max(pairs, len(fabric.nodes), 1)
    evidence = weigh(outcomes, judged, fabric, of_a_pair)
    of_a_node = (1 - confidence) / max(len(fabric.nodes), 1)
    bad = bad_nodes(evidence, of_a_node)
    met: dict[str, set[str]] = defaultdict(set)
    for outcome in outcomes:
        for node in outcome.group:
            met[node].update(other for other in outcome.group if other != node)
    uncleared = {node for kind, mine in evidence.kinds.items() for node in mine if node not in evidence.cleared[kind]}
    tested = met.keys()
    suspects = tuple(node for node in fabric.nodes if node not in bad and (node in uncleared or node not in tested))
    known = frozenset(tested - bad.keys() - uncleared)
    paths, doubtful = slow_paths(evidence, bad, of_a_pair)
    borderline = _borderline(evidence, paths)
    paths = [path for path in paths if path.kind != "nodes" or not borderline.keys() & set(path.ends)]
    whole = {node: frozenset(others) for node, others in met.items()}
    return Belief(
        known,
        bad,
        suspects,
        tuple(paths),
        tuple(doubtful),
        whole,
        tuple(_uneven(evidence, bad, paths)),
        borderline,
        min(judged.smallest, smallest_steady(evidence, frozenset(bad), 1 - confidence)) if outcomes else 1.0,
    )


def _borderline(evidence: Evidence, paths: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Nodes that are an end of several pairs that chance does not explain, a good part of their partners inside the
    leaf. Pairs that were slow once are no reason: noise makes such."""
    slow: dict[str, int] = defaultdict(int)
    for path in paths:
        if path.kind == "nodes" and not evidence.fabric.crosses(path.ends):
            for node in path.ends:
                slow[node] += 1
    often = {node for node, count in slow.items() if count >= _FEWEST_PAIRS}
    partners: dict[str, set[str]] = {node: set() for node in often}
    for index, pair in enumerate(evidence.pairs if often else ()):
        for node in often & set(pair) if not evidence.crosses[index] else ():
            partners[node].update(pair)
    return {
        node: (slow[node], len(mine) - 1) for node, mine in partners.items() if slow[node] > _PART * (len(mine) - 1)
    }


def _uneven(evidence: Evidence, bad: Container[str], paths: Sequence[Path]) -> Iterator[Uneven]:
    """Kinds of test in which many sound pairs were slow, which no bad node and no slow path explains."""
    explained = {path.ends for path in paths if path.kind == "nodes"}
    for kind in evidence.kinds:
        mine = [
            index
            for index, outcome in enumerate(evidence.outcomes)
            if outcome.kind == kind
            and not evidence.crosses[index]
            and not any(node in bad for node in outcome.group)
            and evidence.pairs[index] not in explained
        ]
        were_slow = [index for index in mine if evidence.slow[index]]
        if len(were_slow) >= _FEWEST_UNEVEN and _MANY * len(mine) < len(were_slow) < len(mine):
            ends = {node for index in were_slow for node in evidence.outcomes[index].group}
            yield Uneven(kind, len(were_slow), len(mine), evidence.middle(were_slow), len(ends))
