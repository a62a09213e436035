"""A whole interfere on clusters that do not exist: the effect, its interval, and for whom all wait."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from experiments.made_up import LOAD, compared
from slowlink.experiments.interference import STAGE, Comparison, Rules, percentile
from slowlink.experiments.slowest import slowest_ranks
from slowlink.model.experiment import Iterations, Late, Launched, Trial
from slowlink.report.interference import interference_text


@pytest.mark.parametrize(
    ("sd", "heavy", "drift"),
    [(0.01, 0.0, 0.0), (0.1, 0.0, 0.0), (0.03, 0.12, 0.0), (0.01, 0.0, 0.05)],
    ids=["even", "noisy", "heavy tails", "drift"],
)
def test_a_load_that_does_nothing_has_no_effect_and_no_rank(sd: float, heavy: float, drift: float) -> None:
    for seed in range(10):
        found = compared(0.0, seed, sd, heavy=heavy, drift=drift).verdict()
        assert found.standing in ("open", "does-not-matter")
        assert found.slowest == ()


def test_effect_interval_and_rank() -> None:
    held = 0
    for seed in range(20):
        found = compared(math.log(1.4), seed, 0.05, late_rank=2).verdict()
        assert found.standing == "harms"
        assert [each.ranks for each in found.slowest] == [(2,)]
        shift = found.quantities[0].shift
        held += shift.low <= math.log(1.4) <= shift.high
    assert held >= 18


def test_a_few_iterations_that_are_much_slower() -> None:
    """Field report 000: one iteration in eight is hit; the median does not show it, mean and 99th percentile do."""
    found = compared(math.log(10), 3, 0.01, late_rank=1, duty=0.12).verdict()
    mean, middle, far = (each.shift for each in found.quantities)
    assert mean.low > 0.2
    assert abs(middle.estimate) < 0.02
    assert far.low > 2
    assert found.slowed is not None
    assert found.slowed[1] <= 0.12 <= found.slowed[2]
    assert found.slowest[0].host == "node2"


def test_what_slows_all_alike_names_nobody() -> None:
    found = compared(0.3, 4, 0.02).verdict()
    assert (found.standing, found.slowest, found.ranks_seen) == ("harms", (), 4)
    assert "none of 4 comes later, or waits more" in interference_text(found, "all_reduce")


def test_all_ranks_of_a_node_are_one() -> None:
    off = [Launched(Trial(1, STAGE), {8: 100.0}, late=lateness({})) for _ in range(6)]
    on = [Launched(Trial(2, STAGE, (LOAD.id,)), {8: 200.0}, late=lateness({4: 80.0, 5: 90.0})) for _ in range(6)]
    (node,) = slowest_ranks(off, on)
    assert (node.ranks, node.host, round(node.rise_us)) == ((4, 5), "node3", 90)


def lateness(extra: dict[int, float], ranks: int = 8) -> tuple[Late, ...]:
    return tuple(Late(rank, f"node{rank // 2 + 1}", extra.get(rank, 0.1 * rank), 0.1) for rank in range(ranks))


def test_what_the_clocks_may_be_off_is_taken_off() -> None:
    def launch(late: float) -> Launched:
        entries = [Late(rank, None, late if rank == 1 else 0.0, 0.2, 60.0) for rank in range(4)]
        return Launched(Trial(1, STAGE), {8: 100.0}, late=tuple(entries))

    assert slowest_ranks([launch(0.0)] * 5, [launch(100.0)] * 5) == []
    assert [each.ranks for each in slowest_ranks([launch(0.0)] * 5, [launch(200.0)] * 5)] == [(1,)]


def test_two_bundles_are_not_mixed_and_it_is_said() -> None:
    on = Trial(1, STAGE, (LOAD.id,))
    results = [Launched(Trial(1, STAGE), {8: 100.0 + step}) for step in range(6)]
    results += [Launched(on, {8: 70.0 + step}) for step in range(6)]
    found = Comparison(Rules(LOAD), results, by_lot=False).verdict()
    assert (found.standing, found.by_lot, found.launches) == ("helps", False, 12)
    assert "all that changed between them counts" in found.notes[0]


def test_launches_that_fail_count_for_nothing_and_end_it() -> None:
    comparison = Comparison(Rules(LOAD))
    while trials := comparison.plan():
        for trial in trials:
            why = "the load on node3: there is no dcgmi" if trial.on else ""
            comparison.add(Launched(trial, {} if why else {8: 100.0}, why))
    found = comparison.verdict()
    assert (found.standing, found.pairs, found.launches) == ("open", 0, 6)
    assert "there is no dcgmi" in found.notes[0]


@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=30), st.floats(0, 1))
@settings(max_examples=50)
def test_a_percentile_lies_between_the_ends(values: list[float], share: float) -> None:
    assert min(values) <= percentile(values, share) * (1 + 1e-9)
    assert percentile(values, share) <= max(values) * (1 + 1e-9)
    assert percentile(values, 1.0) == max(values)


@given(st.integers(0, 1000), st.integers(0, 20))
@settings(max_examples=20)
def test_an_answer_at_any_moment(seed: int, launches: int) -> None:
    whole = compared(0.2, seed, 0.05)
    part = Comparison(whole.rules, whole.results[:launches])
    assert len(interference_text(part.verdict(), "all_reduce").splitlines()) <= 20


def test_iterations_of_no_length_are_no_error() -> None:
    results = [
        Launched(Trial(1, STAGE, on, LOAD.id, 1), {8: 1.0}, iterations=(Iterations(8, (0.0,) * 10),))
        for on in ((), (LOAD.id,))
    ]
    assert Comparison(Rules(LOAD), results).verdict().standing == "open"


def test_the_answer_in_words() -> None:
    found = compared(math.log(1.4), 1, 0.02, late_rank=2).verdict()
    assert interference_text(found, "all_reduce, 4 ranks on 4 nodes, 1 MiB") == snapshot("""\
