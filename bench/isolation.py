"""How well does ``slowlink isolate`` find what is slow? Thousands of made-up clusters, beside what others do.

Rivals, from their published descriptions (docs/physics.md names them):

- random pairs, and then each suspect with a node that passed, in a second round, or a third;
- all pairs, in as many rounds as nodes; a node is bad where the median over its partners is slow;
- halves of what failed, all of a level side by side, down to single nodes, which meet one that passed;
- sqrt(N) groups of sqrt(N) nodes, and halves of those that fail.

They are told what a sound group gives; slowlink is not. A test takes the same time whatever its size: node-minutes are
nodes times tests, at a minute a test.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from statistics import mean

from msgspec import Struct

from slowlink.isolate.search import Search, run
from slowlink.simulate.cluster import Noise, SimulatedCluster, made_cluster

SLOW = 0.97
"""Of the usual rate: what rivals call slow, too."""
OTHER_NOISE = Noise(normal=0.01, heavy=0.01, heavy_loss=0.2, leaf=0.01, drift=0.03)
"""Heavy tails, leaves that share their noise, drift: nothing was tuned against it."""


class Cost(Struct):
    """What a strategy has run."""

    rounds: int = 0
    tests: int = 0
    node_tests: int = 0

    def measure(self, cluster: SimulatedCluster, groups: Sequence[Sequence[str]]) -> list[bool]:
        """A round: which of these are slow?"""
        self.rounds += 1
        self.tests += len(groups)
        self.node_tests += sum(map(len, groups))
        return [value is None or value < SLOW * cluster.usual_gbs for value in cluster.measure(groups)]


class Score(Struct):
    """Of one strategy over many clusters."""

    found: int = 0
    sick: int = 0
    blamed: int = 0
    """Nodes that are sound."""
    paths: int = 0
    paths_found: int = 0
    paths_wrong: int = 0
    healthy_blamed: int = 0
    """Clusters without a fault in which somebody, or a path, was blamed."""
    rounds: list[int] = []
    tests: list[int] = []
    node_tests: list[int] = []
    seconds: float = 0.0

    def add(self, cluster: SimulatedCluster, bad: set[str], cost: Cost, seconds: float) -> None:
        self.found += len(bad & cluster.sick)
        self.sick += len(cluster.sick)
        self.blamed += len(bad - cluster.sick)
        self.rounds.append(cost.rounds)
        self.tests.append(cost.tests)
        self.node_tests.append(cost.node_tests)
        self.seconds += seconds

    def line(self, name: str) -> str:
        recall = f"{self.found / self.sick:7.2%}" if self.sick else "      -"
        count = len(self.rounds)
        paths = f"{self.paths_found}/{self.paths} ({self.paths_wrong} wrong)" if self.paths else "-"
        return (
            f"{name:34} {recall}  {self.blamed / count:8.3f}  {mean(self.rounds):5.1f} {max(self.rounds):4}  "
            f"{mean(self.tests):8.0f}  {mean(self.node_tests):9.0f}  {paths:>18}  {self.seconds / count:7.2f}"
        )


Strategy = Callable[[SimulatedCluster, int, Cost], set[str]]


def known_good(rounds: int) -> Strategy:
    """Random pairs; then suspects with nodes that passed, ``rounds`` - 1 times; slow in all of them is bad."""

    def strategy(cluster: SimulatedCluster, seed: int, cost: Cost) -> set[str]:
        chance = random.Random(seed)
        order = list(cluster.fabric.nodes)
        chance.shuffle(order)
        pairs = [tuple(order[i : i + 2]) for i in range(0, len(order) - 1, 2)]
        if len(order) % 2:
            pairs[-1] = (*pairs[-1], order[-1])
        slow = cost.measure(cluster, pairs)
        suspects = {node for pair, is_slow in zip(pairs, slow, strict=True) if is_slow for node in pair}
        good = [node for node in order if node not in suspects]
        for _ in range(rounds - 1):
            chance.shuffle(good)
            groups = list(zip(sorted(suspects), good, strict=False))
            slow = cost.measure(cluster, groups)
            suspects = {group[0] for group, is_slow in zip(groups, slow, strict=True) if is_slow}
        return suspects

    return strategy


def all_pairs(cluster: SimulatedCluster, seed: int, cost: Cost) -> set[str]:
    """The circle method: everybody meets everybody once."""
    order: list[str] = list(cluster.fabric.nodes)
    random.Random(seed).shuffle(order)
    order += ["-"] * (len(order) % 2)
    counts = dict.fromkeys(order, 0)
    for _ in range(len(order) - 1):
        pairs = [(order[i], order[-1 - i]) for i in range(len(order) // 2)]
        pairs = [pair for pair in pairs if "-" not in pair]
        for pair, is_slow in zip(pairs, cost.measure(cluster, pairs), strict=True):
            for node in pair if is_slow else ():
                counts[node] += 1
        order[1:] = [order[-1], *order[1:-1]]
    return {node for node, count in counts.items() if 2 * count > len(order) - 1}


def halves(cluster: SimulatedCluster, seed: int, cost: Cost) -> set[str]:
    """All halves of what failed, side by side, down to single nodes, which meet one that passed."""
    order = list(cluster.fabric.nodes)
    random.Random(seed).shuffle(order)
    return _halved(cluster, [order], order, cost)


def square_groups(cluster: SimulatedCluster, seed: int, cost: Cost) -> set[str]:
    """sqrt(N) groups side by side, then halves of those that failed."""
    order = list(cluster.fabric.nodes)
    random.Random(seed).shuffle(order)
    size = max(2, round(len(order) ** 0.5))
    return _halved(cluster, [order[i : i + size] for i in range(0, len(order), size)], order, cost)


def _halved(cluster: SimulatedCluster, groups: Sequence[Sequence[str]], order: list[str], cost: Cost) -> set[str]:
    alone = [group[0] for group in groups if len(group) == 1]
    groups = [group for group in groups if len(group) > 1]
    while groups:
        slow = cost.measure(cluster, groups)
        failed = [group for group, is_slow in zip(groups, slow, strict=True) if is_slow]
        parts = [part for group in failed for part in (group[: len(group) // 2], group[len(group) // 2 :])]
        alone += [part[0] for part in parts if len(part) == 1]
        groups = [part for part in parts if len(part) > 1]
    suspects = set(alone)
    last = list(zip(sorted(suspects), (node for node in order if node not in suspects), strict=False))
    slow = cost.measure(cluster, last)
    return {group[0] for group, is_slow in zip(last, slow, strict=True) if is_slow}


def score_ours(count: int, nodes: int, sick: int | None, leaf_pairs: int, noise: Noise | None) -> Score:
    score = Score(rounds=[], tests=[], node_tests=[])
    for seed in range(count):
        cluster = made_cluster(seed, nodes=nodes, sick=sick, leaf_pairs=leaf_pairs, noise=noise)
        began = time.perf_counter()
        verdict = run(Search(cluster.fabric, seed=seed), cluster.measure)
        bad = {each.name for each in verdict.bad}
        cost = Cost(verdict.rounds, verdict.tests, verdict.node_tests)
        score.add(cluster, bad, cost, time.perf_counter() - began)
        named = {path.ends for path in verdict.paths if path.kind == "leaves"}
        right = {pair for pair in named if pair in cluster.leaf_pairs}
        score.paths += len(cluster.leaf_pairs)
        score.paths_found += len(right)
        score.paths_wrong += len(verdict.paths) - len(right)
        score.healthy_blamed += bool(not cluster.sick and not cluster.leaf_pairs and (bad or verdict.paths))
    return score


def score_rival(strategy: Strategy, count: int, nodes: int, noise: Noise | None) -> Score:
    score = Score(rounds=[], tests=[], node_tests=[])
    for seed in range(count):
        cluster, cost = made_cluster(seed, nodes=nodes, leaf_pairs=1, noise=noise), Cost()
        began = time.perf_counter()
        score.add(cluster, strategy(cluster, seed, cost), cost, time.perf_counter() - began)
    return score


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=1250)
    given = parser.parse_args()
    count, nodes = given.clusters, given.nodes
    print(f"{count} clusters of {nodes} nodes, 32 a leaf, 1 to 10 sick nodes of mixed faults, 1 % noise")
    print(f"{'':34}  recall  blamed/c  rounds  max     tests  node-min  paths between leaves  s/cluster")
    print(score_ours(count, nodes, None, 0, None).line("slowlink"))
    print(score_ours(count, nodes, None, 1, None).line("slowlink, and one bad cable"))
    healthy = score_ours(count, nodes, 0, 0, None)
    print(healthy.line("slowlink, healthy clusters"), f"  {healthy.healthy_blamed} of {count} blamed somebody")
    print(score_ours(count, nodes, None, 1, OTHER_NOISE).line("slowlink, other noise, bad cable"))
    for name, strategy in (
        ("random pairs + known good (2)", known_good(2)),
        ("random pairs + known good (3)", known_good(3)),
        ("halves", halves),
        ("sqrt(N) groups, then halves", square_groups),
        ("all pairs", all_pairs),
    ):
        # All pairs take a thousand rounds: few clusters say enough.
        some = max(1, count // 20) if strategy is all_pairs else count
        print(score_rival(strategy, some, nodes, None).line(f"{name}, bad cable"), flush=True)
        print(score_rival(strategy, some, nodes, OTHER_NOISE).line("  the same, other noise"), flush=True)
    big = score_ours(1, 10_000, None, 0, None)
    print(big.line("slowlink, 10,000 nodes"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
