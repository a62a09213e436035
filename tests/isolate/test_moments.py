"""A moment in which everything was uneven is no reason to blame those who were tried again in it."""

import random
from collections.abc import Sequence
from math import exp

import pytest

from slowlink.isolate.judge import judge
from slowlink.isolate.moments import Moments
from slowlink.isolate.plan import Group
from slowlink.isolate.search import Search, run
from slowlink.model.isolation import Fabric, Outcome, Verdict
from slowlink.simulate.cluster import Noise, SimulatedCluster

NODES = tuple(f"n{number:02}" for number in range(16))
PAIRS = tuple(zip(NODES[::2], NODES[1::2], strict=True))
QUIET = (100.0, 100.4, 99.7, 100.2, 99.9, 100.1, 99.6, 100.3)
UNEVEN = (40.0, 95.0, 55.0, 80.0, 62.0, 101.0, 48.0, 72.0)


def _moments(*rounds: Sequence[float]) -> Moments:
    outcomes = [
        Outcome(pair, gbs, number)
        for number, rates in enumerate(rounds, 1)
        for pair, gbs in zip(PAIRS, rates, strict=True)
    ]
    return Moments(outcomes, judge(outcomes, Fabric(NODES), 0.99), [False] * len(outcomes))


def test_in_quiet_rounds_a_place_says_nothing() -> None:
    moments = _moments(QUIET, QUIET[::-1], (40.0, *QUIET[1:]))
    assert [moments.place(16 + index, pair) for index, pair in enumerate(PAIRS)] == [0.0] * 8


def test_in_an_uneven_round_the_slowest_of_eight_is_slow_by_chance_one_time_in_eight() -> None:
    moments = _moments(QUIET, QUIET[::-1], UNEVEN)
    assert [moments.place(16 + index, pair) for index, pair in enumerate(PAIRS)] == [
        *(1 / 8, 7 / 8, 3 / 8, 6 / 8, 4 / 8, 1.0, 2 / 8, 5 / 8)
    ]


def test_what_lies_far_below_all_others_is_slow_whatever_the_moment() -> None:
    moments = _moments(QUIET, QUIET[::-1], (5.0, *UNEVEN[1:]))
    assert moments.place(16, PAIRS[0]) == 0.0


def _search(seed: int, *, slow: tuple[str, ...] = ()) -> Verdict:
    """Sixteen nodes, 3 % noise; now and then something else runs for up to four rounds and slows tests by chance."""
    cluster = SimulatedCluster(Fabric(NODES, {}), noise=Noise(0.03), nodes=dict.fromkeys(slow, 0.5), seed=seed)
    chance, left = random.Random(seed), 0

    def measure(groups: Sequence[Group]) -> list[float | None]:
        nonlocal left
        if left <= 0 and chance.random() < 0.12:
            left = chance.randint(1, 4)
        left -= 1
        rates = cluster.measure(groups)
        if left < 0:
            return rates
        return [None if rate is None else rate * exp(-abs(chance.gauss(0, 0.5))) for rate in rates]

    return run(Search(cluster.fabric, seed=seed), measure)


@pytest.mark.parametrize("seed", range(12, 24))
def test_nobody_is_blamed_for_a_disturbance(seed: int) -> None:
    found = _search(seed)
    assert ([bad.name for bad in found.bad], [path.ends for path in found.paths]) == ([], [])


def test_who_is_slow_at_all_times_is_found_beside_it() -> None:
    for seed in range(6):
        assert {bad.name for bad in _search(seed, slow=("n03", "n11")).bad} == {"n03", "n11"}
