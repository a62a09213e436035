"""Words for one sweep, and the row that stands for it."""

from __future__ import annotations

from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep


def best_point(sweep: MeasuredSweep) -> Point | None:
    """The row with the largest busbw. The average that nccl-tests prints is never used: it depends on the sizes swept
    more than on the machine."""
    return max(sweep.points, key=lambda point: point.busbw_gbs or 0.0, default=None)


def what_ran(sweep: MeasuredSweep) -> str:
    """``all_reduce with 16 ranks on 2 nodes``."""
    ranks = f"{sweep.nranks} ranks" if sweep.nranks else "unknown ranks"
    nodes = "" if sweep.nnodes is None else " on 1 node" if sweep.nnodes == 1 else f" on {sweep.nnodes} nodes"
    return f"{sweep.collective or 'a collective'} with {ranks}{nodes}"
