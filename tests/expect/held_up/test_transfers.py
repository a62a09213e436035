"""Which transfers are slow, and where."""

from __future__ import annotations

from math import exp

import pytest
from made_up import REDUCE, calls, group, job
from msgspec.structs import replace

from slowlink.expect.held_up.places import Place, places_of
from slowlink.expect.held_up.transfers import Judged, crosses_nodes, judged_transfers
from slowlink.model.timed import Timed, TimedGroup

WHOLE = slice(0, 1000)


def transfers_of(timed: Timed, *, fewest_calls: int = 4, fewest_alike: int = 4, least: float = 1.15) -> Judged:
    return judged_transfers(
        timed, WHOLE, fewest_calls=fewest_calls, fewest_alike=fewest_alike, least=least, false_alarms=0.01
    )


def pairs_of(*times_us: float, count: int = 10) -> Timed:
    """Two nodes for each time; the first of a pair takes the time, and the other waits 7 us besides."""
    groups = [
        group(number, (2 * number, 2 * number + 1), [calls([[us, us + 7]] * count)], nnodes=2)
        for number, us in enumerate(times_us)
    ]
    return job([f"node{number:02}" for number in range(2 * len(times_us))], groups)


def sends_of(*times_us: list[float]) -> Timed:
    """From the first to the second of a pair of nodes."""
    groups = [
        group(number, (2 * number, 2 * number + 1), sends={(0, 1): times}, nnodes=2)
        for number, times in enumerate(times_us)
    ]
    return job([f"node{number:02}" for number in range(2 * len(times_us))], groups)


def slow_in(found: Judged) -> list[tuple[int, float]]:
    return [(slow.transfer.group, round(slow.ratio, 2)) for slow in found.slow]


def test_the_shortest_time_of_a_call_is_the_transfer() -> None:
    found = transfers_of(pairs_of(100, 100, 150, 100, 100))
    assert slow_in(found) == [(2, 1.5)]
    assert [transfer.group for transfer in found.sound] == [0, 1, 3, 4]
    assert (found.slow[0].alike, found.slow[0].transfer.calls) == (5, 10)


def test_a_transfer_must_be_slower_by_as_much_as_is_asked_for() -> None:
    assert slow_in(transfers_of(pairs_of(100, 100, 100, 100, 114))) == []
    assert slow_in(transfers_of(pairs_of(100, 100, 100, 100, 116))) == [(4, 1.16)]


def test_a_transfer_must_be_slower_than_chance_allows_where_all_differ() -> None:
    assert slow_in(transfers_of(pairs_of(80, 90, 100, 110, 125))) == []


def test_too_few_alike_are_neither_slow_nor_sound() -> None:
    assert transfers_of(pairs_of(100, 100, 150)) == Judged((), ())
    assert len(transfers_of(pairs_of(100, 100, 100, 150)).slow) == 1


@pytest.mark.parametrize("fewest", [1, 2])
def test_of_two_none_is_sound_however_few_are_asked_for(fewest: int) -> None:
    """They show no spread: nothing tells how much they may differ."""
    assert transfers_of(pairs_of(100, 500), fewest_alike=fewest) == Judged((), ())


def test_too_few_calls_are_not_judged() -> None:
    assert transfers_of(pairs_of(100, 100, 100, 150, count=3)) == Judged((), ())
    assert len(transfers_of(pairs_of(100, 100, 100, 150, count=4)).slow) == 1
    assert transfers_of(sends_of(*[[50.0] * 3] * 4)) == Judged((), ())
    assert len(transfers_of(sends_of(*[[50.0] * 4] * 4)).sound) == 4


@pytest.mark.parametrize("fewest", [0, 1])
def test_of_no_call_nothing_follows_and_of_a_mean_it_may(fewest: int) -> None:
    assert len(transfers_of(pairs_of(100, 100, 100, 150, count=1), fewest_calls=fewest).slow) == 1
    known = pairs_of(100, 100, 100, 150, count=1)
    early = slice(0, 900)  # no call is in it
    found = judged_transfers(known, early, fewest_calls=fewest, fewest_alike=4, least=1.15, false_alarms=0.01)
    assert found == Judged((), ())


