"""Which collective a table belongs to, and how that is known."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.parsers.benchmarks.nccl_tests.cells import State
from slowlink.parsers.benchmarks.nccl_tests.checks import Ratio
from slowlink.parsers.benchmarks.nccl_tests.columns import Layout
from slowlink.parsers.benchmarks.nccl_tests.preamble import PROGRAM
from slowlink.parsers.benchmarks.nccl_tests.rows import Row
from slowlink.patterns import regex

_SUFFIX = regex(r"_perf(?:_\w{1,20})?\Z")
_NEAR_ONE = 5e-4
_NO_TRAFFIC = 0.25
"""Two ranks already give 0.5: a ratio below this means one rank."""


def collective_of_program(program: str) -> str | None:
    """``/opt/build/all_reduce_perf`` -> ``all_reduce``; None for a program that is no collective benchmark."""
    match = PROGRAM.search(program)
    if match is None:
        return None
    return _SUFFIX.sub("", match.group(1)).removesuffix("_bias")


def infer(
    layout: Layout | None, rows: Sequence[Row], ratio: Ratio | None, nranks: int | None = None
) -> tuple[str | None, str]:
    """The collective and its basis from the table alone: its columns, redop, root, checks and busbw/algbw.

    ``nranks`` is the length of the device list, None when there is none or a part of it only.
    """
    if layout is None or not rows:
        return None, ""
    name = None
    if ratio is not None and ratio.value > 1 + max(_NEAR_ONE, 2 * ratio.error):
        name = "all_reduce"
    elif ratio is not None and ratio.value > _NO_TRAFFIC:
        below_one = ratio.value < 1 - max(_NEAR_ONE, 2 * ratio.error)
        name = _shared(layout, rows) if below_one else _plain(layout, rows, nranks)
    else:
        name = _without_ratio(layout, rows)
    if name is None:
        return None, ""
    return name, _basis(layout, rows, ratio)


def _basis(layout: Layout, rows: Sequence[Row], ratio: Ratio | None) -> str:
    parts = [f"busbw/algbw = {ratio.value:.4g}"] if ratio is not None else []
    if rows[0].redop:
        parts.append(f"redop {rows[0].redop}")
    elif not layout.has("redop"):
        parts.append("columns " + " ".join(name for name in layout.names[:5]))
    if layout.has("root") and rows[0].root is not None and rows[0].root >= 0:
        parts.append("a root rank")
    return ", ".join(parts)


def _redop(rows: Sequence[Row]) -> str | None:
    return rows[0].redop


def _rooted(rows: Sequence[Row]) -> bool:
    return any(row.root is not None and row.root >= 0 for row in rows)


def _shared(layout: Layout, rows: Sequence[Row]) -> str | None:
    """Factor (n-1)/n: all_gather, reduce_scatter, alltoall, gather, scatter."""
    if _rooted(rows):
        return None
    redop = _redop(rows)
    if redop not in {None, "", "none"}:
        # Layouts without a root column print redop for alltoall too.
        return "reduce_scatter" if layout.has("root") else None
    if redop is None and not layout.has("redop"):
        old_layout = layout.printed and layout.has("count") and layout.has("type") and not layout.has("root")
        return "all_gather" if old_layout and layout.has("delta") else None
    return _by_in_place_check(rows, "all_gather", "alltoall")


def _plain(layout: Layout, rows: Sequence[Row], nranks: int | None) -> str | None:
    """Factor 1: broadcast, reduce, sendrecv, hypercube, and all_reduce of two ranks."""
    redop = _redop(rows)
    if _rooted(rows):
        if redop not in {None, "", "none"}:
            return "reduce"
        return "broadcast" if layout.has("root") else None
    if redop in {None, "", "none"}:
        return None
    if nranks is not None and nranks > 2:
        # All_reduce of more than two ranks has a factor above 1.
        return "sendrecv" if layout.has("root") else None
    if not layout.has("root"):
        return "all_reduce"
    return _by_in_place_check(rows, "all_reduce", "sendrecv")


def _by_in_place_check(rows: Sequence[Row], checked: str, unchecked: str) -> str | None:
    """alltoall and sendrecv never check the in-place side (``N/A``, since 2.13.1); others do, if they check at all."""
    sides = [(row.sides[0].wrong.state, row.sides[1].wrong.state) for row in rows if len(row.sides) == 2]
    if any(in_place is State.NUMBER for _, in_place in sides):
        # 2.10 to 2.13.0 checked the in-place side of all; an empty redop (up to 2.13.3) means such an old version.
        return None if _redop(rows) == "" else checked
    if sides and all(out is State.NUMBER and in_place is State.ABSENT for out, in_place in sides):
        return unchecked
    return None


def _without_ratio(layout: Layout, rows: Sequence[Row]) -> str | None:
    """No bandwidth to compare (one rank, tiny sizes, masked): only what redop and checks tell."""
    redop = _redop(rows)
    if redop == "none" and not _rooted(rows) and layout.has("root"):
        return _by_in_place_check(rows, "all_gather", "alltoall")
    return None