SLOWER  cpu on node3 makes all_reduce, 4 ranks on 4 nodes, 1 MiB +38.8 % [+34.3, +44.3] longer; all wait for rank 2 on node3

  mean     +38.8 % [+34.3, +44.3]       99.66 -> 138.1 us
  median   +38.9 % [+34.1, +44.6]       99.67 -> 137.8 us
  p99      +38.1 % [+32.5, +44.4]       104.4 -> 143.3 us
  slowed   99% of the iterations [99%, 100%] take longer than 99 % of those without
  rank     rank 2 on node3: 40 us later than without it, last of all in 25% -> 90% of the iterations
  note     from launch 7 on everything is 2.3% faster, whatever is on
  sure     95% for the mean, whenever one stops; less than 1.0% does not matter
  cost     14 launches in 7 pairs; launches of the same differ by 1.8%\
""")


def test_a_rank_that_shares_its_processor_is_named_though_it_is_not_late() -> None:
    """Its partners come later: they left the collective with it, and had to wake up."""

    def launch(waits: tuple[float, ...], late_us: tuple[float, ...]) -> Launched:
        entries = [Late(rank, f"node{rank + 1}", late_us[rank], 0.2, 1.0, waits[rank]) for rank in range(4)]
        return Launched(Trial(1, STAGE), {8: 100.0}, late=tuple(entries))

    off = [launch((0.85, 0.70, 0.70, 0.71), (5.0, 4.0, 0.0, 0.0))] * 6
    on = [launch((0.87, 0.70, 0.99, 0.70), (0.0, 0.0, 50.0, 60.0))] * 6
    (found,) = slowest_ranks(off, on)
    assert (found.ranks, found.host, found.waits) == ((2,), "node3", (0.70, 0.99))
    alike = [launch((0.95, 0.93, 0.94, 0.95), (0.0, 0.0, 0.0, 0.0))] * 6
    assert slowest_ranks(off, alike) == []
