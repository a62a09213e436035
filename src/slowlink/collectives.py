"""What bus bandwidth means for each collective: the definition of nccl-tests (its PERFORMANCE.md), in one place.

``algbw = size / time`` says how fast the caller is served, ``busbw = algbw x factor`` how fast the links run, whatever
the number of ranks. The parsers check tables by it, and `expect` turns bounds and sizes into one another.
"""

from __future__ import annotations

SHARED = frozenset({"all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter"})
"""Collectives with factor (n-1)/n: of n parts, a rank's own does not travel."""
PLAIN = frozenset({"broadcast", "reduce", "sendrecv", "hypercube"})
"""Collectives with factor 1."""

_SPELLINGS = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "all_to_all": "alltoall",
    "send_recv": "sendrecv",
    "bcast": "broadcast",
}


def as_spelled_here(text: str) -> str:
    """``AllReduce``, ``all-reduce``, ``all_reduce_perf`` -> ``all_reduce``: a collective's name, however libraries and
    people write it. What is no collective stays as it is but for capitals and dashes."""
    name = text.strip().lower().replace("-", "_").removesuffix("_perf")
    return _SPELLINGS.get(name, name)


def all_reduce_factor(nranks: int) -> float:
    """2(n-1)/n: each byte goes to a sum and back to all, but for a rank's own part. ``nranks`` must be above zero."""
    return 2.0 * (nranks - 1) / nranks


def busbw_factor(collective: str, nranks: int) -> float | None:
    """busbw/algbw of ``collective`` over ``nranks`` ranks; None for a collective that is not known.

    0 for one rank of all_reduce and of ``SHARED``: nothing travels.
    """
    if nranks < 1:
        return None
    if collective == "all_reduce":
        return all_reduce_factor(nranks)
    if collective in SHARED:
        return (nranks - 1) / nranks
    return 1.0 if collective in PLAIN else None
