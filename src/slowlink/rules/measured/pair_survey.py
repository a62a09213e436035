"""A slow node, or a slow path between two nodes.

When many pairs of nodes were tested, the matrix separates the two. A slow *node* is slow with most of its partners; a
slow *path* is one pair whose ends are fine with everybody else. Accusing both ends of every slow pair blames the
innocent.

Why it matters: a node is drained, a path is a cable, a switch port or a route.
How to confirm: test a slow pair again, and each of its ends with two other partners.
What to do: slow-path: look at the counters of the links between the two, and at the routes; straggler-node: take the
node out and test its HCAs one by one.
When it is wrong: a moment's congestion makes a slow pair, too; and when most pairs are slow the median hides it: only
an absolute expectation shows that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from slowlink.facts.survey import by_collective
from slowlink.model.facts import MeasuredSweep, PairSurvey
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects

CAUSES = ("straggler-node", "slow-path", "rank-lost")

Tested = list[tuple[str, str, MeasuredSweep]]


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    slow_share: float = 0.9
    """A pair below this share of the median of all pairs is slow. Healthy pairs of one cluster differ by 0.2 to 4 %."""
    fewest_pairs: int = 3
    """Fewer pairs of one collective have no median worth the name."""
    fewest_partners: int = 3
    """A node is judged on at least this many partners."""
    slow_partners_share: float = 0.5
    """A node is slow when it is slow with more than this share of its partners."""


def check(survey: PairSurvey, params: Params) -> Iterator[Finding | Proof]:
    """Each collective by itself, then the pairs that never finished."""
    for collective, tested in by_collective(survey).items():
        best = _best_of_each(tested)
        if len(best) >= params.fewest_pairs:
            yield from _compare(collective, best, params)
    if survey.unfinished:
        yield _unfinished(survey)


def _best_of_each(tested: Tested) -> Tested:
    """A pair that was tested again counts with its best run: a moment's congestion is no slow path."""
    best: dict[tuple[str, str], MeasuredSweep] = {}
    for a, b, sweep in tested:
        if (a, b) not in best or plateau_gbs(sweep) > plateau_gbs(best[a, b]):
            best[a, b] = sweep
    return [(a, b, sweep) for (a, b), sweep in best.items()]


