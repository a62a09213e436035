"""Which ranks stand still, by what their processes do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.facts.hang.standing import standing
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading

START = 1795000000.0


def process(
    pid: int, rank: int | None, state: str, cpu: float = 0.0, at: float = START, node: str = "node03", where: str = ""
) -> list[Reading]:
    """What one look says of a process."""
    values: dict[str, str | int | float] = {"rank-state": state, "rank-cpu": cpu, "process-name": "python3"}
    if rank is not None:
        values["rank-number"] = rank
    if where:
        values["rank-waits-in"] = where
    part, ref = Part("process", str(pid)), Ref(f"ranks/{node}", pid)
    return [Reading(name, part, value, ref, node, at) for name, value in values.items()]


def said(*looks: list[Reading]) -> list[str]:
    return [each.words for each in standing([reading for look in looks for reading in look])]


def test_each_way_of_standing_still_is_told() -> None:
    working = [process(pid, pid, "R", 99.0) for pid in range(10, 15)]
    assert said(
        *working,
        process(1, 1, "S", 0.3),
        process(2, 2, "D", 0.0, where="nfs_wait_bit_killable"),
        process(3, 3, "Z"),
        process(4, 4, "T"),
        process(5, None, "t"),
    ) == snapshot(
        [
            "a process of the run on node03 (process 5, python3) is stopped by a signal or a debugger",
            "rank 4 on node03 (process 4, python3) is stopped by a signal or a debugger",
            "rank 3 on node03 (process 3, python3) has ended",
            "rank 2 on node03 (process 2, python3) waits in the kernel for a device or a file server (nfs_wait_bit_killable)",
        ]
    )


def test_ranks_that_all_sleep_tell_nothing() -> None:
    assert said(*(process(pid, pid, "S", 1.0) for pid in range(8))) == []


def test_a_shell_around_a_rank_is_not_the_rank() -> None:
    ranks = [process(pid, pid, "R", 100.0) for pid in range(1, 4)]
    assert said(*ranks, process(90, 1, "S", 0.0), process(91, 2, "Z")) == []
    assert said(*ranks, process(92, 2, "T")) != []  # but somebody stopped a part of it


def test_what_goes_on_again_is_forgotten_and_what_was_seen_before_is_counted() -> None:
    stopped, again = process(7, 7, "T"), process(7, 7, "T", at=START + 20)
    assert [each.before for each in standing([*stopped, *again])] == [1]
    assert said(stopped, process(7, 7, "R", 50.0, at=START + 20)) == []
    (sleeping,) = standing([*process(7, 7, "S", at=START), *process(7, 7, "T", at=START + 20)])
    assert (sleeping.how, sleeping.before) == ("stopped", 0)


def test_ranks_that_end_together_are_the_end_of_the_run() -> None:
    """Each node is looked at by itself, so that some are seen at their end and others a moment before it."""
    shells = [process(pid, pid % 4, "gone") for pid in range(10, 14)]
    assert said(*shells, *(process(pid, pid % 4, "gone") for pid in range(20, 24))) == []
    assert said(*shells, process(7, 7, "R", 99.0, node="node04", at=START + 1)) == []
    assert said(*(process(pid, pid, "Z") for pid in range(4))) == []


def test_a_rank_that_ended_and_others_that_are_there_later() -> None:
    ended = [*process(10, 3, "gone"), *process(20, 3, "gone")]
    others = [*process(11, 4, "S", 1.0, at=START + 30), *process(12, 5, "S", 1.0, node="node04", at=START + 30)]
    (lost,) = standing([*ended, *others])
    assert (lost.rank, lost.pid, lost.how, lost.before) == (3, "20", "ended", 1)
    assert said(ended, others, process(21, 3, "S", at=START + 30)) == []  # a part of it goes on


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from("RSDTtZ"), st.floats(0, 100)), max_size=12))
def test_only_ranks_of_the_last_look_are_named(seen: list[tuple[int, str, float]]) -> None:
    readings = [each for pid, state, cpu in seen for each in process(pid, pid, state, cpu)]
    last = [each for pid in (50, 51) for each in process(pid, pid, "T", at=START + 9)]
    assert [each.rank for each in standing([*readings, *last])] == [50, 51]
