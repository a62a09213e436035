"""A cluster that does not exist: nodes under leaves, with GPUs and HCAs, faults, and noise.

It says what a group of nodes would give. A collective goes at the pace of its slowest part, so a group gives the least
of what its nodes, their parts and their paths allow, times noise. NCCL spreads a ring over all HCAs evenly: one that is
slow holds all up, one that is dead is left out and takes its share with it. A test of one GPU and one HCA of each node
shows these alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from slowlink.model.isolation import Fabric, Rail

NODE_FAULTS: Mapping[str, tuple[float, float]] = {
    "hca-dead": (0.0, 0.0),
    "hca-slow": (0.4, 0.8),
    "gdr-off": (0.2, 0.35),
    "gpu-throttled": (0.7, 0.9),
    "interference": (0.5, 0.85),
    "hangs": (0.0, 0.0),
}
"""Fault -> the range of what is left of the part, as a share."""
_PARTS = {"hca-dead": "hca", "hca-slow": "hca", "gpu-throttled": "gpu"}
_ITERATIONS = 20
"""Iterations of a test: so many either meet interference or do not."""


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
    gpus: int = 8
    """And HCAs, of each node."""
    nodes: dict[str, float] = field(default_factory=dict)
    """Sick node -> what is left of it; 0: its groups do not finish."""
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    """Node -> its sick ``hca3`` or ``gpu5`` -> what is left of it."""
    at_times: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Node -> what is left of it in the share of iterations that meets something else, and that share."""
    without_gdr: set[str] = field(default_factory=set)
    """Those of ``nodes`` that are slow because GPUDirect RDMA is off, which NCCL says."""
    node_pairs: dict[tuple[str, str], float] = field(default_factory=dict)
    leaf_pairs: dict[tuple[str, str], float] = field(default_factory=dict)
    leaves: dict[str, float] = field(default_factory=dict)
    """Leaf -> what its uplinks leave of traffic to other leaves."""
    noise: Noise = Noise()
    seed: int = 0
    rounds: int = 0

    @property
    def sick(self) -> frozenset[str]:
        """Every node with a fault of its own."""
        return frozenset({*self.nodes, *self.parts, *self.at_times})

    def measure(self, groups: Sequence[Sequence[str]], rail: Rail | None = None) -> list[float | None]:
        """What each of these groups gives when they run side by side, GB/s; None where one does not finish. ``rail``:
        one GPU and one HCA of each node take part."""
        self.rounds += 1
        chance = random.Random((self.seed << 8) + self.rounds)  # noqa: S311
        drift = 1 + self.noise.drift * (2 * chance.random() - 1)
        leaf = {name: chance.gauss(1, self.noise.leaf) if self.noise.leaf else 1.0 for name in self.fabric.leaves}
        return [self._one(group, rail, chance, drift, leaf) for group in groups]

    def _one(
        self,
        group: Sequence[str],
        rail: Rail | None,
        chance: random.Random,
        drift: float,
        leaf: Mapping[str, float],
    ) -> float | None:
        share = self.share(group, rail)
        disturbed = 1 - self.noise.heavy_loss * chance.random() if chance.random() < self.noise.heavy else 1.0
        noise = chance.gauss(1, self.noise.normal) * drift * min(leaf[self.fabric.leaf(node)] for node in group)
        share *= self._undisturbed(group, chance)
        usual = self.usual_gbs / (1 if rail is None else self.gpus)
        return None if share <= 0 else usual * share * max(0.01, noise * disturbed)

    def _undisturbed(self, group: Sequence[str], chance: random.Random) -> float:
        """Means over iterations are harmonic: a few slow ones cost much (docs/physics.md)."""
        return min((self._met(node, chance) for node in group if node in self.at_times), default=1.0)

    def _met(self, node: str, chance: random.Random) -> float:
        share, duty = self.at_times[node]
        hit = sum(chance.random() < duty for _ in range(_ITERATIONS)) / _ITERATIONS
        return 1 / (1 - hit + hit / max(share, 0.001))

    def met_by_all(self, size: int) -> float:
        """What comes and goes leaves of a test of all nodes, at this size; the same at each call."""
        return self._undisturbed(self.fabric.nodes, random.Random((self.seed << 8) + size))  # noqa: S311

    def share(self, group: Sequence[str], rail: Rail | None = None) -> float:
        """What its parts allow a group, without noise and without what comes and goes."""
        shares = [self._of_node(node, rail) for node in group]
        ends = sorted(group)
        for index, one in enumerate(ends):
            for other in ends[index + 1 :]:
                shares.append(self.node_pairs.get((one, other), 1.0))
                leaves = sorted((self.fabric.leaf(one), self.fabric.leaf(other)))
                if leaves[0] != leaves[1]:
                    shares.append(self.leaf_pairs.get((leaves[0], leaves[1]), 1.0))
                    shares += [self.leaves.get(leaf, 1.0) for leaf in leaves]
        return min(shares)

    def _of_node(self, node: str, rail: Rail | None) -> float:
        share, parts = self.nodes.get(node, 1.0), self.parts.get(node, {})
        if rail is not None:
            hca = rail.gpu if rail.hca is None else rail.hca
            return min(share, parts.get(f"gpu{rail.gpu}", 1.0), parts.get(f"hca{hca}", 1.0))
        alive = [left for part, left in parts.items() if left > 0]
        dead = len(parts) - len(alive)
        return min([share, *alive]) * max(0, self.gpus - dead) / self.gpus


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
        fault = chance.choice(sorted(NODE_FAULTS))
        left, number = chance.uniform(*NODE_FAULTS[fault]), chance.randrange(made.gpus)
        if fault in _PARTS:
            made.parts[name] = {f"{_PARTS[fault]}{number}": left}
        else:
            made.nodes[name] = left
    leaves = sorted(made.fabric.leaves)
    while len(made.leaf_pairs) < leaf_pairs:
        one, other = sorted(chance.sample(leaves, 2))
        made.leaf_pairs[one, other] = chance.uniform(0.4, 0.85)
    return made
