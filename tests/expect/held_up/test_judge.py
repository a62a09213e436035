"""Over which of the calls is judged, and who is accused of those that come late."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from made_up import calls, group, job
from msgspec.structs import replace

from slowlink.expect.held_up import HeldUp, Tolerances, held_up, judge
from slowlink.model.timed import Timed, TimedGroup
from slowlink.rules.running.collectives_held_up import Params

COUNT = 200


def waits(late: dict[int, Sequence[bool]], ranks: int = 8, us: float = 400.0, count: int = COUNT) -> list[list[float]]:
    """Times of calls; the late ones find all others waiting where it says so."""
    return [
        [
            1000 + (number * 7 + rank * 3) % 5 + us * (any(when[number] for when in late.values()) and not mine[number])
            for rank in range(ranks)
            for mine in [late.get(rank, [False] * count)]
        ]
        for number in range(count)
    ]


def always(since: float = 0.0, until: float = 1.0, count: int = COUNT) -> list[bool]:
    return [since * count <= number < until * count for number in range(count)]


def one(late: dict[int, Sequence[bool]], ranks: int = 8, us: float = 400.0) -> Timed:
    return job(["node01"] * ranks, [group(0, range(ranks), [calls(waits(late, ranks, us), pace_s=0.002)])])


def judged(known: Timed) -> HeldUp:
    return held_up(known, Params().tolerances())


def late_in(found: HeldUp) -> list[int]:
    return [late.process for late in found.late]


@pytest.mark.parametrize(
    ("since", "lately"), [(0.0, False), (0.2, True), (0.45, True), (0.7, True), (0.85, True), (0.93, True)]
)
def test_who_began_to_come_late_in_the_course_of_the_job_is_late(since: float, lately: bool) -> None:
    found = judged(one({3: always(since)}))
    assert late_in(found) == [3]
    assert found.late[0].lately == lately


def test_of_few_calls_the_last_quarter_is_enough() -> None:
    """The last tenth holds too few."""
    times = waits({3: always(0.85, count=60)}, count=60)
    found = judged(job(["node01"] * 8, [group(0, range(8), [calls(times, pace_s=0.002)])]))
    assert late_in(found) == [3]


def test_who_comes_late_to_the_last_twentieth_alone_is_not_yet() -> None:
    found = judged(one({3: always(0.96)}))
    assert (late_in(found), found.undecided, found.compared) == ([], (), 8)


def test_who_came_late_no_longer_is_late_where_it_was_so_most_of_the_time() -> None:
    assert late_in(judged(one({3: always(0.0, 0.8)}))) == [3]


def test_what_a_late_one_costs_is_told_from_then_on() -> None:
    """400 us of each 2 ms, and not half of it, because it was half of the time."""
    (late,) = judged(one({3: always(0.3)})).late
    assert late.share == pytest.approx(0.2, rel=0.02)
    assert late.lateness.calls == pytest.approx(0.7 * COUNT, abs=5)
    assert late.member == 3


def test_of_two_that_began_all_is_judged_since_the_last_of_them() -> None:
    """Before, its victims were sound."""
    late = judged(one({3: always(0.1), 5: always(0.4)})).late
    assert [each.process for each in late] == [3, 5]
    assert [each.lateness.calls for each in late] == [pytest.approx(0.6 * COUNT, abs=5)] * 2


def test_where_most_come_late_nobody_is_accused() -> None:
    """Three of eight come to some calls in time for nobody; of the sound ones each is early to others."""
    found = judged(one({rank: always() for rank in range(4)}))
    assert late_in(found) == []
    found = judged(one({rank: always() for rank in range(3)}))
    assert late_in(found) == [0, 1, 2]


@pytest.mark.parametrize(("sigmas", "is_late"), [(5.4, False), (5.9, True)])
def test_each_of_the_parts_gets_its_share_of_the_false_alarms(sigmas: float, is_late: bool) -> None:
    """Of four parts, and of late ranks and slow transfers: 5.7 standard deviations of what the middle is off by."""
    swing = 300 / sigmas * 20**0.5 / (1.25 * 1.4826)
    times = [[1000 + (300 + swing * (-1) ** number) * (rank != 0) for rank in range(8)] for number in range(20)]
    found = judged(job(["node01"] * 8, [group(0, range(8), [calls(times, pace_s=0.002)])]))
    assert late_in(found) == [0] * is_late


def pairs(us: float, count: int = 4) -> Timed:
    """In each pair one is the last, as in all others."""
    groups = [
        group(number, (2 * number, 2 * number + 1), [calls(waits({0: always()}, 2, us), pace_s=0.002)])
        for number in range(count)
    ]
    return job(["node01"] * 2 * count, groups)


def test_where_one_of_two_is_always_last_who_holds_up_is_open() -> None:
    found = judged(pairs(400))
    assert (found.late, found.slow) == ((), ())
    assert [late.process for late in found.undecided] == [0, 2, 4, 6]
    assert judged(pairs(30)).undecided == ()


def test_what_is_open_is_no_longer_so_where_somebody_is_late() -> None:
    known = pairs(400)
    other = one({3: always()}).groups[0]
    moved = group(9, range(8, 16), other.calls)
    found = judged(job(["node01"] * 16, [*known.groups, moved]))
    assert (late_in(found), found.undecided) == ([11], ())


def test_where_all_that_come_late_waited_for_another_it_is_open_who() -> None:
    """Two that wait for each other, each in another communicator."""
    both = [
        group(0, (0, 1, *range(2, 8)), [calls(waits({0: always()}), pace_s=0.002)]),
        group(1, (0, 1, *range(8, 14)), [calls(waits({1: always()}), pace_s=0.002)]),
    ]
    found = judged(job(["node01"] * 14, both))
    assert late_in(found) == []
    assert [late.process for late in found.undecided] == [0, 1]


def slow_transfers(times_us: Sequence[Sequence[float]]) -> list[TimedGroup]:
    """Of pairs of nodes."""
    return [
        group(20 + number, (2 * number, 2 * number + 1), [calls([[us, us + 7] for us in each], pace_s=0.002)], nnodes=2)
        for number, each in enumerate(times_us)
    ]


def nodes(count: int) -> list[str]:
    return [f"node{number:02}" for number in range(count)]


def test_what_is_slow_lately_is_found_and_said_to_be_so() -> None:
    sound, slow = [100.0] * COUNT, [100.0] * 150 + [200.0] * 50
    found = judged(job(nodes(10), slow_transfers([sound] * 4 + [slow])))
    (place,) = found.slow
    assert (place.lately, [each.transfer.group for each in place.transfers], bool(place.lacking)) == (True, [4], False)
    assert place.transfers[0].ratio == pytest.approx(2)
    assert (found.transfers, found.late) == (5, ())
    found = judged(job(nodes(10), slow_transfers([sound] * 4 + [[200.0] * COUNT])))
    assert [place.lately for place in found.slow] == [False]


@pytest.mark.parametrize(("count", "judged_ones"), [(3, 0), (4, 5)])
def test_transfers_are_judged_from_half_as_many_calls_on(count: int, judged_ones: int) -> None:
    found = judged(job(nodes(10), slow_transfers([[100.0] * count] * 4 + [[200.0] * count])))
    assert (found.transfers, len(found.slow)) == (judged_ones, judged_ones // 5)


def test_a_slow_transfer_of_which_a_rank_is_missing_lacks_it() -> None:
    groups = slow_transfers([[100.0] * COUNT] * 4 + [[200.0] * COUNT])
    groups[4] = replace(groups[4], nranks=3)
    groups[:4] = [replace(each, nranks=3) for each in groups[:4]]
    (place,) = judged(job(nodes(10), groups)).slow
    assert place.lacking.groups == (4,)


def test_who_is_late_because_of_what_is_slow_only_now_is_not_accused() -> None:
    """All along it comes late; then a transfer of its own becomes slow, and accounts for more."""
    sound, slow = [100.0] * COUNT, [100.0] * 160 + [1500.0] * 40
    late = group(9, (8, 10, 11, 12, 13), [calls(waits({0: always(0.1)}, 5), pace_s=0.002)], nnodes=5)
    found = judged(job(nodes(14), [late, *slow_transfers([sound] * 4 + [slow])]))
    assert late_in(found) == []
    assert [[each.transfer.group for each in place.transfers] for place in found.slow] == [[5]]


def test_too_few_calls_are_not_judged() -> None:
    few = [row[:] for row in waits({3: always()})[:7]]
    found = judged(job(["node01"] * 8, [group(0, range(8), [calls(few, pace_s=0.002)])]))
    assert (found.late, found.compared) == ((), 0)
    enough = calls(waits({3: always()})[:8], pace_s=0.002)
    assert judged(job(["node01"] * 8, [group(0, range(8), [enough])])).compared == 8


def test_only_who_can_be_compared_is_counted() -> None:
    """One pair without its like shows nothing."""
    of_eight = one({}).groups[0]
    pair = group(1, (8, 9), [calls(waits({}, 2), pace_s=0.002)])
    assert judged(job(["node01"] * 10, [of_eight, pair])).compared == 8


def test_once_more_is_judged_over_less_and_never_over_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change is dated by stretches: it may seem to lie before the part in which it was seen."""
    parts: list[int] = []
    plain = judge._judged

    def noted(timed: Timed, tolerances: Tolerances, part: slice) -> HeldUp:
        parts.append(part.start)
        return plain(timed, tolerances, part)

    monkeypatch.setattr(judge, "_judged", noted)
    known = one({3: always(0.6)})
    for began, again in ((400, []), (500, []), (510, [510])):
        parts.clear()
        monkeypatch.setattr(judge, "_began", lambda timed, found, began=began: began)
        judged(known)
        assert parts == [0, 500, 900, *again]
