"""What the pages call checks, states and times."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.model.fleet import CellState, FleetCell
from slowlink.report.history.runs import moment

CHECKS: Mapping[str, str] = {
    "measured": "Bandwidth",
    "gpu": "GPUs",
    "gpu_links": "GPU links",
    "pcie": "PCIe",
    "gpudirect": "GPUDirect",
    "hca": "HCAs",
    "links": "Ports, links",
    "rdma": "RDMA",
    "fabric": "Fabric",
    "node": "Node",
    "peers": "Peers",
    "software": "Software",
    "job": "Jobs",
    "hang": "Hangs",
    "running": "Pace",
    "neighbours": "Neighbours",
}
STATES: Mapping[CellState, tuple[str, str]] = {
    "broken": ("\u2715", "broken"),
    "degraded": ("!", "degraded"),
    "warned": ("~", "warning"),
    "sound": ("\u2713", "nothing found"),
    "unknown": ("?", "unknown"),
}
"""A sign, for who sees no colours, and a word."""
_UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0))


def age(seconds: float) -> str:
    """``3 d``, ``5 h``, ``12 min``, ``now``."""
    for unit, length in _UNITS:
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return "now"


def cell_words(check: str, cell: FleetCell) -> str:
    """``PCIe: degraded, acs-enabled; run 12, 2026-11-28 19:21 UTC``."""
    what = f", {cell.cause}" if cell.cause else ""
    of_all = " (names no node: it is of the whole report)" if cell.of_all else ""
    where = f"; run {cell.run_id}, {moment(cell.at)} UTC" if cell.run_id else ": no report looked"
    return f"{CHECKS.get(check, check)}: {STATES[cell.state][1]}{what}{of_all}{where}"


def short(text: str, most: int) -> str:
    """At most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"
