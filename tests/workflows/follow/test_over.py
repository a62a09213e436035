"""What is over, by the clocks that may be asked."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from slowlink.model.source import Ref
from slowlink.model.timed_calls import CallKind, TimedCalls
from slowlink.workflows.follow.over import Nodes, is_silent


def of(ended: Sequence[float], host: str | None = "a", pid: int | None = 1) -> TimedCalls:
    return TimedCalls(
        tool="nccl-inspector",
        comm="0x1",
        comm_name="",
        rank=0,
        nranks=2,
        nnodes=None,
        host=host,
        pid=pid,
        world_rank=None,
        gpu=None,
        kinds=(CallKind("all_reduce", 1),),
        kind=array("H", [0] * len(ended)).tobytes(),
        number=array("I", range(len(ended))).tobytes(),
        time_us=array("f", [9.0] * len(ended)).tobytes(),
        ended=array("d", ended).tobytes(),
        timed_by={},
        ref=Ref("a.log", 1),
    )


def over(*every: TimedCalls) -> list[bool]:
    nodes = Nodes(every)
    return [nodes.is_over(calls) for calls in every]


def test_silence_is_held_against_how_far_calls_go_back() -> None:
    assert not is_silent(of([1000, 1010]), 50)
    assert is_silent(of([1000, 1010]), 70)
    assert not is_silent(of([1000, 1100]), 290)


def test_a_communicator_that_is_silent_is_over_and_its_process_is_not() -> None:
    assert over(of([1000, 1010]), of([1000, 1100])) == [True, False]


def test_clocks_of_nodes_are_not_compared() -> None:
    assert over(of([1000, 1010]), of([5000, 5010], host="b")) == [False, False]
    assert over(of([1000, 1010], host=None), of([5000, 5010], host=None)) == [False, False]


def test_a_process_ended_where_another_began_since() -> None:
    """A job that ran for an hour and was started again: nobody waits three hours to forget it."""
    first, again = of([1000, 4600], pid=1), of([4650, 4700], pid=2)
    assert over(first, again) == [True, False]
    assert over(first, of([4640, 4650], pid=2)) == [False, False]
    assert over(first, of([1000, 4700], pid=2)) == [False, False]


def test_without_times_nothing_is_over() -> None:
    assert over(of([0, 0]), of([5000, 5010], pid=2)) == [False, False]
