"""The same collective is slower, the more nodes take part.

Bus bandwidth of large messages hardly depends on the number of nodes: each NIC carries the same, whether 4 or 400 of
them form the ring. From some number of nodes on it falls where their paths share what is too narrow (a leaf with fewer
links up than down, pauses and congestion on RoCE, routes that meet on one link), or where a slow node or cable is among
those that came in addition. Two nodes may be faster than more: NCCL adds up both directions there. So the best of all
larger counts is the measure, where there are any.

Why it matters: the job runs on many nodes; what few of them reach promises nothing.
How to confirm: ``slowlink isolate`` over all nodes tells a slow node from a slow path; or run the same number of nodes
below one leaf switch, then over several.
What to do: look at pauses, ECN marks and discards of the ports between leaf and spine, at adaptive routing, and at the
links up of each leaf.
When it is wrong: with small messages the latency of more steps costs as much; only large ones are compared here. Other
jobs may have run meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.benchmark import Point
from slowlink.model.facts import Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.units import format_size

CAUSES = ("fabric-congestion",)


class Params(Struct, frozen=True):
    """When a fall counts."""

    fewest_counts: int = 3
    """Different numbers of nodes, each above one; of two, one may be disturbed."""
    slow_share: float = 0.7
    """Of the best: below it, it is an error. A limit of ours."""
    least_bytes_a_node: int = 32 << 20
    """Of a message: below it the latency of more steps may be why."""


class _Alike(NamedTuple):
    """Runs that differ by the number of their nodes alone."""

    collective: str
    ranks_a_node: int | None
    gpu: str | None
    tool: str


class _At(Struct, frozen=True):
    """The best of one number of nodes."""

    nodes: int
    gbs: float
    point: Point


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """One finding for each collective and size that was run on several numbers of nodes."""
    groups: dict[_Alike, dict[int, dict[int, _At]]] = defaultdict(lambda: defaultdict(dict))
    for sweep in sweeps.all:
        nodes = sweep.nnodes or 1
        if nodes == 1 or sweep.collective is None or on_cpu_memory(sweep.run):
            continue
        each = sweep.nranks // nodes if sweep.nranks else None
        by_size = groups[_Alike(sweep.collective, each, sweep.gpu, sweep.run.tool)]
        for point in sweep.points:
            best, gbs = by_size[point.size_bytes].get(nodes), point.busbw_gbs or 0.0
            if point.size_bytes >= params.least_bytes_a_node * nodes and (best is None or gbs > best.gbs):
                by_size[point.size_bytes][nodes] = _At(nodes, gbs, point)
    for alike, by_size in groups.items():
        for size in sorted(by_size, reverse=True):
            fallen = _fallen([by_size[size][nodes] for nodes in sorted(by_size[size])], params)
            if fallen is not None:
                yield _finding(alike.collective, size, *fallen)
                break  # the largest size that shows it


def _fallen(counts: Sequence[_At], params: Params) -> tuple[_At, _At] | None:
    """The best and the largest number of nodes, where the bandwidth fell and did not rise again."""
    if len(counts) < params.fewest_counts:
        return None
    best, last = max(counts[1:-1], key=lambda each: each.gbs), counts[-1]
    lowest = min(each.gbs for each in counts)
    return (best, last) if last.gbs < params.slow_share * best.gbs and last.gbs == lowest else None


def _finding(name: str, size: int, best: _At, last: _At) -> Finding:
    return finding(
        "fabric-congestion",
        f"{name} of {format_size(size)}: {best.gbs:.1f} GB/s on {best.nodes} nodes, {last.gbs:.1f} on {last.nodes}: "
        "shared paths are too narrow, or one of the nodes is slow",
        severity="error",
        confidence="possible",
        evidence=[
            line_evidence(best.point.ref, observed=f"{best.gbs:.1f} GB/s on {best.nodes} nodes"),
            line_evidence(
                last.point.ref,
                observed=f"{last.gbs:.1f} GB/s on {last.nodes} nodes",
                expected=f"about as much as on {best.nodes} nodes",
            ),
        ],
        explains=("busbw-below-expected", "hardware-unknown"),
        remedy=[("Tell a slow node from a slow path.", "slowlink isolate --nodes NODES")],
    )
