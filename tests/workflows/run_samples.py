"""Reports and ends made by hand, for gates."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.model.plan import Ended
from slowlink.model.report import Report, Sweep, SweepPoint
from slowlink.workflows.launches.interface import Launch

MIB = 1 << 20


def point(size: int, busbw: float, wrong: float | None = 0, doubt: str | None = None) -> SweepPoint:
    return SweepPoint(size, size // 4, "out_of_place", size / busbw / 1e3, busbw, busbw, wrong, doubt=doubt)


def sweep(name: str = "run-1", *busbw: float, **more: object) -> Sweep:
    """Sizes 1, 2, 4 ... MiB with these bandwidths."""
    values: dict[str, object] = {
        "collective": "all_reduce",
        "nranks": 8,
        "nnodes": 1,
        "datatype": "float",
        "redop": "sum",
        "engine": "nccl-tests",
        "source": f"bundle!captures/{name}/stdout",
        "line": 1,
        "points": tuple(point(MIB << index, value) for index, value in enumerate(busbw or (10, 90, 100, 102))),
        "average_busbw_gbs": 1.0,
        "peak_busbw_gbs": None,
        "complete": True,
        **more,
    }
    return Sweep(**values)  # type: ignore[arg-type]


def report(*sweeps: Sweep) -> Report:
    return Report("slowlink.report/1", "0", "healthy", "", sweeps=sweeps)


def launch(name: str = "run-1", more: Mapping[str, object] | None = None) -> Launch:
    values: dict[str, object] = {"status": 0, "signal": None, "reason": "exited", "started_at": 0.0, "seconds": 1.0}
    return Launch(name, Ended(**{**values, **(more or {})}))  # type: ignore[arg-type]
