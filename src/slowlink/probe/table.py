"""The table that rank 0 prints: the layout of nccl-tests, with its own first line."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink import __version__
from slowlink.probe.measure import Measured
from slowlink.probe.options import Options
from slowlink.probe.shapes import REDUCING, ROOTED
from slowlink.probe.world import RankSeen
from slowlink.units import bandwidth_gbs

_SIDE = f"{'time':>7}  {'algbw':>6}  {'busbw':>6}  {'#wrong':>6}"
_UNITS = f"{'(us)':>7}  {'(GB/s)':>6}  {'(GB/s)':>6}  {'':>6}"
_ABSENT = f"{'N/A':>7}  {'N/A':>6}  {'N/A':>6}  {'N/A':>6}"


def busbw_factor(collective: str, nranks: int) -> float:
    """busbw over algbw (nccl-tests, PERFORMANCE.md).

    Not that of `slowlink.collectives`, on purpose: the parser checks this table by that one, and a mistake in one of
    them shows only while they are two. A test compares them.
    """
    if collective == "all_reduce":
        return 2.0 * (nranks - 1) / nranks
    return (nranks - 1) / nranks if collective in {"all_gather", "reduce_scatter", "alltoall"} else 1.0


def header(options: Options, library: str, run: str, ranks: Sequence[RankSeen]) -> str:
    """Everything above the first row."""
    factor = options.factor > 1
    step = f"{options.factor}(factor)" if factor else f"{options.step_bytes}(bytes)"
    lines = [
        f'# slowlink probe {__version__} {options.collective} backend {options.backend} run {run} library "{library}"',
        f"# nThread 1 nGpus 1 minBytes {options.min_bytes} maxBytes {options.max_bytes} step: {step} "
        f"warmup iters: {options.warmup} iters: {options.iterations} agg iters: 1 validation: {options.check} graph: 0",
        "#",
        "# Using devices",
    ]
    lines += [
        f"#  Rank {r.rank:2d} Group  0 Pid {r.pid:6d} on {r.host:>10} device {r.device.index:2d} "
        f"[{r.device.bus_id}] {r.device.name}"
        for r in ranks
    ]
    left = f"{'size':>12}  {'count':>12}  {'type':>8}  {'redop':>6}  {'root':>6}"
    units = f"{'(B)':>12}  {'(elements)':>12}  {'':>8}  {'':>6}  {'':>6}"
    lines += [
        "#",
        f"#{'':>{len(left)}}{'out-of-place':>24}{'':>10}{'in-place':>24}",
        f"#{left[1:]}  {_SIDE}  {_SIDE}",
        f"#{units[1:]}  {_UNITS}  {_UNITS}".rstrip(),
    ]
    return "\n".join(lines)


def row(options: Options, nranks: int, sides: Sequence[Measured | None]) -> str:
    """One size: out of place, then in place; None for a placement that the library does not have."""
    shape = next(side.shape for side in sides if side is not None)
    redop = options.redop if options.collective in REDUCING else "none"
    root = options.root if options.collective in ROOTED else -1
    left = f"{shape.size_bytes:12d}  {shape.count:12d}  {options.datatype:>8}  {redop:>6}  {root:6d}"
    return "  ".join([left, *(_ABSENT if side is None else _side(options, nranks, side) for side in sides)])


def _side(options: Options, nranks: int, side: Measured) -> str:
    algbw, busbw = bandwidths(options, nranks, side)
    wrong = "N/A" if side.wrong is None else str(side.wrong)
    return f"{_number(side.time_us, 7):>7}  {_number(algbw, 6):>6}  {_number(busbw, 6):>6}  {wrong:>6}"


def bandwidths(options: Options, nranks: int, side: Measured) -> tuple[float, float]:
    """algbw and busbw in GB/s."""
    algbw = bandwidth_gbs(side.shape.size_bytes, side.time_us) if side.time_us > 0 else 0.0
    return algbw, algbw * busbw_factor(options.collective, nranks)


def footer(failed_checks: int, busbw_gbs: Sequence[float]) -> str:
    """What stands below the last row. The average is over all rows and both placements, as in nccl-tests."""
    average = sum(busbw_gbs) / len(busbw_gbs) if busbw_gbs else float("nan")
    verdict = "FAILED" if failed_checks else "OK"
    return f"# Out of bounds values : {failed_checks} {verdict}\n# Avg bus bandwidth    : {average:g}\n#"


def _number(value: float, width: int) -> str:
    """The most decimals, two at most, that fit the column."""
    return next((text for decimals in (2, 1, 0) if len(text := f"{value:.{decimals}f}") <= width), f"{value:.1e}")
