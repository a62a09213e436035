"""Groups of nodes that were measured together, to find out which of their parts is slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

COARSE = 0.25
"""A search that could not have seen a node slower by this share proves no health."""


class Fabric(Struct, frozen=True):
    """The nodes, and the leaf switch of each where it is known."""

    nodes: tuple[str, ...]
    leaf_of: Mapping[str, str] = field(default_factory=dict)
    """Node -> its leaf; a node that is not in it lies nobody knows where."""

    @property
    def leaves(self) -> dict[str, list[str]]:
        """Leaf -> its nodes. Nodes without a known leaf are one leaf together: nothing is told apart among them."""
        found: dict[str, list[str]] = {}
        for node in self.nodes:
            found.setdefault(self.leaf(node), []).append(node)
        return found

    def leaf(self, node: str) -> str:
        """Of a node; "" where it is not known."""
        return self.leaf_of.get(node, "")

    def crosses(self, group: Sequence[str]) -> bool:
        """Do the nodes of ``group`` lie under different leaves?"""
        first = self.leaf_of.get(group[0], "")
        return any(self.leaf_of.get(node, "") != first for node in group)

    def leaf_pair(self, group: Sequence[str]) -> tuple[str, str] | None:
        """The two leaves that ``group`` joins; None where it joins one, or more than two."""
        leaves = sorted({self.leaf(node) for node in group})
        return (leaves[0], leaves[1]) if len(leaves) == 2 else None


class Rail(Struct, frozen=True):
    """One GPU and one HCA of each node, by number; so a part can be tested alone."""

    gpu: int
    hca: int | None = None
    """None: the one that NCCL takes for this GPU, which has its number where each GPU has an HCA."""


class Outcome(Struct, frozen=True):
    """One group, measured once."""

    group: tuple[str, ...]
    """Its nodes: two, or three where one would be left over."""
    gbs: float | None
    """Bus bandwidth at large sizes; None where it did not finish."""
    round: int
    """Groups of one round ran side by side."""
    kind: str = ""
    """What was measured: only like is compared with like."""

    @property
    def pair(self) -> tuple[str, ...]:
        """The group, whatever order it was started in."""
        return tuple(sorted(self.group))


class Path(Struct, frozen=True):
    """Between two nodes, two leaves, or from a leaf to all others."""

    kind: str
    """``nodes``, ``leaves``, ``leaf``."""
    ends: tuple[str, ...]
    share: float
    """Of what is usual."""
    tests: int


class BadNode(Struct, frozen=True):
    """A node that is slow with whomever it works."""

    name: str
    share: float
    """Of what is usual; 0 where its groups did not finish."""
    tests: int
    """Groups in which it was slow."""
    unfinished: int
    tried: int = 0
    """All groups that it was in, of this kind of test."""
    slow_partners: int = 0
    partners: int = 0
    kind: str = ""
    """The kind of test in which it is slowest; "" where there is one."""
    fine_in: tuple[str, ...] = ()
    """Kinds of tests in which it is as fast as others: then only a part of it is at fault."""


class Uneven(Struct, frozen=True):
    """A kind of test in which many pairs of sound nodes were slow: moments, or what all of them share."""

    kind: str
    slow: int
    tests: int
    share: float
    """Of what is usual: the median of the slow ones."""
    nodes: int
    """So many nodes were in the slow ones."""


class BadPart(Struct, frozen=True):
    """What of a bad node is at fault, as tests of single rails say."""

    node: str
    kind: str
    """``gpu``, ``hca``; ``rail``: one of both, or both; ``between``: each is fast with another; ``all``: every rail is
    slow, so it is no part; ``together``: none is slow alone; ``untested``."""
    number: int | None
    """Of the GPU and of its HCA."""
    share: float
    """Of what the same rail gives between sound nodes; 0: it does not finish."""


class Recurs(Struct, frozen=True):
    """A node that is in several of the slow pairs, and is not blamed."""

    node: str
    pairs: int
    of: int
    """All slow pairs of nodes that are not blamed."""


class Open(Struct, frozen=True):
    """What the tests cannot tell apart, and the test that would."""

    nodes: tuple[str, ...]
    why: str
    test: tuple[tuple[str, ...], ...]
    """Groups that would settle it; empty where none is left to try."""


class Unread(Struct, frozen=True):
    """An input that may hold tests, and was not read, or not to its end."""

    path: str
    problem: str


class Failure(Struct, frozen=True):
    """A log that tells of a failure which ends jobs or makes their results wrong, whatever bandwidth stands in it."""

    path: str
    why: str


class Verdict(Struct, frozen=True):
    """The whole answer."""

    bad: tuple[BadNode, ...]
    paths: tuple[Path, ...]
    open: tuple[Open, ...]
    good: tuple[str, ...]
    """Nodes that were fast in some group and are not bad: a list to work with."""
    confidence: float
    """That nobody is blamed who is sound."""
    smallest: float
    """The smallest slowdown of a node that would have been found nine times out of ten, as a share."""
    spread: float
    """Of sound groups: one standard deviation, as a share."""
    untried: int
    """Pairs of leaves that no two sound nodes have joined: nothing is known of the paths between them."""
    untried_pairs: int
    """The same for pairs of nodes where nothing is known of leaves."""
    doubted: tuple[str, ...]
    """Kinds of tests of which many were much faster than what is usual: most groups may be slow."""
    uneven: tuple[Uneven, ...]
    recurs: tuple[Recurs, ...]
    rounds: int
    tests: int
    node_tests: int
    """Nodes of all groups added up: with the time of one test it gives node-minutes."""

    parts: tuple[BadPart, ...] = ()
    """Of bad nodes, where their rails were tested one by one."""
    unread: tuple[Unread, ...] = ()
    """Of what others measured."""
    failures: tuple[Failure, ...] = ()
    """In the logs of what others measured."""
    ended_early: str = ""
    """Why the search stopped before its end; "" where it did not."""
    absent: tuple[str, ...] = ()
    """Nodes that were asked for, and of which others measured nothing."""

    @property
    def is_healthy(self) -> bool:
        """Nothing is slow, nothing is open, all was read, no log tells of a failure, and what is slow would have been
        seen."""
        sound = not (self.bad or self.paths or self.open or self.doubted or self.uneven or self.ended_early)
        return self.smallest <= COARSE and sound and not (self.unread or self.failures or self.absent)
