"""Which part of a bad node is at fault: its rails one by one, then GPU and HCA apart.

A rail is tested by one GPU of the bad node and one of a sound node, over the HCA that belongs to them: first every
rail, each round another one. A slow rail has two parts, so each of them is tried again with the other part of a rail
that was fast: the GPU over that HCA, and that GPU over the HCA. Pairs of sound nodes do the same beside, for a GPU is
far from the HCA of another, which costs something on any node.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.averages import median, robust_deviation
from slowlink.isolate.judge import LEAST_MARGIN
from slowlink.model.isolation import BadPart, Rail

Group = tuple[str, ...]
_ANCHORS = 3
_MOST_BAD = 64
_SPREADS = 4.0


class Step(Struct, frozen=True):
    """One round: these groups side by side, all of them on this rail."""

    rail: Rail
    groups: tuple[Group, ...]


class Parts:
    """Ask ``plan`` what to run, tell ``add`` what it gave, until ``plan`` gives None; then ``found``."""

    def __init__(self, bad: Sequence[str], good: Sequence[str], rails: int, *, apart: bool = True) -> None:
        """``rails``: GPUs of a node, each with an HCA. ``apart``: may a GPU be tested over another's HCA? That takes
        names of HCAs."""
        self._bad, self._good, self._rails, self._apart = tuple(bad)[:_MOST_BAD], tuple(good), rails, apart
        self._shares: dict[tuple[str, Rail], float] = {}
        self._asked: set[Rail] = set()

    def plan(self) -> Step | None:
        """The next round; None when all is known that these tests can tell, or nobody is there to compare with."""
        if not self._bad or len(self._good) < 2:
            return None
        for number in range(self._rails):
            if Rail(number) not in self._asked:
                return self._step(Rail(number), self._bad)
        for rail, nodes in self._crossed().items():
            if rail not in self._asked:
                return self._step(rail, nodes)
        return None

    def _step(self, rail: Rail, nodes: Sequence[str]) -> Step:
        """Partners change from rail to rail: one of them may have a fault of its own."""
        start = (len(self._asked) * len(nodes)) % len(self._good)
        partners = [*self._good[start:], *self._good[:start]]
        groups = list(zip(nodes, partners, strict=False))
        free = partners[len(groups) :]
        anchors = [tuple(free[index : index + 2]) for index in range(0, min(2 * _ANCHORS, len(free) - 1), 2)]
        self._asked.add(rail)
        return Step(rail, (*groups, *anchors))

    def add(self, step: Step, values: Sequence[float | None]) -> None:
        """GB/s of each group; None for one that did not finish."""
        known = set(self._bad)
        anchors = [value or 0.0 for group, value in zip(step.groups, values, strict=True) if group[0] not in known]
        others = [value or 0.0 for value in values]
        usual = max(median(anchors) if anchors else 0.0, median(others)) or 1.0
        for group, value in zip(step.groups, values, strict=True):
            if group[0] in known:
                self._shares[group[0], step.rail] = (value or 0.0) / usual

    def _margin(self) -> float:
        """Three percent, or more where rails that are not slow differ more."""
        sound = [share for share in self._shares.values() if share > 1 - 3 * LEAST_MARGIN]
        spread = robust_deviation(sound) if sound else 0.0
        return max(LEAST_MARGIN, _SPREADS * spread)

    def _slow_rails(self, node: str) -> list[int]:
        margin = self._margin()
        return [n for n in range(self._rails) if self._shares.get((node, Rail(n)), 1.0) < 1 - margin]

    def _crossed(self) -> dict[Rail, list[str]]:
        """Tests that tell the two parts of a slow rail apart -> the nodes that need them."""
        found: dict[Rail, list[str]] = {}
        for node in self._bad if self._apart else ():
            slow = self._slow_rails(node)
            fast = next((n for n in range(self._rails) if n not in slow), None)
            if slow and fast is not None:
                for number in slow:
                    found.setdefault(Rail(number, fast), []).append(node)
                    found.setdefault(Rail(fast, number), []).append(node)
        return found

    def found(self) -> tuple[BadPart, ...]:
        """For each bad node what is at fault; one entry for a node none of whose parts can be named."""
        return tuple(part for node in self._bad for part in self._of(node))

    def _of(self, node: str) -> list[BadPart]:
        slow = self._slow_rails(node)
        tried = [number for number in range(self._rails) if (node, Rail(number)) in self._shares]
        if len(tried) < self._rails:
            return [BadPart(node, "untested", None, 1.0)]
        if not slow:
            return [BadPart(node, "together", None, 1.0)]
        if len(slow) == self._rails and self._rails > 1:
            return [BadPart(node, "all", None, median(self._shares[node, Rail(number)] for number in slow))]
        return [self._rail(node, number, slow) for number in slow]

    def _rail(self, node: str, number: int, slow: Sequence[int]) -> BadPart:
        share = self._shares[node, Rail(number)]
        fast = next((n for n in range(self._rails) if n not in slow), -1)
        with_gpu, with_hca = (self._shares.get((node, rail)) for rail in (Rail(number, fast), Rail(fast, number)))
        if with_gpu is None or with_hca is None:
            return BadPart(node, "rail", number, share)
        limit = 1 - self._margin()
        kind = {(True, False): "gpu", (False, True): "hca", (False, False): "between"}.get(
            (with_gpu < limit, with_hca < limit), "rail"
        )
        return BadPart(node, kind, number, share)
