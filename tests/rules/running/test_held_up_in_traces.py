"""Who holds a job up, by the kernels in traces of PyTorch's profiler."""

from __future__ import annotations

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
    kernels = "\n".join(
        kernel(number, rank, 50 + (number * 7 + rank * 3) % 5 + (0 if rank == late else waits))
        for number in range(calls)
    )
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