def plateau_gbs(sweep: MeasuredSweep) -> float:
    """What the pair gives at the sizes that count: the median busbw of the upper half of the sizes."""
    sizes = sorted({point.size_bytes for point in sweep.points})
    upper = set(sizes[len(sizes) // 2 :])
    return median(point.busbw_gbs or 0.0 for point in sweep.points if point.size_bytes in upper)


def _compare(collective: str, tested: Tested, params: Params) -> Iterator[Finding | Proof]:
    values = {(a, b): plateau_gbs(sweep) for a, b, sweep in tested}
    usual = median(values.values())
    slow = [(a, b, sweep) for a, b, sweep in tested if values[a, b] < params.slow_share * usual]
    if not slow:
        yield Proof(f"{len(values)} pairs of nodes agree on {usual:.1f} GB/s of {collective}", weight=1)
        return
    bad_nodes = _bad_nodes(values, slow, params)
    for node, share in bad_nodes.items():
        mine = [entry for entry in slow if node in entry[:2]]
        yield _node(node, collective, mine, share, usual)
    paths = [entry for entry in slow if not bad_nodes.keys() & set(entry[:2])]
    if paths:
        fine = {node for pair in values for node in pair if pair not in {entry[:2] for entry in slow}}
        yield _paths(collective, paths, values, usual, fine)


def _bad_nodes(values: dict[tuple[str, str], float], slow: Tested, params: Params) -> dict[str, tuple[int, int]]:
    """Node -> (slow partners, partners)."""
    bad = {}
    for node in sorted({node for pair in values for node in pair}):
        partners = sum(node in pair for pair in values)
        slow_partners = sum(node in entry[:2] for entry in slow)
        if partners >= params.fewest_partners and slow_partners > params.slow_partners_share * partners:
            bad[node] = (slow_partners, partners)
    return bad


def _evidence(sweep: MeasuredSweep) -> Ref:
    return max(sweep.points, key=lambda point: point.size_bytes).ref


def _node(node: str, collective: str, slow: Tested, share: tuple[int, int], usual: float) -> Finding:
    typical = median(plateau_gbs(sweep) for _, _, sweep in slow)
    return finding(
        "straggler-node",
        f"{node} is slow with {share[0]} of its {share[1]} partners: {collective} gives {typical:.1f} GB/s, other "
        f"pairs {usual:.1f}",
        severity="error",
        confidence="likely",
        suspects=suspects("node", [node]),
        evidence=[
            line_evidence(_evidence(s), observed=f"{a} - {b}: {plateau_gbs(s):.2f} GB/s", expected=f"{usual:.1f} GB/s")
            for a, b, s in slow[:3]
        ],
        explains=["busbw-below-expected", "bandwidth-unstable"],
        remedy=[
            (
                "Take the node out, and test each of its HCAs and GPUs by itself.",
                f"ib_write_bw -d mlx5_0 --report_gbits {node}",
            )
        ],
    )


def _paths(
    collective: str, paths: Tested, values: dict[tuple[str, str], float], usual: float, fine: set[str]
) -> Finding:
    """``fine``: nodes that are fast with some partner. Without that a slow end is as likely as a slow path."""
    proven = all({a, b} <= fine for a, b, _ in paths)
    ends = "while their ends are fine with others" if proven else "and not every end was seen fast with another partner"
    worst = min(paths, key=lambda entry: values[entry[0], entry[1]])
    names = ", ".join(f"{a} - {b}" for a, b, _ in sorted(paths, key=lambda entry: values[entry[0], entry[1]])[:8])
    return finding(
        "slow-path",
        f"{len(paths)} of {len(values)} pairs of nodes {'is' if len(paths) == 1 else 'are'} slow in {collective} "
        f"({names}) "
        f"{ends}: down to {values[worst[0], worst[1]]:.1f} of {usual:.1f} GB/s",
        severity="error",
        confidence="likely" if proven else "possible",
        suspects=suspects("link", [f"{a} - {b}" for a, b, _ in paths]),
        evidence=[
            line_evidence(_evidence(s), observed=f"{a} - {b}: {plateau_gbs(s):.2f} GB/s", expected=f"{usual:.1f} GB/s")
            for a, b, s in paths[:4]
        ],
        explains=["busbw-below-expected", "bandwidth-unstable"],
        remedy=[
            ("Test these pairs again, to tell a path from a moment.", ""),
            (
                "Read the counters of the links between the two nodes.",
                "ibqueryerrors; mlxlink -d mlx5_0 -c -e",
            ),
        ],
    )


def _counted(pairs: int) -> str:
    return "1 pair" if pairs == 1 else f"{pairs} pairs"


def _unfinished(survey: PairSurvey) -> Finding:
    pairs = [(a, b) for a, b, _ in survey.unfinished]
    counts = {node: sum(node in pair for pair in set(pairs)) for node in survey.nodes}
    most = max(counts, key=lambda node: counts[node])
    recurs = f"; {most} is in {counts[most]} of them" if counts[most] > 1 else ""
    distinct = list(dict.fromkeys(pairs))
    return finding(
        "rank-lost",
        f"{_counted(len(distinct))} did not finish ({', '.join(f'{a} - {b}' for a, b in distinct[:6])}){recurs}",
        severity="error",
        confidence="possible",
        suspects=suspects("node", [most] if counts[most] > 1 else []),
        evidence=[line_evidence(ref, observed=f"{a} - {b} stops here") for a, b, ref in survey.unfinished[:4]],
        explains=["output-truncated", "nccl-error-unexplained"],
        remedy=[
            (
                "Run one of these pairs again with NCCL's log and a time-out.",
                "NCCL_DEBUG=INFO alltoall_perf ... -T 120",
            )
        ],
    )
