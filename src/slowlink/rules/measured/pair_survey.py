"""A slow node, or a slow path between two nodes.

When many pairs of nodes were tested, the matrix separates the two. A slow *node* is slow with most of its partners, of
which three are needed. A slow *path* is one pair whose ends are fast with others. A pair is slow below 90 % of the
median of all pairs. Accusing both ends of every slow pair would blame the innocent.

Why it matters: a slow node is drained; a slow path is a cable, a switch port or a route.
How to confirm: test a slow pair again, and each of its ends with two other partners.
What to do: for a slow path, look at the counters of the links between the two nodes, and at the routes. Take a slow
node out, and test its HCAs one by one.
When it is wrong: a moment's congestion makes a slow pair, too; of repeated tests the best counts. When most pairs are
slow the median hides it, and only an absolute expectation shows it. If an end was fast with no partner, confidence is
only possible. A table without units or names of its columns may be of times: then nobody is called slow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from slowlink.averages import MedianWithout, median
from slowlink.facts.survey import by_collective
from slowlink.model.benchmark import PairTable
from slowlink.model.facts import MeasuredSweep, Pair, PairSurvey
from slowlink.model.report import Evidence, Finding
from slowlink.model.source import Ref
from slowlink.parting import by_keys
from slowlink.rules.evidence.commands import as_hca, as_node, command
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import counted
from slowlink.rules.measured.remedies import TEST_PAIRS_AGAIN

CAUSES = ("straggler-node", "slow-path", "rank-lost", "node-differs")


class Params(Struct, frozen=True):
    """When a pair is slow, and when its node is."""

    slow_share: float = 0.9
    """busbw of a slow pair over the median of all pairs is below this. Healthy pairs of one cluster differ by 0.2 to
    4 % (docs/physics.md, "Run-to-run variation")."""
    fewest_pairs: int = 3
    """Pairs of one collective; fewer have no median worth the name."""
    fewest_partners: int = 3
    """Partners on which a node is judged; with fewer, one slow path would be most of them."""
    slow_partners_share: float = 0.5
    """Share of its partners with which a slow node is slow; it must exceed this."""


class _Tested(Struct, frozen=True):
    """A pair of nodes, with the best of its runs of one collective."""

    a: str
    b: str
    gbs: float
    """What the pair gives, as ``plateau_gbs``."""
    ref: Ref
    """The row of the largest size, or of the pair in a table."""
    unit: str = "GB/s"
    told: bool = False
    """From somebody's table: what was measured is not known."""

    @property
    def name(self) -> str:
        return f"{self.a} - {self.b}"

    @property
    def ends(self) -> set[str]:
        return {self.a, self.b}

    @property
    def after(self) -> str:
        """The unit behind a number; nothing where the table does not say it."""
        return f" {self.unit}" if self.unit else ""

    def evidence(self, usual_gbs: float) -> Evidence:
        """The row, compared with what is usual."""
        return line_evidence(
            self.ref, observed=f"{self.name}: {self.gbs:.2f}{self.after}", expected=f"{usual_gbs:.1f}{self.after}"
        )


class _Partners(NamedTuple):
    """With how many of its partners a node is slow."""

    slow: int
    tested: int


def check(survey: PairSurvey, params: Params) -> Iterator[Finding | Proof]:
    """Each collective by itself, then the pairs that never finished."""
    for collective, pairs in by_collective(survey).items():
        tested = _best_of_each(pairs)
        if len(tested) >= params.fewest_pairs:
            yield from _compare(collective, tested, params)
    for table in survey.tables:
        for test, tested in _tested_rows(table).items():
            if len(tested) >= params.fewest_pairs:
                judge = _compare if table.told else _unclear
                yield from judge(test or "the table of pairs", tested, params)
    if survey.unfinished:
        yield _unfinished(survey)


def _ends(pair: _Tested) -> set[str]:
    return pair.ends


