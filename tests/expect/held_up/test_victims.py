"""Who waited for another is not to blame; who is late with all his node is not alone."""

from __future__ import annotations

import numpy as np
import pytest
from made_up import calls, group, job
from msgspec.structs import replace

from slowlink.expect.held_up.lateness import lateness_of, sends_lateness
from slowlink.expect.held_up.marks import Mark, marks_of
from slowlink.expect.held_up.neighbours import late_too
from slowlink.expect.held_up.transfers import Judged, SlowTransfer, Transfer
from slowlink.expect.held_up.victims import Explained
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed, TimedGroup
from slowlink.model.timed_calls import CallKind
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

WHOLE = slice(0, 1000)
NOTHING = Judged((), ())
COUNT = 20


def late_by(us: float, member: int, ranks: int = 4) -> list[list[float]]:
    """Times of calls to which one member comes later than the others, which differ by some microseconds."""
    return [
        [1000 + us * (rank != member) + (number * 7 + rank * 3) % 5 for rank in range(ranks)] for number in range(COUNT)
    ]


def explained(known: Timed, transfers: Judged = NOTHING) -> tuple[Explained, dict[int, list[Mark]]]:
    each = [one for number, group in enumerate(known.groups) for one in lateness_of(number, group, WHOLE, 8)]
    marks = list(marks_of(known, each, Params().tolerances()))
    found: dict[int, list[Mark]] = {}
    for mark in marks:
        found.setdefault(mark.process, []).append(mark)
    return Explained(known, each, marks, transfers, WHOLE), found


def victims_of(known: Timed, transfers: Judged = NOTHING) -> dict[int, bool]:
    """Of all that come late: has it waited for another?"""
    reasons, marks = explained(known, transfers)
    return {process: reasons.is_victim(process, mine) for process, mine in marks.items()}


def two_groups(late: float, waited: float) -> Timed:
    """The last rank of the second communicator is in the first one, too, and waits there for its second rank."""
    first = group(0, (0, 1, 2, 3), [calls(late_by(waited, 1))])
    second = group(1, (4, 5, 6, 3), [calls(late_by(late, 3))])
    return job(["node01"] * 7, [first, second])


def test_who_waited_for_a_late_one_is_its_victim() -> None:
    assert victims_of(two_groups(late=400, waited=400)) == {1: False, 3: True}


@pytest.mark.parametrize(("waited", "victim"), [(240, True), (160, False)])
def test_what_it_waited_must_explain_half_of_it(waited: float, victim: bool) -> None:
    assert victims_of(two_groups(late=400, waited=waited)) == {1: False, 3: victim}


def test_what_it_waited_in_calls_of_several_sizes_is_added() -> None:
    known = two_groups(late=600, waited=160)
    assert victims_of(known) == {1: False, 3: False}
    first = known.groups[0]
    small = replace(first.calls[0], kind=CallKind("all_reduce", 1 << 10))
    assert victims_of(replace(known, groups=(replace(first, calls=(*first.calls, small)), known.groups[1]))) == {
        1: False,
        3: True,
    }


def test_the_worst_that_it_is_late_by_must_be_explained() -> None:
    """It comes less late to a third communicator."""
    known = two_groups(late=400, waited=160)
    third = group(2, (7, 8, 9, 3), [calls(late_by(160, 3))])
    assert victims_of(job(["node01"] * 10, [*known.groups, third])) == {1: False, 3: False}
    assert victims_of(job(["node01"] * 10, [known.groups[0], third])) == {1: False, 3: True}


def test_of_two_that_come_late_to_the_same_calls_none_is_the_victim_of_the_other() -> None:
    times = [[value - 700 * (rank == 1) for rank, value in enumerate(row)] for row in late_by(400, 0, 8)]
    assert victims_of(job(["node01"] * 8, [group(0, range(8), [calls(times)])])) == {0: False, 1: False}


def test_who_waited_for_chance_alone_is_no_victim() -> None:
    """The rank of the other communicator comes late to so few calls that it is not blamed, and no cause."""
    known = two_groups(late=400, waited=400)
    first = known.groups[0]
    (table,) = first.calls
    swinging = table.times_us.copy()
    swinging[:, 1] = np.where(np.arange(COUNT) % 2, swinging[:, 1] + 900, swinging[:, 1])
    again = replace(known, groups=(replace(first, calls=(replace(table, times_us=swinging),)), known.groups[1]))
    assert victims_of(again) == {3: False}


