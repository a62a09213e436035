"""Runs a collective on known values and counts the wrong elements of the result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slowlink.probe import pattern
from slowlink.probe.backend import Backend, Prepared
from slowlink.probe.options import Options
from slowlink.probe.pattern import Array
from slowlink.probe.shapes import REDUCING, Shape


def wrong_elements(backend: Backend, options: Options, shape: Shape, prepared: Prepared) -> int:
    """Wrong elements on this rank over ``options.check`` checked calls."""
    wrong = 0
    for _ in range(options.check):
        backend.barrier()
        _fill(backend, options, prepared)
        prepared.call()
        if prepared.result is None:
            continue
        found = backend.read(prepared.result)
        if options.corruption is not None and options.corruption.rank == backend.rank:
            found = found.copy()
            found[: options.corruption.amount] += 1
        for begin, end, expected in expectations(backend.rank, backend.nranks, options, shape):
            wrong += pattern.differing(found[begin:end], pattern.repeated(expected, found.dtype))
    return wrong


def _fill(backend: Backend, options: Options, prepared: Prepared) -> None:
    if prepared.result is not None:
        backend.write(prepared.result, np.zeros(pattern.PERIOD))
    redop = options.redop if options.collective in REDUCING else "sum"
    period = pattern.given(backend.rank, 0, redop, options.datatype)
    backend.write(prepared.source, np.tile(period, 128))


def expectations(rank: int, nranks: int, options: Options, shape: Shape) -> Iterator[tuple[int, int, Array]]:
    """(first, behind last, one period of values) of each block that this rank must get."""
    count, name = shape.count, options.collective

    def given(source: int, start: int) -> Array:
        return pattern.given(source, start, "sum", options.datatype)

    if name in REDUCING:
        start = rank * count if name == "reduce_scatter" else 0
        yield 0, count, pattern.reduced(nranks, start, options.redop, options.datatype)
    elif name == "all_gather":
        for source in range(nranks):
            yield source * count, (source + 1) * count, given(source, 0)
    elif name == "alltoall":
        for source in range(nranks):
            yield source * count, (source + 1) * count, given(source, rank * count)
    else:
        yield 0, count, given(options.root if name == "broadcast" else (rank - 1) % nranks, 0)
