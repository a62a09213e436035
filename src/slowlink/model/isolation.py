"""Groups of nodes that were measured together, to find out which of their parts is slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field


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
        return len({self.leaf(node) for node in group}) > 1

    def leaf_pair(self, group: Sequence[str]) -> tuple[str, str] | None:
        """The two leaves that ``group`` joins; None where it joins one, or more than two."""
        leaves = sorted({self.leaf(node) for node in group})
        return (leaves[0], leaves[1]) if len(leaves) == 2 else None


class Outcome(Struct, frozen=True):
    """One group, measured once."""

    group: tuple[str, ...]
    """Its nodes: two, or three where one would be left over."""
    gbs: float | None
    """Bus bandwidth at large sizes; None where it did not finish."""
    round: int
    """Groups of one round ran side by side."""

    @property
    def pair(self) -> tuple[str, ...]:
        """The group, whatever order it was started in."""
        return tuple(sorted(self.group))
