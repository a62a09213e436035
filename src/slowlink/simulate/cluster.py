"""A cluster that does not exist: nodes under leaves, faults, and noise. It says what a group of nodes would give.

A collective goes at the pace of its slowest part, so a group gives the least of what its nodes and paths allow, times
noise. Faults (as shares of what is usual): a dead HCA of eight (7/8), a slow HCA, GPUDirect RDMA off, a throttled GPU,
a neighbour that takes a share of the time, a host that hangs; between leaves a bad cable, or uplinks that are too few.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from slowlink.model.isolation import Fabric

NODE_FAULTS: Mapping[str, tuple[float, float]] = {
    "dead-hca": (0.86, 0.875),
    "slow-hca": (0.4, 0.8),
    "gdr-off": (0.2, 0.35),
    "throttled-gpu": (0.7, 0.9),
    "interference": (0.5, 0.85),
    "hangs": (0.0, 0.0),
}
"""Fault -> the range of what is left, as a share."""


class Noise(Struct, frozen=True):
    """What differs from test to test, as shares."""

    normal: float = 0.01
    """Standard deviation of each test."""
    heavy: float = 0.0
    """Probability of a test that something disturbs once."""
    heavy_loss: float = 0.2
    """What such a test loses at most."""
    leaf: float = 0.0
    """Standard deviation of what all groups of a leaf share in a round."""
    drift: float = 0.0
    """From round to round, at most."""


class SimulatedCluster(Struct):
    """``measure`` is the whole cluster: it is asked round by round."""

    fabric: Fabric
    usual_gbs: float = 390.0
    nodes: dict[str, float] = field(default_factory=dict)
    """Sick node -> what is left of it; 0: its groups do not finish."""
    node_pairs: dict[tuple[str, str], float] = field(default_factory=dict)
    leaf_pairs: dict[tuple[str, str], float] = field(default_factory=dict)
    leaves: dict[str, float] = field(default_factory=dict)
    """Leaf -> what its uplinks leave of traffic to other leaves."""
    noise: Noise = Noise()
    seed: int = 0
    rounds: int = 0

    def measure(self, groups: Sequence[Sequence[str]]) -> list[float | None]:
        """What each of these groups gives when they run side by side, GB/s; None where one does not finish."""
        self.rounds += 1
        chance = random.Random((self.seed << 8) + self.rounds)  # noqa: S311
        drift = 1 + self.noise.drift * (2 * chance.random() - 1)
        leaf = {name: chance.gauss(1, self.noise.leaf) if self.noise.leaf else 1.0 for name in self.fabric.leaves}
        return [self._one(group, chance, drift, leaf) for group in groups]

    def _one(
        self, group: Sequence[str], chance: random.Random, drift: float, leaf: Mapping[str, float]
    ) -> float | None:
        share = self.share(group)
        disturbed = 1 - self.noise.heavy_loss * chance.random() if chance.random() < self.noise.heavy else 1.0
        noise = chance.gauss(1, self.noise.normal) * drift * min(leaf[self.fabric.leaf(node)] for node in group)
        return None if share <= 0 else self.usual_gbs * share * max(0.01, noise * disturbed)

    def share(self, group: Sequence[str]) -> float:
        """What its parts allow a group, without noise."""
        shares = [self.nodes.get(node, 1.0) for node in group]
        ends = sorted(group)
        for index, one in enumerate(ends):
            for other in ends[index + 1 :]:
                shares.append(self.node_pairs.get((one, other), 1.0))
                leaves = sorted((self.fabric.leaf(one), self.fabric.leaf(other)))
                if leaves[0] != leaves[1]:
                    shares.append(self.leaf_pairs.get((leaves[0], leaves[1]), 1.0))
                    shares += [self.leaves.get(leaf, 1.0) for leaf in leaves]
        return min(shares)


def made_cluster(
    seed: int,
    *,
    nodes: int = 1250,
    per_leaf: int = 32,
    sick: int | None = None,
    leaf_pairs: int = 0,
    noise: Noise | None = None,
) -> SimulatedCluster:
    """A cluster made at random: ``sick`` nodes of mixed faults (None: 1 to 10), and bad cables between leaves."""
    chance = random.Random(seed)  # noqa: S311
    names = tuple(f"gpu{number:05}" for number in range(1, nodes + 1))
    leaf_of = {name: f"leaf{index // per_leaf + 1:03}" for index, name in enumerate(names)}
    made = SimulatedCluster(Fabric(names, leaf_of), noise=noise or Noise(), seed=seed)
    for name in chance.sample(names, chance.randint(1, 10) if sick is None else sick):
        low, high = NODE_FAULTS[chance.choice(sorted(NODE_FAULTS))]
        made.nodes[name] = chance.uniform(low, high)
    leaves = sorted(made.fabric.leaves)
    while len(made.leaf_pairs) < leaf_pairs:
        one, other = sorted(chance.sample(leaves, 2))
        made.leaf_pairs[one, other] = chance.uniform(0.4, 0.85)
    return made