def test_who_came_out_of_a_slow_transfer_is_a_victim() -> None:
    """So is who waited for it: the transfer of another communicator with one of its ranks."""
    known = two_groups(late=400, waited=0)
    kind = CallKind("all_reduce", 1 << 20)
    for us, calls_of, victim in ((400, COUNT, True), (240, COUNT, True), (160, COUNT, False), (400, COUNT // 4, False)):
        slow = SlowTransfer(Transfer(0, (0, 1, 2, 3), kind, 1000 + us, calls_of), 1000.0, 4)
        assert victims_of(known, Judged((slow,), ())) == {3: victim}


def test_who_waited_for_one_that_came_out_of_a_slow_transfer_is_a_victim() -> None:
    slow = SlowTransfer(Transfer(0, (0, 1, 2, 3), CallKind("all_reduce", 1 << 20), 1400, COUNT), 1000.0, 4)
    waiting = group(1, (4, 5, 6, 3), [calls(late_by(0, 3))])
    late = group(2, (7, 8, 9, 5), [calls(late_by(400, 3))])
    known = job(["node01"] * 10, [group(0, (0, 1, 2, 3)), waiting, late])
    assert victims_of(known, Judged((slow,), ())) == {5: True}
    assert victims_of(replace(known, groups=(known.groups[0], late)), Judged((slow,), ())) == {5: False}


def pipelines(*waits: tuple[list[float], list[float], list[float]]) -> list[TimedGroup]:
    """Of three stages each: what sends to the second, sends to the third, and receives of the third take."""
    found = []
    for number, (one, two, three) in enumerate(waits):
        of = group(
            10 + number, (3 * number, 3 * number + 1, 3 * number + 2), sends={(0, 1): one, (1, 2): two}, nnodes=3
        )
        received = replace(of.sends[1], member=2, kind=CallKind("recv", 1 << 16, 1), times_us=np.array(three, "f"))
        found.append(replace(of, sends=(*of.sends, received)))
    return found


def waits_of(groups: list[TimedGroup], shortest: float = 1.0) -> list[list[float]]:
    found = sends_lateness(groups, range(len(groups)), WHOLE, shortest=shortest)
    return [found[number].round().tolist() for number in range(len(groups))]


SOUND = ([50.0] * 10, [60.0] * 10, [70.0] * 10)


def test_each_rank_of_a_pipeline_is_held_against_the_same_rank_of_the_others() -> None:
    odd = ([150.0] * 10, [60.0] * 10, [170.0] * 10)
    assert waits_of(pipelines(SOUND, SOUND, odd)) == [[0, 0, 0], [0, 0, 0], [-500, 1000, -500]]


def test_of_two_pipelines_nothing_tells_which_waits_longer() -> None:
    assert sends_lateness(pipelines(SOUND, SOUND), range(2), WHOLE) == {}


def test_the_longest_sends_can_be_left_out() -> None:
    """All pipelines are interrupted, some sends of one are longer, and the others are not."""
    struck = [[us, us, us, us, us, us, us, us, us + 5000, us + 6000] for us in (50.0, 60.0, 70.0)]
    odd = [[us + 100 for us in struck[0][:8]] + [500.0, 500.0], struck[1], [us + 100 for us in struck[2]]]
    groups = pipelines(*[(struck[0], struck[1], struck[2])] * 3, (odd[0], odd[1], odd[2]))
    assert waits_of(groups, 0.8)[3] == [-500, 1000, -500]
    assert waits_of(groups)[3][0] > 1000


@pytest.mark.parametrize(
    ("longer", "victim"),
    [
        ([400.0] * 20, True),
        ([100.0] * 20, False),  # it does not explain half of it
        ([400.0] * 16 + [-1100.0] * 4, True),
        ([0.0] * 8 + [800.0] * 8 + [-1100.0] * 4, True),
    ],
)
def test_who_waited_in_its_sends_is_a_victim(longer: list[float], victim: bool) -> None:
    """In the fourth pipeline the second stage is slow. The first one, too, comes late to its collective. What
    interrupts all pipelines strikes it while it waits anyhow."""
    own = [0.0] * 16 + ([5000.0] * 4 if longer[-1] < 0 else [0.0] * 4)
    sound = [[us + more for more in own] for us in (50.0, 60.0, 70.0)]
    first = [us + more for us, more in zip(sound[0], longer, strict=True)]
    slow = (first, sound[1], [us + 400 for us in sound[2]])
    stages = [group(stage, range(stage, 12, 3), [calls(late_by(400, 3))], nnodes=4) for stage in (0, 1)]
    stages.append(group(2, range(2, 12, 3), [calls(late_by(0, 3))], nnodes=4))
    groups = pipelines(*[(sound[0], sound[1], sound[2])] * 3, slow)
    known = job([f"node{number:02}" for number in range(12)], [*stages, *groups])
    assert victims_of(known) == {9: victim, 10: False}


def test_what_is_lacking_of_a_process() -> None:
    whole = group(0, (0, 1, 2), [calls(late_by(400, 0, 3))])
    known = job([f"node{number:02}" for number in range(9)], [whole, *pipelines(SOUND, SOUND, SOUND)])
    lacking = explained(known)[0].lacking(0)
    assert (lacking.groups, lacking.sends, bool(lacking)) == ((), False, False)
    some = replace(known, groups=(replace(whole, nranks=4), *known.groups[1:]))
    lacking = explained(some)[0].lacking(0)
    assert (lacking.groups, lacking.sends, bool(lacking)) == ((0,), False, True)
    assert not explained(some)[0].lacking(3)
    lacking = explained(replace(known, groups=known.groups[:3]))[0].lacking(0)
    assert (lacking.groups, lacking.sends, bool(lacking)) == ((), True, True)


def node_of_eight(sick: Sick) -> Timed:
    found = timed(list(columns_of(Job(Shape(8, 4, 2), Noise(), sick, 1), 40)))
    assert found is not None
    return found


def named_too(known: Timed, named: range, victims: frozenset[int] = frozenset()) -> set[int]:
    """Who is added where only these were named."""
    each = [one for number, group in enumerate(known.groups) for one in lateness_of(number, group, WHOLE, 8)]
    roots: dict[int, list[Mark]] = {}
    for mark in marks_of(known, each, Params().tolerances()):
        if mark.process in named:
            roots.setdefault(mark.process, []).append(mark)
    assert set(roots) == set(named)
    return {*late_too(known, each, roots, lambda process, marks: process in victims)}


def test_all_of_a_node_are_late_where_some_are_and_the_others_come_as_late() -> None:
    known = node_of_eight(Sick(gpu=dict.fromkeys(range(8, 16), 0.8)))
    assert named_too(known, range(9, 11)) == {8, *range(11, 16)}
    assert named_too(known, range(8, 16)) == set()


def test_one_late_process_does_not_speak_for_its_node() -> None:
    known = node_of_eight(Sick(gpu=dict.fromkeys(range(8, 16), 0.8)))
    assert named_too(known, range(9, 10)) == set()


def test_a_node_of_which_one_waited_for_another_is_not_all_late() -> None:
    known = node_of_eight(Sick(gpu=dict.fromkeys(range(8, 16), 0.8)))
    assert named_too(known, range(9, 11), frozenset({15})) == set()


def test_a_node_of_which_one_comes_in_time_is_not_all_late() -> None:
    known = job(
        ["node01"] * 4 + ["node02"] * 12,
        [group(rank, range(rank, 16, 4), [calls(late_by(400 if rank < 3 else 150, 0))], nnodes=2) for rank in range(4)],
    )
    assert named_too(known, range(2)) == set()
    later = replace(known.groups[3], calls=(calls(late_by(250, 0)),))
    assert named_too(replace(known, groups=(*known.groups[:3], later)), range(2)) == {2, 3}


def test_who_comes_late_to_other_calls_is_not_late_as_its_neighbours_are() -> None:
    """To calls of another size one may come late for other reasons."""
    tables = [calls(late_by(400, 0), CallKind("all_reduce", 1 << (20 + (rank > 1)))) for rank in range(4)]
    groups = [group(rank, range(rank, 16, 4), [table], nnodes=2) for rank, table in enumerate(tables)]
    assert named_too(job(["node01"] * 4 + ["node02"] * 12, groups), range(2)) == set()


def test_processes_of_which_the_node_is_not_told_are_no_neighbours() -> None:
    known = node_of_eight(Sick(gpu=dict.fromkeys(range(8, 16), 0.8)))
    nowhere = tuple(replace(process, host=None, place=None, of_node=0) for process in known.processes)
    assert named_too(replace(known, processes=nowhere), range(9, 11)) == set()