def _best_of_each(pairs: Sequence[Pair]) -> list[_Tested]:
    """A pair that was tested again counts with its best run: a moment's congestion is no slow path."""
    best: dict[tuple[str, str], _Tested] = {}
    for pair in pairs:
        gbs = plateau_gbs(pair.sweep)
        known = best.get((pair.a, pair.b))
        if known is None or gbs > known.gbs:
            row = max(pair.sweep.points, key=lambda point: point.size_bytes)
            best[pair.a, pair.b] = _Tested(pair.a, pair.b, gbs, row.ref)
    return list(best.values())


def _tested_rows(table: PairTable) -> dict[str, list[_Tested]]:
    """Rows of a table by test, each pair with the best of its rows."""
    best: dict[str, dict[tuple[str, ...], _Tested]] = {}
    for row in table.rows:
        a, b = sorted((row.a, row.b))
        known = best.setdefault(row.test, {}).get((a, b))
        if known is None or row.amount > known.gbs:
            best[row.test][a, b] = _Tested(a, b, row.amount, row.ref, table.unit, told=True)
    return {test: [*pairs.values()] for test, pairs in best.items()}


def plateau_gbs(sweep: MeasuredSweep) -> float:
    """What the pair gives at the sizes that count: the median busbw of the upper half of the sizes, GB/s."""
    sizes = sorted({point.size_bytes for point in sweep.points})
    upper = set(sizes[len(sizes) // 2 :])
    return median(point.busbw_gbs or 0.0 for point in sweep.points if point.size_bytes in upper)


def _compare(collective: str, tested: Sequence[_Tested], params: Params) -> Iterator[Finding | Proof]:
    usual = median(pair.gbs for pair in tested)
    slow = [pair for pair in tested if pair.gbs < params.slow_share * usual]
    if not slow:
        if max(pair.gbs for pair in tested) * params.slow_share <= usual or not tested[0].told:
            yield _agree(collective, tested, usual)  # of a table whose half is slow the median says nothing
        return
    slow_nodes = _slow_nodes(tested, slow, params)
    sound = [pair.gbs for pair in tested if slow_nodes.keys().isdisjoint(pair.ends)]
    others = median(sound) if sound else usual
    slow_of = by_keys(slow, _ends)
    for node, partners in slow_nodes.items():
        yield _node(node, collective, slow_of[node], partners, others)
    paths = [pair for pair in slow if slow_nodes.keys().isdisjoint(pair.ends)]
    if paths:
        yield _paths(collective, paths, tested, usual, params)


def _unclear(name: str, tested: Sequence[_Tested], params: Params) -> Iterator[Finding]:
    """Numbers of nobody knows what: of bandwidth the least are slow, of times the most."""
    usual = median(pair.gbs for pair in tested)
    low = [pair for pair in tested if pair.gbs < params.slow_share * usual]
    high = [pair for pair in tested if pair.gbs * params.slow_share > usual]
    sides = [(_slow_nodes(tested, pairs, params), pairs) for pairs in (low, high)]
    odd, pairs = min((side for side in sides if side[0]), key=lambda side: len(side[0]), default=({}, []))
    odd_of, every_of = by_keys(pairs, _ends), by_keys(tested, _ends)
    without = MedianWithout(pair.gbs for pair in tested)
    for node, partners in odd.items():
        its = odd_of[node]
        rest = without(pair.gbs for pair in every_of[node])
        slow = "slow" if its[0].gbs < rest else "fast"
        yield finding(
            "node-differs",
            f"{node} differs with {partners.slow} of its {partners.tested} partners: {name} gives "
            f"{median(pair.gbs for pair in its):.1f}, pairs without it {rest:.1f}; of bandwidth that is {slow}, "
            f"of times {'fast' if slow == 'slow' else 'slow'}, and nothing says which it is",
            severity="warning",
            confidence="possible",
            suspects=suspects("node", [node]),
            evidence=[pair.evidence(rest) for pair in its[:3]],
            remedy=[("Say what the numbers are, or test these pairs by a tool that does.", "")],
        )


def _agree(collective: str, tested: Sequence[_Tested], usual: float) -> Proof:
    """Of a table nobody knows what was measured, nor what it should give: equal pairs may be equally slow."""
    said = f"{len(tested)} pairs of nodes agree on {usual:.1f}{tested[0].after} of {collective}"
    return Proof(said, weight=0 if tested[0].told else 1, measured=True)


def _slow_nodes(tested: Sequence[_Tested], slow: Sequence[_Tested], params: Params) -> dict[str, _Partners]:
    """Nodes that are slow with most of their partners, by name."""
    partners = Counter(node for pair in tested for node in (pair.a, pair.b))
    slow_partners = Counter(node for pair in slow for node in (pair.a, pair.b))
    return {
        node: _Partners(slow_partners[node], partners[node])
        for node in sorted(partners)
        if partners[node] >= params.fewest_partners
        and slow_partners[node] > params.slow_partners_share * partners[node]
    }


def _node(node: str, collective: str, slow: Sequence[_Tested], partners: _Partners, usual: float) -> Finding:
    """``usual``: what pairs without any slow node give. Half of the pairs of four nodes have one node in them."""
    typical = median(pair.gbs for pair in slow)
    return finding(
        "straggler-node",
        f"{node} is slow with {partners.slow} of its {partners.tested} partners: {collective} gives "
        f"{typical:.1f}{slow[0].after}, other pairs {usual:.1f}",
        severity="error",
        confidence="likely",
        suspects=suspects("node", [node]),
        evidence=[pair.evidence(usual) for pair in slow[:3]],
        explains=["busbw-below-expected", "bandwidth-unstable"],
        remedy=[
            (
                "Take the node out, and test each of its HCAs and GPUs by itself.",
                command("ib_write_bw", "-d", as_hca(None), "--report_gbits", as_node(node)),
            )
        ],
    )


def _paths(
    collective: str, paths: Sequence[_Tested], tested: Sequence[_Tested], usual: float, params: Params
) -> Finding:
    """Proven where both ends of each are fast with some partner; otherwise a slow end is as likely as a slow path."""
    fast = {node for pair in tested if pair.gbs >= params.slow_share * usual for node in (pair.a, pair.b)}
    proven = all({pair.a, pair.b} <= fast for pair in paths)
    ends = "while their ends are fine with others" if proven else "and not every end was seen fast with another partner"
    slowest = sorted(paths, key=lambda pair: pair.gbs)
    down = f"down to {slowest[0].gbs:.1f} of {usual:.1f}{slowest[0].after}"
    return finding(
        "slow-path",
        f"{len(paths)} of {len(tested)} pairs of nodes {'is' if len(paths) == 1 else 'are'} slow in {collective} "
        f"({', '.join(pair.name for pair in slowest[:8])}) {ends}: {down}",
        severity="error",
        confidence="likely" if proven else "possible",
        suspects=suspects("link", [pair.name for pair in paths]),
        evidence=[pair.evidence(usual) for pair in paths[:4]],
        explains=["busbw-below-expected", "bandwidth-unstable"],
        remedy=[
            TEST_PAIRS_AGAIN,
            (
                "Read the counters of the links between the two nodes.",
                "ibqueryerrors; mlxlink -d mlx5_0 -c -e",
            ),
        ],
    )


def _unfinished(survey: PairSurvey) -> Finding:
    """A node is suspected where it is in more than one of the pairs."""
    pairs = [(a, b) for a, b, _ in survey.unfinished]
    among = Counter(node for pair in set(pairs) for node in set(pair))
    counts = {node: among[node] for node in survey.nodes}
    most = max(counts, key=lambda node: counts[node])
    recurs = f"; {most} is in {counts[most]} of them" if counts[most] > 1 else ""
    distinct = list(dict.fromkeys(pairs))
    return finding(
        "rank-lost",
        f"{counted(len(distinct), 'pair')} did not finish ({', '.join(f'{a} - {b}' for a, b in distinct[:6])}){recurs}",
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
