"""How well does ``slowlink isolate`` find what is slow? Thousands of made-up clusters, beside what others do.

Rivals, from their published descriptions: random pairs, and then each suspect with a node that passed (two rounds); the
same with a third round; halves of what failed, down to pairs. They are given the same judgement of what is slow.
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
from slowlink.model.isolation import Verdict
from slowlink.simulate.cluster import Noise, SimulatedCluster, made_cluster

SLOW = 0.97
"""Of the usual rate: what rivals call slow, too."""
OTHER_NOISE = Noise(normal=0.01, heavy=0.01, heavy_loss=0.2, leaf=0.01, drift=0.03)
"""Heavy tails, leaves that share their noise, drift: nothing was tuned against it."""


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
    seconds: float = 0.0

    def add(self, cluster: SimulatedCluster, bad: set[str], rounds: int, tests: int, seconds: float) -> None:
        self.found += len(bad & cluster.sick)
        self.sick += len(cluster.sick)
        self.blamed += len(bad - cluster.sick)
        self.rounds.append(rounds)
        self.tests.append(tests)
        self.seconds += seconds

    def line(self, name: str) -> str:
        recall = f"{self.found / self.sick:7.2%}" if self.sick else "      -"
        count = len(self.rounds)
        paths = f"{self.paths_found}/{self.paths} ({self.paths_wrong} wrong)" if self.paths else "-"
        return (
            f"{name:34} {recall}  {self.blamed / count:8.3f}  {mean(self.rounds):5.1f} {max(self.rounds):4}  "
            f"{mean(self.tests):8.0f}  {paths:>18}  {self.seconds / count:7.2f}"
        )


def ours(cluster: SimulatedCluster, seed: int) -> tuple[set[str], int, int, Verdict]:
    verdict = run(Search(cluster.fabric, seed=seed), cluster.measure)
    return {bad.name for bad in verdict.bad}, verdict.rounds, verdict.tests, verdict


def known_good(rounds: int) -> Callable[[SimulatedCluster, int], tuple[set[str], int, int]]:
    """Random pairs; then suspects with nodes that passed, ``rounds`` - 1 times; slow in all of them is bad."""

    def strategy(cluster: SimulatedCluster, seed: int) -> tuple[set[str], int, int]:
        chance = random.Random(seed)
        order = list(cluster.fabric.nodes)
        chance.shuffle(order)
        pairs = [tuple(order[i : i + 2]) for i in range(0, len(order) - 1, 2)]
        if len(order) % 2:
            pairs[-1] = (*pairs[-1], order[-1])
        slow = [_is_slow(cluster, value) for value in cluster.measure(pairs)]
        suspects = {node for pair, is_slow in zip(pairs, slow, strict=True) if is_slow for node in pair}
        good = [node for node in order if node not in suspects]
        tests = len(pairs)
        for _ in range(rounds - 1):
            chance.shuffle(good)
            groups = list(zip(sorted(suspects), good, strict=False))
            values = cluster.measure(groups)
            suspects = {group[0] for group, value in zip(groups, values, strict=True) if _is_slow(cluster, value)}
            tests += len(groups)
        return suspects, rounds, tests

    return strategy


def halves(cluster: SimulatedCluster, seed: int) -> tuple[set[str], int, int]:
    """All halves of what failed, side by side, down to single nodes, which meet one that passed."""
    chance = random.Random(seed)
    order = list(cluster.fabric.nodes)
    chance.shuffle(order)
    groups: list[Sequence[str]] = [order]
    rounds = tests = 0
    while groups and len(groups[0]) > 1:
        values = cluster.measure(groups)
        rounds, tests = rounds + 1, tests + len(groups)
        failed = [group for group, value in zip(groups, values, strict=True) if _is_slow(cluster, value)]
        groups = [part for group in failed for part in (group[: len(group) // 2], group[len(group) // 2 :]) if part]
        if any(len(group) == 1 for group in groups):
            break
    suspects = {node for group in groups for node in group}
    good = [node for node in order if node not in suspects]
    last = list(zip(sorted(suspects), good, strict=False))
    values = cluster.measure(last)
    bad = {group[0] for group, value in zip(last, values, strict=True) if _is_slow(cluster, value)}
    return bad, rounds + 1, tests + len(last)


def _is_slow(cluster: SimulatedCluster, value: float | None) -> bool:
    return value is None or value < SLOW * cluster.usual_gbs


def score_ours(count: int, nodes: int, sick: int | None, leaf_pairs: int, noise: Noise | None) -> Score:
    score = Score(rounds=[], tests=[])
    for seed in range(count):
        cluster = made_cluster(seed, nodes=nodes, sick=sick, leaf_pairs=leaf_pairs, noise=noise)
        began = time.perf_counter()
        bad, rounds, tests, verdict = ours(cluster, seed)
        score.add(cluster, bad, rounds, tests, time.perf_counter() - began)
        named = {path.ends for path in verdict.paths if path.kind == "leaves"}
        right = {pair for pair in named if pair in cluster.leaf_pairs}
        score.paths += len(cluster.leaf_pairs)
        score.paths_found += len(right)
        score.paths_wrong += len(verdict.paths) - len(right)
        score.healthy_blamed += bool(not cluster.sick and not cluster.leaf_pairs and (bad or verdict.paths))
    return score


def score_rival(
    strategy: Callable[[SimulatedCluster, int], tuple[set[str], int, int]], count: int, nodes: int, noise: Noise | None
) -> Score:
    score = Score(rounds=[], tests=[])
    for seed in range(count):
        cluster = made_cluster(seed, nodes=nodes, leaf_pairs=1, noise=noise)
        began = time.perf_counter()
        bad, rounds, tests = strategy(cluster, seed)
        score.add(cluster, bad, rounds, tests, time.perf_counter() - began)
    return score


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=1250)
    given = parser.parse_args()
    count, nodes = given.clusters, given.nodes
    print(f"{count} clusters of {nodes} nodes, 32 a leaf, 1 to 10 sick nodes of mixed faults, 1 % noise")
    print(f"{'':34}  recall  blamed/c  rounds  max     tests  paths between leaves  s/cluster")
    print(score_ours(count, nodes, None, 0, None).line("slowlink"))
    print(score_ours(count, nodes, None, 1, None).line("slowlink, and one bad cable"))
    healthy = score_ours(count, nodes, 0, 0, None)
    print(healthy.line("slowlink, healthy clusters"), f"  {healthy.healthy_blamed} of {count} blamed somebody")
    print(score_ours(count, nodes, None, 1, OTHER_NOISE).line("slowlink, other noise, bad cable"))
    for name, strategy in (
        ("random pairs + known good (2)", known_good(2)),
        ("random pairs + known good (3)", known_good(3)),
        ("halves", halves),
    ):
        print(score_rival(strategy, count, nodes, None).line(f"{name}, bad cable"))
        print(score_rival(strategy, count, nodes, OTHER_NOISE).line("  the same, other noise"))
    big = score_ours(1, 10_000, None, 0, None)
    print(big.line("slowlink, 10,000 nodes"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
