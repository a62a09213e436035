"""Who holds a job up, by the kernels in traces of PyTorch's profiler."""

from __future__ import annotations

from collections.abc import Sequence

from text_findings import findings_of

RANKS = "[0, 1, 2, 3, 4, 5, 6, 7]"


def kernel(number: int, rank: int, duration_us: float) -> str:
    return (
        f'{{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", "pid": {rank}, "tid": 17, '
        f'"ts": {1000 * number}.250, "dur": {duration_us}, "args": {{"device": {rank}, "Collective name": "allreduce", '
        f'"In msg nelems": 4096, "Out msg nelems": 4096, "Group size": 8, "dtype": "Float", "Process Group Name": "0", '
        f'"Process Group Ranks": "{RANKS}"}}}},'
    )


def trace(rank: int, late: int | None, calls: int = 20) -> str:
    """Times differ by a few microseconds; those of ``late`` are the transfer alone."""
    waits = 0 if late is None else 400
    return traced(rank, [(number, 0 if rank == late else waits) for number in range(calls)])


def traced(rank: int, calls: Sequence[tuple[int, float]]) -> str:
    """The calls with these numbers, a millisecond apart, and what each waits beside the transfer."""
    kernels = "\n".join(kernel(number, rank, 50 + (number * 7 + rank * 3) % 5 + waits) for number, waits in calls)
    return (
        f'{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 8}}, '
        f'"baseTimeNanoseconds": 1790000000000000000, "traceEvents": [\n{kernels}\n'
        f'{{"ph": "i", "s": "g", "name": "Record Window End", "ts": 9.0}}],"traceName": "trace.json"}}'
    )


def test_the_rank_with_the_shortest_kernels_is_late() -> None:
    (found,) = findings_of("collectives-held-up", *(trace(rank, late=5) for rank in range(8)))
    assert found.cause == "straggler-gpu"
    assert found.message.startswith("rank 5: last to come to the collectives, by 400 us in the middle of 20 calls")
    assert [(each.kind, each.name) for each in found.suspects] == [("rank", "5")]


def test_nobody_is_late_where_all_kernels_are_alike() -> None:
    assert findings_of("collectives-held-up", *(trace(rank, late=None) for rank in range(8))) == ()


def test_nobody_is_accused_for_a_trace_that_is_missing() -> None:
    """The second traces hold calls in which all wait longer; of rank 5 there is none."""
    first = [traced(rank, [(number, 0) for number in range(20)]) for rank in range(8)]
    second = [traced(rank, [(90 + number, 400) for number in range(20)]) for rank in range(8) if rank != 5]
    assert findings_of("collectives-held-up", *first, *second) == ()


def test_nobody_is_accused_whose_profiler_began_later() -> None:
    calls = [(number, 400 if number < 25 else 0) for number in range(40)]
    traces = [traced(rank, calls[25:] if rank == 5 else calls) for rank in range(8)]
    assert findings_of("collectives-held-up", *traces) == ()


def test_nobody_is_accused_for_as_many_calls_that_are_others() -> None:
    """The profiler of rank 5 began a call later, and ended a call later. In each step there is less to wait for from
    call to call, so its calls look shorter than those of the others in the same places."""
    calls = [(10 * step + place, 500 - 100 * place) for step in range(10) for place in range(6)]
    traces = [traced(rank, calls[1:] if rank == 5 else calls[:-1]) for rank in range(8)]
    assert findings_of("collectives-held-up", *traces) == ()


def test_who_is_late_in_several_traces_is_late() -> None:
    traces = [
        traced(rank, [(at + number, 0 if rank == 5 else 400) for number in range(20)])
        for at in (0, 100_000)
        for rank in range(8)
    ]
    (found,) = findings_of("collectives-held-up", *traces)
    assert found.message.startswith("rank 5: last to come to the collectives")
