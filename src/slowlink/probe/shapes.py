"""Sizes and element counts of each collective, counted as nccl-tests counts them.

``size`` is the larger of what a rank sends and receives; ``count`` is the library call's own element count (the part of
one rank for all_gather, reduce_scatter and alltoall).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.probe.options import Options

SPLIT = frozenset({"all_gather", "reduce_scatter", "alltoall"})
"""Collectives whose size is divided among the ranks."""
REDUCING = frozenset({"all_reduce", "reduce_scatter", "reduce"})
ROOTED = frozenset({"broadcast", "reduce"})


class Shape(Struct, frozen=True):
    """One size of a sweep, in elements but for ``size_bytes``."""

    size_bytes: int
    count: int
    sent: int
    received: int


def shape_of(collective: str, size_bytes: int, itemsize: int, nranks: int) -> Shape:
    """The shape nearest below ``size_bytes``; at least one element a rank."""
    count = max(1, size_bytes // itemsize // (nranks if collective in SPLIT else 1))
    sent = count * nranks if collective in {"reduce_scatter", "alltoall"} else count
    received = count * nranks if collective in {"all_gather", "alltoall"} else count
    return Shape(max(sent, received) * itemsize, count, sent, received)


def shapes(options: Options, itemsize: int, nranks: int) -> Iterator[Shape]:
    """The sweep from the smallest to the largest size. Sizes that come to the same element count are given once."""
    size, last = options.min_bytes, 0
    while size <= options.max_bytes:
        shape = shape_of(options.collective, size, itemsize, nranks)
        if shape.size_bytes > last:
            yield shape
            last = shape.size_bytes
        size = size * options.factor if options.factor > 1 else size + options.step_bytes
