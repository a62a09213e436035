"""Columns of calls joined into tables of calls by ranks."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from msgspec.structs import replace

from slowlink.facts.timed import timed
from slowlink.model.source import Ref
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import CallKind, TimedCalls

CALL = CallKind("all_reduce", 1024)
MEANS = "nccl-inspector-metrics"


def column(
    rank: int,
    times: list[float],
    *,
    numbers: list[int] | None = None,
    kind: CallKind = CALL,
    nranks: int = 3,
    comm: str = "0xa",
    host: str | None = "node01",
    pid: int | None = None,
    tool: str = "nccl-inspector",
    clock: str = "kernel_gpu",
    world: int | None = None,
) -> TimedCalls:
    numbers = list(range(len(times))) if numbers is None else numbers
    return TimedCalls(
        tool=tool,
        comm=comm,
        comm_name="TP",
        rank=rank,
        nranks=nranks,
        nnodes=1,
        host=host,
        pid=100 + rank if pid is None else pid,
        world_rank=world,
        gpu=None,
        kinds=(kind,),
        kind=array("H", [0] * len(times)).tobytes(),
        number=array("I", numbers).tobytes(),
        time_us=array("f", times).tobytes(),
        ended=array("d", [1000.0 + number for number in numbers]).tobytes(),
        timed_by={clock: len(times)},
        ref=Ref("a.log", 1),
    )


def known(*columns: TimedCalls) -> Timed:
    found = timed(columns)
    assert found is not None
    return found


def test_nothing_is_nothing() -> None:
    assert timed(()) is None


def test_calls_are_lined_up_by_their_numbers() -> None:
    (group,) = known(
        column(0, [10, 11, 12], numbers=[4, 5, 6]), column(1, [20, 21], numbers=[5, 6]), column(2, [30], numbers=[9])
    ).groups
    (calls,) = group.calls
    assert calls.numbers.tolist() == [5, 6]
    np.testing.assert_array_equal(calls.times_us, np.array([[11, 20, np.nan], [12, 21, np.nan]], "f"))
    assert calls.ended.tolist() == [1005.0, 1006.0]


def test_ranks_of_the_job_come_from_a_communicator_of_all() -> None:
    part = known(column(0, [1]), column(1, [1]), column(0, [1], comm="0xb", nranks=8))
    assert [process.name for process in part.processes] == ["process 100 on node01", "process 101 on node01"]
    whole = known(column(0, [1], nranks=2), column(1, [1], nranks=2))
    assert [(process.name, process.place, process.of_node) for process in whole.processes] == [
        ("rank 0 on node01", 0, 2),
        ("rank 1 on node01", 1, 2),
    ]


def test_a_file_that_was_rotated_is_the_same_member() -> None:
    (group,) = known(column(0, [1, 2]), column(0, [3], numbers=[2]), column(1, [7, 8, 9])).groups
    assert len(group.members) == 2
    assert group.calls[0].times_us.tolist() == [[1, 7], [2, 8], [3, 9]]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            [column(0, [1], pid=1), column(1, [1], pid=2), column(0, [1], pid=3), column(1, [1], pid=4)],
            "share its name",
        ),
        ([column(0, [1], nranks=2), column(1, [1], nranks=4)], "do not agree"),
        ([column(0, [1], pid=7), column(1, [1], pid=7)], "two of its ranks"),
        ([column(0, [1, 9], numbers=[0, 0], tool=MEANS), column(1, [1], tool=MEANS)], "several means"),
        ([column(0, [1], tool=MEANS), column(0, [9], tool=MEANS), column(1, [1], tool=MEANS)], "several means"),
    ],
)
def test_what_may_be_several_communicators_is_left_out(columns: list[TimedCalls], words: str) -> None:
    found = known(*columns)
    assert found.groups == ()
    assert words in found.unclear[0]


def test_sends_are_kept_apart() -> None:
    send = CallKind("send", 1024, 1)
    (group,) = known(column(0, [5, 6], kind=send), column(1, [7], kind=CallKind("recv", 1024, 0))).groups
    assert group.calls == ()
    assert [(sends.member, sends.kind.collective, sends.times_us.tolist()) for sends in group.sends] == [
        (0, "send", [5, 6]),
        (1, "recv", [7]),
    ]


def test_clocks_of_processors_are_told() -> None:
    assert known(column(0, [1])).on_gpu
    assert not known(column(0, [1], clock="collective_cpu")).on_gpu


def test_a_clock_of_which_nothing_is_told_is_not_that_of_the_gpu() -> None:
    assert not known(column(0, [1], clock="")).on_gpu
    assert not known(replace(column(0, [1]), timed_by={})).on_gpu
    nearly = column(0, [1])
    assert known(replace(nearly, timed_by={"kernel_gpu": 95, "": 5})).on_gpu
    assert not known(replace(nearly, timed_by={"kernel_gpu": 94, "": 6})).on_gpu


def test_means_are_of_the_gpu() -> None:
    """Which clock took the times that they are of nothing tells, and they are no more than a suspicion anyhow."""
    mean = replace(column(0, [1], tool=MEANS), timed_by={"": 1})
    assert known(mean).on_gpu
    assert not known(mean, replace(column(0, [1], comm="0xb"), timed_by={})).on_gpu
