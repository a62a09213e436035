"""What a test is compared with, and how even sound groups are."""

from __future__ import annotations

from statistics import fmean

from slowlink.isolate.judge import judge
from slowlink.isolate.search import Search, run
from slowlink.model.isolation import Fabric, Outcome
from slowlink.simulate.cluster import Noise, SimulatedCluster

NAMES = tuple(f"n{number}" for number in range(1, 9))
ROUNDS = (
    (("n1", "n2"), ("n3", "n4"), ("n5", "n6"), ("n7", "n8")),
    (("n1", "n3"), ("n2", "n4"), ("n5", "n7"), ("n6", "n8")),
    (("n1", "n4"), ("n2", "n3"), ("n5", "n8"), ("n6", "n7")),
)


def slow(*rates: tuple[float, float, float, float]) -> set[tuple[str, ...]]:
    """Pairs that are slow, in rounds of four tests with these rates."""
    outcomes = [
        Outcome(pair, rate, number)
        for number, (pairs, round_rates) in enumerate(zip(ROUNDS, rates, strict=True), 1)
        for pair, rate in zip(pairs, round_rates, strict=True)
    ]
    judged = judge(outcomes, Fabric(NAMES), 0.99)
    return {outcome.group for index, outcome in enumerate(outcomes) if judged.is_slow(index)}


def test_a_lucky_test_makes_nobody_beside_it_slow() -> None:
    assert slow((1.0, 1.0, 1.0, 1.0), (1.0, 0.99, 1.7, 1.0), (1.01, 1.0, 1.0, 1.0)) == set()


def test_a_slow_moment_is_nobodys_fault() -> None:
    assert slow((1.0, 1.0, 1.0, 1.0), (0.8, 0.81, 0.8, 0.8), (1.01, 1.0, 1.0, 1.0)) == set()


def test_several_slow_ones_of_a_few_are_no_moment() -> None:
    assert slow((1.0, 1.0, 1.0, 1.0), (0.6, 0.6, 1.0, 1.0), (1.01, 1.0, 1.0, 1.0)) == {("n1", "n3"), ("n2", "n4")}


def test_the_spread_of_few_is_not_read_too_small() -> None:
    """A test that is among its own references looks more even than it is."""
    spreads = []
    for seed in range(20):
        fabric = Fabric(tuple(f"n{number:02}" for number in range(12)))
        search = Search(fabric, seed=seed)
        run(search, SimulatedCluster(fabric, noise=Noise(0.1), seed=seed).measure)
        spreads.append(search.judged().spread)
    assert 0.09 < fmean(spreads) < 0.13
