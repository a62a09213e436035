"""MPI on CPU memory beside other programs: what noise explains blames nobody, and proves nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import exp, log

import pytest

from ladder.machines import nodes, plan_of
from slowlink.averages import median
from slowlink.ladder.climb import next_tests
from slowlink.ladder.judge import waterfall
from slowlink.ladder.plan import Machine
from slowlink.model.ladder import AGAIN, Ladder, LadderPlan, LadderResult, LadderTest, Rung
from slowlink.model.source import Ref

PAIRS = "pairs-host"


def climbed(launch: Callable[[LadderTest], list[tuple[float, float]]], count: int = 4) -> Rung:
    """The layer of pairs, climbed as ``check`` does it. ``launch``: both placements of each size, GB/s."""
    plan: LadderPlan = plan_of(Machine(nodes(count), ranks_per_node=1), layers=frozenset({PAIRS}))
    found: dict[str, LadderResult] = {}
    while tests := next_tests(plan, tuple(found.values())):
        for test in tests:
            cells = launch(test)
            gbs, apart = median(max(both) for both in cells), tuple(log(one / other) for one, other in cells)
            name = test.name.removesuffix(AGAIN)
            result = LadderResult(test, gbs, "", Ref(test.name, 1), apart=apart)
            if (first := found.get(name)) is not None:
                better = result if gbs > (first.gbs or 0.0) else first
                both = (*first.apart, *apart)
                planned = next(each for each in plan.tests if each.name == name)
                result = LadderResult(planned, better.gbs, "", better.ref, True, first.gbs, gbs, both)
            found[name] = result
    return next(rung for rung in waterfall(Ladder(plan, tuple(found.values()))).rungs if rung.layer == PAIRS)


def noisy(chance: random.Random, within: float, between: float, usual: float = 0.3) -> list[tuple[float, float]]:
    """One launch: three sizes in both placements."""
    level = usual * exp(chance.gauss(0, between))
    return [(level * exp(chance.gauss(0, within)), level * exp(chance.gauss(0, within))) for _ in range(3)]


@pytest.mark.parametrize(("within", "between"), [(0.05, 0.05), (0.3, 0.3), (0.5, 0.5), (0.8, 0.5)])
def test_a_busy_machine_blames_nobody(within: float, between: float) -> None:
    chance = random.Random(1)
    states = [climbed(lambda _: noisy(chance, within, between)) for _ in range(200)]
    assert sum(bool(rung.blamed or rung.open) for rung in states) <= 3
    if within > 0.25:
        assert sum(rung.state == "measured" for rung in states) >= 140


@pytest.mark.parametrize(("within", "between"), [(0.05, 0.05), (0.3, 0.2), (0.5, 0.3)])
def test_a_slow_link_is_found_all_the_same(within: float, between: float) -> None:
    """One of 100 Mbit/s among nodes that give 0.3 GB/s: it is as steady as it is slow."""
    chance = random.Random(2)

    def launch(test: LadderTest) -> list[tuple[float, float]]:
        return [(0.012, 0.0119)] * 3 if "node3" in test.nodes else noisy(chance, within, between)

    blamed = [{part.name for part in climbed(launch).blamed} for _ in range(100)]
    assert sum(names == {"node3"} for names in blamed) >= 95


def test_the_fastest_is_done_again_beside_what_was_slow() -> None:
    """The machine got busy after the first pair: what is slow then is the moment."""
    ran: list[str] = []

    def launch(test: LadderTest) -> list[tuple[float, float]]:
        ran.append(test.name)
        return [(0.32, 0.30)] * 3 if len(ran) == 1 else [(0.09, 0.08)] * 3

    rung = climbed(launch)
    assert "pairs-host/node1+node2@again" in ran
    assert (rung.state, rung.blamed) == ("measured", ())


def test_what_is_slow_and_unsteady_is_not_blamed_beside_what_is_slow_and_steady() -> None:
    def launch(test: LadderTest) -> list[tuple[float, float]]:
        if "node3" in test.nodes:
            return [(0.008, 0.0081)] * 3
        if "node4" in test.nodes:
            return [(0.066, 0.15), (0.06, 0.028), (0.066, 0.03)]
        return [(0.14, 0.15)] * 3

    assert [part.name for part in climbed(launch).blamed] == ["node3"]