def test_healthy_transfers_may_differ_by_some_percent_whatever_is_asked_for() -> None:
    assert slow_in(transfers_of(pairs_of(*[1000] * 7, 1015), least=1.0)) == []
    assert slow_in(transfers_of(pairs_of(*[1000] * 7, 1027), least=1.0)) == [(7, 1.03)]


def test_how_much_chance_allows_follows_from_those_that_are_tested() -> None:
    """That beside these eight there are hundreds without their like makes no difference."""
    known = pairs_of(*(100 * exp(log_us) for log_us in (-0.06, -0.04, -0.02, 0, 0.02, 0.04, 0.06, 0.265)))
    (table,) = known.groups[0].calls
    lone = [
        replace(known.groups[0], calls=(replace(table, kind=replace(REDUCE, size_bytes=size)),)) for size in range(300)
    ]
    assert slow_in(transfers_of(known, least=1.0)) == []
    assert slow_in(transfers_of(replace(known, groups=(*known.groups, *lone)), least=1.0)) == []


def test_only_what_is_alike_is_compared() -> None:
    """Other sizes, other methods, other numbers of ranks and of nodes."""
    known = pairs_of(100, 100, 100, 100)
    odd = known.groups[0]
    (table,) = odd.calls
    others = [
        replace(odd, calls=(replace(table, kind=replace(REDUCE, size_bytes=7), times_us=table.times_us * 2),)),
        replace(odd, calls=(replace(table, kind=replace(REDUCE, method="Tree_ll"), times_us=table.times_us * 2),)),
        replace(odd, calls=(replace(table, times_us=table.times_us * 2),), nranks=3),
        replace(odd, calls=(replace(table, times_us=table.times_us * 2),), nnodes=1),
    ]
    for other in others:
        found = transfers_of(replace(known, groups=(*known.groups, other)))
        assert (found.slow, len(found.sound)) == ((), 4)


def test_collectives_in_which_not_all_wait_for_all_tell_nothing() -> None:
    known = pairs_of(100, 100, 100, 150)
    broadcast = replace(REDUCE, collective="broadcast")
    groups = [replace(each, calls=(replace(each.calls[0], kind=broadcast),)) for each in known.groups]
    assert transfers_of(replace(known, groups=tuple(groups))) == Judged((), ())


def test_the_quickest_sends_found_the_other_waiting() -> None:
    waiting = [50.0, *[900.0] * 9] * 10
    found = transfers_of(sends_of(*[waiting] * 2, *[[50.0, 900.0] * 50] * 2, [100.0] * 100))
    assert slow_in(found) == [(4, 2.0)]


def test_sends_that_became_slow_are_slow() -> None:
    """For more than half of the time; that the first of them were quick clears nobody."""
    sound = [50.0, 80.0] * 50
    found = transfers_of(sends_of(*[sound] * 4, [50.0] * 35 + [100.0] * 65))
    assert slow_in(found) == [(4, 2.0)]
    assert slow_in(transfers_of(sends_of(*[sound] * 4, [50.0] * 65 + [100.0] * 35))) == []


def test_one_send_in_twenty_may_be_quicker_than_a_transfer_is() -> None:
    found = transfers_of(sends_of(*[[10.0, 50.0, *[900.0] * 18] * 5] * 4))
    assert [transfer.us for transfer in found.sound] == [50] * 4


@pytest.mark.parametrize(
    ("quick", "slow", "is_slow"),
    [
        (40, 60, True),  # five stretches of 20: three are slow
        (45, 55, False),  # in the third of them some are quick
        (21, 29, False),  # five stretches of 10
        (10, 20, True),  # three of 10
        (9, 20, False),  # too few for stretches
        (2, 27, True),  # and less than a tenth is quick
    ],
)
def test_sends_are_slow_that_are_so_most_of_the_time(quick: int, slow: int, is_slow: bool) -> None:
    found = transfers_of(sends_of(*[[50.0] * 30] * 4, [50.0] * quick + [100.0] * slow))
    assert slow_in(found) == ([(4, 2.0)] if is_slow else [])


