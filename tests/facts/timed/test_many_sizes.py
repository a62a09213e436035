"""Twice as many calls of as many sizes are twice the work: a job whose messages all differ is judged in time."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

from slowlink.expect.held_up.lateness import lateness_of
from slowlink.expect.held_up.since import late_since
from slowlink.facts.timed import timed
from slowlink.model.source import Ref
from slowlink.model.timed_calls import CallKind, TimedCalls

FEW = 100
MARGIN = 2.5
"""Of a square it would be four."""


def of_sizes(rank: int, sizes: int, kinds: type[CallKind] = CallKind) -> TimedCalls:
    """One call of each size."""
    return TimedCalls(
        tool="nccl-inspector",
        comm="0xa",
        comm_name="",
        rank=rank,
        nranks=2,
        nnodes=1,
        host="node01",
        pid=rank,
        world_rank=None,
        gpu=None,
        kinds=tuple(kinds("all_reduce", size) for size in range(sizes)),
        kind=array("H", range(sizes)).tobytes(),
        number=array("I", range(sizes)).tobytes(),
        time_us=array("f", [100.0 + rank] * sizes).tobytes(),
        ended=array("d", [1000.0 + number for number in range(sizes)]).tobytes(),
        timed_by={"kernel_gpu": sizes},
        ref=Ref("a.log", 1),
    )


class Counted(np.ndarray[Any, np.dtype[Any]]):
    """Counts the values that are worked on."""

    worked = 0

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **more: Any) -> Any:
        plain = [each.view(np.ndarray) if isinstance(each, Counted) else each for each in given]
        Counted.worked += max(np.size(each) for each in plain)
        return getattr(ufunc, method)(*plain, **more)

    def __getitem__(self, place: Any) -> Any:
        Counted.worked += np.size(place)
        return self.view(np.ndarray)[place]


def test_calls_are_joined_in_work_that_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = np.frombuffer
    monkeypatch.setattr(np, "frombuffer", lambda *given: plain(*given).view(Counted))

    def work(sizes: int) -> int:
        Counted.worked = 0
        assert timed([of_sizes(rank, sizes) for rank in (0, 1)]) is not None
        return Counted.worked

    assert 0 < work(2 * FEW) < MARGIN * work(FEW)


class Compared(CallKind, frozen=True):
    """Counts how often kinds are compared."""

    def __eq__(self, other: object) -> bool:
        compared.append(1)
        return super().__eq__(other)

    __hash__ = CallKind.__hash__


compared: list[int] = []


def test_since_when_is_told_in_work_that_grows_with_the_number_of_sizes() -> None:
    def work(sizes: int) -> int:
        known = timed([of_sizes(rank, sizes, Compared) for rank in (0, 1)])
        assert known is not None
        (lateness,) = lateness_of(0, known.groups[0], slice(0, 1000), 8)
        compared.clear()
        assert late_since(known, lateness, 1) is None
        return len(compared)

    assert work(2 * FEW) <= MARGIN * max(FEW, work(FEW))
