"""Many runs over different pairs of nodes: the matrix that tells a slow node from a slow path."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.benchmark import PairTable
from slowlink.model.facts import Pair, PairSurvey, Sweeps

_FEWEST_PAIRS = 3


def pair_survey(swept: Sweeps | None, tables: Sequence[PairTable] = ()) -> PairSurvey | None:
    """None unless at least three distinct pairs of nodes were tested and some node is in two of them, or a table says
    what pairs gave."""
    tables = [table for table in tables if table.rows or table.failed]
    pairs, unfinished = [], []
    for sweep in swept.all if swept is not None else ():
        if len(sweep.hosts) != 2:
            continue
        a, b = sorted(sweep.hosts)
        if sweep.complete and sweep.peak_busbw_gbs is not None:
            pairs.append(Pair(a, b, sweep))
        else:
            unfinished.append((a, b, sweep.run.end or sweep.run.header))
    tested = [(pair.a, pair.b) for pair in pairs] + [(a, b) for a, b, _ in unfinished]
    distinct = set(tested)
    nodes = {node for pair in distinct for node in pair}
    if len(distinct) < _FEWEST_PAIRS or len(nodes) >= 2 * len(distinct):
        pairs, unfinished, nodes = [], [], set()
    if not nodes and not tables:
        return None
    unfinished += [(failed.a, failed.b, failed.ref) for table in tables for failed in table.failed]
    nodes |= {node for table in tables for row in table.rows for node in (row.a, row.b)}
    nodes |= {node for a, b, _ in unfinished for node in (a, b)}
    return PairSurvey(tuple(pairs), tuple(unfinished), tuple(sorted(nodes)), tuple(tables))


def by_collective(survey: PairSurvey) -> dict[str, list[Pair]]:
    """Completed pairs of each collective: only equal tests may be compared."""
    groups: dict[str, list[Pair]] = {}
    for pair in survey.pairs:
        groups.setdefault(pair.sweep.collective or "unknown", []).append(pair)
    return groups
