"""One point: a collective, a size, a placement, timed on every rank."""

from __future__ import annotations

from array import array
from statistics import fmean
from time import perf_counter_ns, time

from msgspec import Struct

from slowlink.probe.alignment import Alignment, align
from slowlink.probe.backend import Backend, Call, Prepared
from slowlink.probe.checking import wrong_elements
from slowlink.probe.options import Options
from slowlink.probe.shapes import Shape

SHORT_NS = 100_000
"""Calls below this are also timed without a clock reading between them: two readings would be a part of the result."""


class Measured(Struct, frozen=True):
    """What rank 0 knows of one point."""

    shape: Shape
    placement: str
    time_us: float
    """The largest over the ranks of a rank's mean, as ``-a 3`` of nccl-tests."""
    wrong: int | None
    """Wrong elements of all ranks; None when nothing was checked."""
    starts_us: tuple[tuple[float, ...], ...]
    """[rank][iteration], on rank 0's clock, after the earliest start of this point."""
    durations_us: tuple[tuple[float, ...], ...]
    clock_error_us: tuple[float, ...]
    """[rank]: what the start may be off, either way."""
    apart: bool
    """``time_us`` comes from calls of its own, timed together."""
    waited_us: tuple[float, ...] = ()
    """[rank]: how long it could have run during the timed calls and had no processor; empty where the system does not
    tell."""
    began_at: float = 0.0
    """Seconds since the epoch of the earliest start, by the clock of rank 0's host."""


def measure(backend: Backend, options: Options, clocks: list[str], shape: Shape, placement: str) -> Measured:
    """Warm up, time, check, and only then talk about it."""
    prepared = backend.prepare(
        options.collective, placement, options.datatype, options.redop, options.root, (shape.sent, shape.received)
    )
    backend.barrier()
    backend.total(prepared.call, options.warmup)
    alignment = align(backend, clocks)
    before = _delay(backend, options)
    waited_ns = waited()
    starts, ends = backend.stamps(prepared.call, options.iterations, before)
    waited_ns = waited() - waited_ns if waited_ns >= 0 else -1
    mean_ns = fmean(end - start for start, end in zip(starts, ends, strict=True))
    apart = before is None and options.delay is None and _largest(backend, mean_ns) < SHORT_NS
    if apart:
        backend.barrier()
        mean_ns = backend.total(prepared.call, options.iterations) / options.iterations
    timed = (starts, ends, mean_ns, apart, waited_ns)
    return _gathered(backend, options, shape, placement, timed, alignment, prepared)


def waited() -> int:
    """Nanoseconds that this thread has waited for a processor so far, as Linux counts them (the second number of
    ``schedstat``, Documentation/scheduler/sched-stats.rst); -1 where it does not."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:  # noqa: PTH123  (a Path would take longer)
            return int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return -1


def _delay(backend: Backend, options: Options) -> Call | None:
    """The wait that is injected on this rank."""
    if options.delay is None or options.delay.rank != backend.rank:
        return None
    from functools import partial
    from time import sleep

    return partial(sleep, options.delay.amount / 1e6)


def _largest(backend: Backend, value: float) -> float:
    return max(array("d", received)[0] for received in backend.exchange(array("d", [value]).tobytes()))


def _gathered(
    backend: Backend,
    options: Options,
    shape: Shape,
    placement: str,
    timed: tuple[list[int], list[int], float, bool, int],
    alignment: Alignment,
    prepared: Prepared,
) -> Measured:
    starts, ends, mean_ns, apart, waited_ns = timed
    wrong = wrong_elements(backend, options, shape, prepared) if options.check else 0
    own = array("q", [*starts, *ends, wrong, waited_ns]).tobytes() + array("d", [mean_ns]).tobytes()
    received = backend.exchange(own)
    count = options.iterations
    numbers = [array("q", part[:-8]) for part in received]
    aligned = [
        [stamp - offset for stamp in row[:count]] for row, offset in zip(numbers, alignment.offset_ns, strict=True)
    ]
    first = min(min(row) for row in aligned)
    return Measured(
        shape=shape,
        placement=placement,
        time_us=max(array("d", part[-8:])[0] for part in received) / 1e3,
        wrong=sum(row[-2] for row in numbers) if options.check else None,
        starts_us=tuple(tuple((start - first) / 1e3 for start in row) for row in aligned),
        durations_us=tuple(
            tuple((end - start) / 1e3 for start, end in zip(row[:count], row[count:-2], strict=True)) for row in numbers
        ),
        clock_error_us=tuple(error / 1e3 for error in alignment.error_ns),
        apart=apart,
        waited_us=tuple(row[-1] / 1e3 for row in numbers) if all(row[-1] >= 0 for row in numbers) else (),
        began_at=time() - (perf_counter_ns() - first) / 1e9,
    )
