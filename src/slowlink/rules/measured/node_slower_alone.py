"""Every node measured by itself: one that is slower than the others.

The same collective on each single node (``slowlink run --each-node``, a health check's all_reduce, a loop over nodes).
No cable between nodes takes part, so what differs lies in the node: its GPUs, their links, power, clocks, processors.

Why it matters: all ranks of a job wait for its slowest node, at every step.
How to confirm: measure the node again by itself, when nothing else runs on it.
What to do: take it out of the job; look at its clocks, power and temperature under load, and at its links between GPUs.
When it is wrong: something ran there at that moment. When most nodes are slow alike nobody stands out; only what the
hardware should give tells then. Ranks on CPU memory share their node's cores with everybody, so there it is a warning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import median, robust_deviation
from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.ladder import Ladder
from slowlink.model.report import Evidence, Finding
from slowlink.model.source import Ref
from slowlink.nodes import fold
from slowlink.rules.evidence.commands import as_node, command
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.measured.pair_survey import plateau_gbs

CAUSES = ("straggler-node",)


class Params(Struct, frozen=True):
    """When a node stands out (docs/physics.md, "Run-to-run variation")."""

    fewest_nodes: int = 3
    """Two differ, and nothing says which is odd."""
    most_z: float = 3.5
    """Median absolute deviations, scaled to standard deviations, below the median of all nodes."""
    least_deviation: float = 0.003
    """Of the median: nodes that agree better are not judged more sharply. Healthy ones differ by 0.1 to 0.5 %."""
    warn_share: float = 0.98
    """Of the median: above it a node may stand out and costs nothing that anybody would notice."""
    slow_share: float = 0.95
    """Below it, it is an error."""


class _Node(Struct, frozen=True):
    """The best run of one node."""

    name: str
    gbs: float
    ref: Ref
    """Its largest size."""
    on_cpu: bool


def check(sweeps: Sweeps, ladder: Ladder | None, params: Params) -> Iterator[Finding | Proof]:
    """Each collective by itself: nodes with as many ranks and the same largest size are compared. Those of a ladder are
    set beside one another by its own rule, which has what was measured again."""
    groups: dict[object, list[MeasuredSweep]] = defaultdict(list)
    climbed = ladder.plan.ref.source.rpartition("/ladder/")[0] if ladder is not None else None
    for sweep in sweeps.all:
        if climbed is not None and sweep.run.source.startswith(climbed):
            continue
        if len(sweep.hosts) == 1 and sweep.complete and sweep.points and sweep.nranks and sweep.nranks > 1:
            first, largest = sweep.points[0], max(point.size_bytes for point in sweep.points)
            groups[sweep.collective, sweep.nranks, largest, first.datatype, sweep.run.tool].append(sweep)
    for group in groups.values():
        nodes = _best_of_each(group)
        if len(nodes) >= params.fewest_nodes:
            test = f"{group[0].collective} on {group[0].nranks} ranks of one node"
            yield from _compare(test, nodes, params)


def _best_of_each(group: Sequence[MeasuredSweep]) -> list[_Node]:
    """A node that was measured again counts with its best run: a moment's disturbance makes no slow node."""
    best: dict[str, _Node] = {}
    for sweep in group:
        name, gbs = next(iter(sweep.hosts)), plateau_gbs(sweep)
        if gbs > 0 and (name not in best or gbs > best[name].gbs):
            row = max(sweep.points, key=lambda point: point.size_bytes)
            best[name] = _Node(name, gbs, row.ref, on_cpu_memory(sweep.run))
    return list(best.values())


def _compare(test: str, nodes: Sequence[_Node], params: Params) -> Iterator[Finding | Proof]:
    usual = median(node.gbs for node in nodes)
    deviation = robust_deviation(node.gbs for node in nodes)
    step = max(deviation, params.least_deviation * usual)
    slow = [
        node
        for node in sorted(nodes, key=lambda node: node.gbs)
        if usual - node.gbs > params.most_z * step and node.gbs < params.warn_share * usual
    ]
    if slow:
        yield _finding(test, slow, usual, len(nodes), params)
        return
    low, high = min(node.gbs for node in nodes), max(node.gbs for node in nodes)
    yield Proof(
        f"{len(nodes)} nodes agree by themselves: {test} gives {usual:.1f} GB/s ({low:.1f} to {high:.1f})",
        weight=0 if any(node.on_cpu for node in nodes) else 1,
        measured=True,
    )


def _finding(test: str, slow: Sequence[_Node], usual: float, count: int, params: Params) -> Finding:
    worst = slow[0]
    grave = worst.gbs < params.slow_share * usual and not worst.on_cpu
    names = fold(node.name for node in slow)
    values = f"{worst.gbs:.1f}" if len(slow) == 1 else f"{worst.gbs:.1f} to {slow[-1].gbs:.1f}"
    return finding(
        "straggler-node",
        f"{names} {'is' if len(slow) == 1 else 'are'} slower by {'itself' if len(slow) == 1 else 'themselves'}: {test} "
        f"gives {values} GB/s, {usual:.1f} on the median of {count} nodes",
        severity="error" if grave else "warning",
        confidence="likely",
        suspects=suspects("node", [node.name for node in slow]),
        evidence=[_evidence(node, usual) for node in slow[:4]],
        explains=["busbw-below-expected", "bandwidth-unstable"],
        remedy=[
            (
                "Measure it again by itself, when nothing else runs there.",
                command("slowlink", "run", "all_reduce", "--each-node", "--nodes", as_node(worst.name)),
            ),
            ("See whether its GPUs are held back.", "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE"),
        ],
    )


def _evidence(node: _Node, usual: float) -> Evidence:
    return line_evidence(node.ref, observed=f"{node.name}: {node.gbs:.2f} GB/s", expected=f"{usual:.1f} GB/s")
