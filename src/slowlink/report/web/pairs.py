"""Pairs of nodes that one report measured, as a matrix for each test, and the slowest of them as a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.report import Report, Sweep
from slowlink.report.drawing import Drawing
from slowlink.report.escape import cleaned
from slowlink.report.presented import shared_directory
from slowlink.report.web.words import short
from slowlink.report.wording import count, number

FEWEST_PAIRS = 3
_MOST_NODES = 64
"""Of one picture: those of the slowest pairs."""
_MOST_LISTED = 20
_MOST_MATRICES = 8
_SIDE = 760.0
_LABEL, _LETTER = 18, 6.6
"""Letters of a name, and how wide one is."""
_WITH_NUMBERS = 16
_LEVELS = ((0.95, "usual"), (0.85, "low"), (0.6, "lower"), (0.0, "lowest"))
"""Least share of the median, and the class of its colour."""
LEGEND = (
    ("usual", "from 95 % of the median"), ("low", "from 85 %"), ("lower", "from 60 %"), ("lowest", "below"),
    ("unfinished", "did not finish"), ("untested", "not tested"),
)  # fmt: skip


class MeasuredPair(Struct, frozen=True):
    """Two nodes in one test; the median where there were several."""

    a: str
    b: str
    busbw_gbs: float | None
    """None: no test of them came to its end."""
    tests: int
    place: str
    """Source and line of the slowest one."""


class PairMatrix(Struct, frozen=True):
    """All pairs of one test."""

    title: str
    pairs: tuple[MeasuredPair, ...]
    """The slowest first; before them those that did not finish."""
    median_gbs: float | None


class MatrixView(Struct, frozen=True):
    """One of them as it is shown."""

    title: str
    summary: str
    svg: str
    slowest: tuple[tuple[str, str, str, str, str], ...]
    """(nodes, GB/s, share of the median, tests, place)."""


def has_pairs(report: Report) -> bool:
    """Is there anything for a matrix?"""
    return any(len(matrix.pairs) >= FEWEST_PAIRS for matrix in pair_matrices(report))


def pair_matrices(report: Report) -> tuple[PairMatrix, ...]:
    """One for each collective and number of ranks that at least three pairs measured."""
    directory = shared_directory(item.path for item in report.inputs)
    groups: dict[tuple[str, int | None], dict[tuple[str, str], list[Sweep]]] = {}
    for sweep in report.sweeps:
        if len(sweep.hosts) == 2 and sweep.hosts[0] != sweep.hosts[1]:
            a, b = sorted(sweep.hosts)
            groups.setdefault((sweep.collective or "unknown", sweep.nranks), {}).setdefault((a, b), []).append(sweep)
    found = (
        _matrix(collective, nranks, pairs, directory)
        for (collective, nranks), pairs in groups.items()
        if len(pairs) >= FEWEST_PAIRS
    )
    return tuple(sorted(found, key=lambda matrix: -len(matrix.pairs)))


def _matrix(
    collective: str, nranks: int | None, tests: Mapping[tuple[str, str], Sequence[Sweep]], directory: str
) -> PairMatrix:
    pairs = [_pair(a, b, sweeps, directory) for (a, b), sweeps in tests.items()]
    pairs.sort(key=lambda pair: (pair.busbw_gbs is not None, pair.busbw_gbs or 0.0, pair.a, pair.b))
    values = [pair.busbw_gbs for pair in pairs if pair.busbw_gbs is not None]
    ranks = f", {count(nranks, 'rank')}" if nranks else ""
    return PairMatrix(f"{collective}{ranks}", tuple(pairs), median(values) if values else None)


def _pair(a: str, b: str, sweeps: Sequence[Sweep], directory: str) -> MeasuredPair:
    measured = [
        (sweep.peak_busbw_gbs, sweep)
        for sweep in sweeps
        if sweep.complete and sweep.peak_busbw_gbs is not None and isfinite(sweep.peak_busbw_gbs)
    ]
    slowest = min(measured, key=lambda each: each[0])[1] if measured else sweeps[0]
    value = median([peak for peak, _ in measured]) if measured else None
    return MeasuredPair(a, b, value, len(sweeps), f"{slowest.source.removeprefix(directory)}:{slowest.line}")


def matrix_views(report: Report) -> tuple[MatrixView, ...]:
    """At most eight, the one with most pairs first."""
    return tuple(map(_view, cleaned(pair_matrices(report))[:_MOST_MATRICES]))


def _view(matrix: PairMatrix) -> MatrixView:
    nodes = _shown_nodes(matrix.pairs)
    every = {name for pair in matrix.pairs for name in (pair.a, pair.b)}
    unfinished = sum(pair.busbw_gbs is None for pair in matrix.pairs)
    words = [f"{count(len(matrix.pairs), 'pair')} of {count(len(every), 'node')}"]
    if matrix.median_gbs is not None:
        words.append(f"median {number(matrix.median_gbs)} GB/s")
    if unfinished:
        words.append(f"{unfinished:,} did not finish")
    if len(nodes) < len(every):
        words.append(f"the picture has the {len(nodes)} nodes of the slowest pairs")
    title = f"bus bandwidth of pairs of nodes, {matrix.title}"
    return MatrixView(
        title=matrix.title,
        summary="; ".join(words),
        svg=_svg(title, nodes, matrix),
        slowest=tuple(_listed(pair, matrix.median_gbs) for pair in matrix.pairs[:_MOST_LISTED]),
    )


def _shown_nodes(pairs: Iterable[MeasuredPair]) -> list[str]:
    chosen: dict[str, None] = {}
    for pair in pairs:
        for name in (pair.a, pair.b):
            if len(chosen) < _MOST_NODES:
                chosen.setdefault(name)
    return sorted(chosen)


def _listed(pair: MeasuredPair, middle: float | None) -> tuple[str, str, str, str, str]:
    share = f"{pair.busbw_gbs / middle:.0%}" if pair.busbw_gbs is not None and middle else "-"
    value = number(pair.busbw_gbs) if pair.busbw_gbs is not None else "did not finish"
    return (f"{pair.a} - {pair.b}", value, share, str(pair.tests), pair.place)


def _svg(title: str, nodes: Sequence[str], matrix: PairMatrix) -> str:
    """A square for each pair, on both sides of the diagonal."""
    labels = 14 + _LETTER * max(len(short(name, _LABEL)) for name in nodes)
    cell = (_SIDE - labels) / max(len(nodes), 4)
    at = {name: place for place, name in enumerate(nodes)}
    size = labels + cell * len(nodes)
    svg = Drawing(_SIDE, size, title, "matrix")
    for name, place in at.items():
        middle = labels + cell * (place + 0.5)
        if cell >= 9:
            svg.text(labels - 6, middle + 4, short(name, _LABEL), "tick", "end")
            svg.upright(middle + 4, labels - 6, short(name, _LABEL), "tick", "start")
    for row in range(len(nodes)):
        for column in range(len(nodes)):
            if row != column:
                svg.rect(labels + cell * column + 0.5, labels + cell * row + 0.5, cell - 1, cell - 1, "pair untested")
    for pair in matrix.pairs:
        if pair.a in at and pair.b in at:
            for row, column in ((at[pair.a], at[pair.b]), (at[pair.b], at[pair.a])):
                _draw_pair(svg, pair, matrix.median_gbs, labels + cell * column, labels + cell * row, cell, len(nodes))
    return svg.markup()


def _draw_pair(
    svg: Drawing, pair: MeasuredPair, middle: float | None, x: float, y: float, cell: float, nodes: int
) -> None:
    value = pair.busbw_gbs
    level = "unfinished"
    if value is not None:
        share = value / middle if middle else 1.0
        level = next(name for least, name in _LEVELS if share >= least or least == 0.0)
    said = f"{number(value)} GB/s" if value is not None else "did not finish"
    svg.rect(x + 0.5, y + 0.5, cell - 1, cell - 1, f"pair {level}", title=f"{pair.a} - {pair.b}: {said} ({pair.place})")
    if nodes <= _WITH_NUMBERS:
        shown = number(value) if value is not None else "\u2715"
        svg.text(x + cell / 2, y + cell / 2 + 4, shown, f"pair-value {level}", "middle")