def test_a_send_is_what_the_quicker_side_saw() -> None:
    known = sends_of(*[[50.0] * 10] * 4, [50.0] * 10)
    last = known.groups[4]
    late = replace(last.sends[0], member=1, kind=replace(last.sends[0].kind, collective="recv", peer=0))
    for times in (500, 30):
        both = replace(last, sends=(last.sends[0], replace(late, times_us=late.times_us * 0 + times)))
        found = transfers_of(replace(known, groups=(*known.groups[:4], both)))
        assert found.slow == ()
        assert [transfer.us for transfer in found.sound] == [50, 50, 50, 50, min(50, times)]
        assert {transfer.ends for transfer in found.sound} == {(2 * number, 2 * number + 1) for number in range(5)}


def test_sends_to_nobody_known_tell_nothing() -> None:
    known = sends_of(*[[50.0] * 10] * 5)
    (sends,) = known.groups[0].sends
    for peer in (7, 0, None):
        odd = replace(known.groups[0], sends=(replace(sends, kind=replace(sends.kind, peer=peer)),))
        assert len(transfers_of(replace(known, groups=(odd, *known.groups[1:]))).sound) == 4


def test_sends_inside_nodes_are_compared_with_their_like() -> None:
    inside = [group(number, (number, number + 1), sends={(0, 1): [10.0] * 10}) for number in range(4)]
    across = [group(9, (3, 5), sends={(0, 1): [50.0] * 10})]
    found = transfers_of(job(["node01"] * 5 + ["node02"], inside + across))
    assert (found.slow, len(found.sound)) == ((), 4)


def test_what_leaves_a_node() -> None:
    known = job(["node01", "node02", "node02", None], [])
    for processes, nnodes, crosses in (
        ((0, 1), None, True),
        ((1, 2), None, False),
        ((0, 3), None, None),
        ((0, 3), 2, True),
        ((0, 3), 1, False),
    ):
        some = [group(number, processes, [calls([[5, 5]] * 4)], nnodes=nnodes) for number in range(3)]
        here = replace(known, groups=tuple(some))
        found = transfers_of(here, fewest_alike=3)
        assert {crosses_nodes(transfer, here) for transfer in found.sound} == {crosses}


def place_of(timed: Timed) -> Place:
    ((place, _),) = places_of(transfers_of(timed), timed)
    return place


def inside_nodes(times_us: list[float]) -> list[TimedGroup]:
    return [group(number, (2 * number, 2 * number + 1), [calls([[us, us]] * 10)]) for number, us in enumerate(times_us)]


def test_a_communicator_inside_a_node_says_nothing_of_its_hcas() -> None:
    """All its ranks are in the slow transfer, and none in a sound one."""
    known = job([f"node{number // 2:02}" for number in range(10)], inside_nodes([100, 100, 200, 100, 100]))
    assert place_of(known) == Place("inside", (4, 5), ("node02",), 2)


def test_sends_inside_a_node_have_one_end_in_common_and_it_is_no_hca() -> None:
    hosts = [f"node{number // 4:02}" for number in range(20)]
    groups = [
        group(10 * node + other, (4 * node, 4 * node + other), sends={(0, 1): [20.0 if node == 1 else 10.0] * 10})
        for node in range(5)
        for other in (1, 2, 3)
    ]
    assert place_of(job(hosts, groups)) == Place("inside", (4,), ("node01",), 1)


def pairs_between(slow: set[int], count: int) -> Timed:
    """Two nodes with two GPUs each are joined by two communicators; ``slow``: pairs of nodes."""
    groups = [
        group(2 * number + rail, (4 * number + rail, 4 * number + 2 + rail), [calls([[us, us]] * 10)], nnodes=2)
        for number in range(count)
        for us in [200 if number in slow else 100]
        for rail in (0, 1)
    ]
    return job([f"node{number // 2:02}" for number in range(4 * count)], groups)


def test_two_nodes_that_share_all_slow_transfers_cannot_be_told_apart() -> None:
    assert place_of(pairs_between({1}, 5)) == Place("somewhere", (4, 5, 6, 7), ("node02", "node03"), 4)


def test_a_node_of_which_all_ends_are_slow_to_several_is_that_node() -> None:
    known = pairs_between({1}, 5)
    (table,) = known.groups[2].calls
    more = [group(30 + rail, (4 + rail, 20 + rail), [table], nnodes=2) for rail in (0, 1)]
    nodes = job([f"node{number // 2:02}" for number in range(22)], [*known.groups, *more])
    assert place_of(nodes) == Place("node", (4, 5), ("node02",), 1)
