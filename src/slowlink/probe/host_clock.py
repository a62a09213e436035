"""Timing by the host's monotonic clock, for libraries whose calls return when the data is there."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter_ns

from slowlink.probe.backend import Call


def total(call: Call, iterations: int) -> int:
    """Nanoseconds of ``iterations`` calls, back to back."""
    start = perf_counter_ns()
    for _ in repeat(None, iterations):
        call()
    return perf_counter_ns() - start


def stamps(call: Call, iterations: int, before: Call | None) -> tuple[list[int], list[int]]:
    """Start and end of each call. The lists are made beforehand, so that nothing is allocated between the calls."""
    clock = perf_counter_ns
    starts, ends = [0] * iterations, [0] * iterations
    if before is None:
        for index in range(iterations):
            starts[index] = clock()
            call()
            ends[index] = clock()
    else:
        for index in range(iterations):
            before()
            starts[index] = clock()
            call()
            ends[index] = clock()
    return starts, ends
