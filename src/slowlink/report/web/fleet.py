"""The fleet as rows: nodes that are alike in every check are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from slowlink.model.fleet import STATES as WORST_FIRST
from slowlink.model.fleet import UNKNOWN, CellState, Fleet, FleetCell, FleetNode
from slowlink.nodes import fold
from slowlink.report.web.words import CHECKS, STATES, age, cell_words
from slowlink.report.wording import count

_ACCUSED: tuple[CellState, ...] = ("broken", "degraded")


class CellView(Struct, frozen=True):
    """One check of a row."""

    state: CellState
    sign: str
    words: str
    run_id: int


class FleetRow(Struct, frozen=True):
    """Nodes of which every check says the same."""

    names: str
    """Folded."""
    count: int
    state: CellState
    word: str
    causes: tuple[str, ...]
    cells: tuple[CellView, ...]
    age: str
    newest_run: int


class FleetView(Struct, frozen=True):
    """One page of the matrix."""

    verdict: str
    headline: str
    counts: tuple[tuple[CellState, str, int], ...]
    """(state, its word, how many nodes), the worst first."""
    checks: tuple[str, ...]
    """Words of the columns: those of which some node has something."""
    rows: tuple[FleetRow, ...]
    groups: int
    """Rows on all pages."""
    notes: tuple[str, ...]


def fleet_view(
    fleet: Fleet, chosen: Sequence[FleetNode], now: float, *, each: bool, first: int, most: int, within: str
) -> FleetView:
    """``chosen``: the nodes to show; ``each``: a row for every one. ``first`` counts rows from 0."""
    checks = [check for check in CHECKS if any(check in node.cells for node in fleet.nodes)]
    groups = _groups(chosen, checks, each=each)
    groups.sort(key=lambda group: _badness(group[0]))
    counts = _counts(fleet.nodes)
    return FleetView(
        verdict=_verdict(counts),
        headline=_headline(len(fleet.nodes), counts, within),
        counts=tuple((state, STATES[state][1], counts[state]) for state in WORST_FIRST),
        checks=tuple(CHECKS[check] for check in checks),
        rows=tuple(_row(group, checks, now) for group in groups[first : first + most]),
        groups=len(groups),
        notes=_notes(fleet),
    )


def _groups(nodes: Sequence[FleetNode], checks: Sequence[str], *, each: bool) -> list[list[FleetNode]]:
    if each:
        return [[node] for node in nodes]
    alike: dict[tuple[object, ...], list[FleetNode]] = {}
    for node in nodes:
        cells = (node.cells.get(check, UNKNOWN) for check in checks)
        alike.setdefault(tuple((cell.state, cell.cause, cell.of_all) for cell in cells), []).append(node)
    return list(alike.values())


def _badness(node: FleetNode) -> tuple[int, int]:
    """The worst first, and of these the ones with more that is wrong."""
    wrong = sum(cell.state not in ("sound", "unknown") for cell in node.cells.values())
    return WORST_FIRST.index(node.state), -wrong


def _row(group: Sequence[FleetNode], checks: Sequence[str], now: float) -> FleetRow:
    cells = tuple(_cell(check, _newest_of(group, check)) for check in checks)
    causes = (group[0].cells[check] for check in checks if check in group[0].cells)
    found = sorted((cell for cell in causes if cell.cause), key=lambda cell: WORST_FIRST.index(cell.state))
    newest = max(group, key=lambda node: node.newest_at)
    ages = dict.fromkeys((age(now - newest.newest_at), age(now - min(node.newest_at for node in group))))
    return FleetRow(
        names=fold(node.name for node in group),
        count=len(group),
        state=group[0].state,
        word=STATES[group[0].state][1],
        causes=tuple(dict.fromkeys(cell.cause for cell in found)),
        cells=cells,
        age=" to ".join(ages),
        newest_run=newest.newest_run,
    )


def _newest_of(group: Sequence[FleetNode], check: str) -> FleetCell:
    return max((node.cells.get(check, UNKNOWN) for node in group), key=lambda cell: cell.at)


def _cell(check: str, cell: FleetCell) -> CellView:
    return CellView(cell.state, STATES[cell.state][0], cell_words(check, cell), cell.run_id)


def _counts(nodes: Sequence[FleetNode]) -> Mapping[CellState, int]:
    counts: dict[CellState, int] = dict.fromkeys(WORST_FIRST, 0)
    for node in nodes:
        counts[node.state] += 1
    return counts


def _verdict(counts: Mapping[CellState, int]) -> str:
    """The class of a page that has such a verdict."""
    accused = [state for state in _ACCUSED if counts[state]]
    return (
        accused[0] if accused else "degraded" if counts["warned"] else "healthy" if counts["sound"] else "inconclusive"
    )


def _headline(nodes: int, counts: Mapping[CellState, int], within: str) -> str:
    if not nodes:
        return f"No report {within} tells of a node."
    accused = [f"{counts[state]:,} {STATES[state][1]}" for state in _ACCUSED if counts[state]]
    unknown = f"; of {counts['unknown']:,} nothing is known" if counts["unknown"] else ""
    if accused:
        return f"{count(nodes, 'node')}: {', '.join(accused)}{unknown}"
    return f"{count(nodes, 'node')}: none is broken or degraded by its newest reports{unknown}"


def _notes(fleet: Fleet) -> tuple[str, ...]:
    notes = [f"By {count(fleet.reports, 'report')}: the newest of each command and set of nodes."]
    if fleet.unreadable:
        notes.append(
            f"{count(fleet.unreadable, 'report')} can not be read any more, or was too large to be kept whole: what "
            "stood there is in no cell."
        )
    if fleet.left_out:
        notes.append(f"{fleet.left_out:,} other commands and sets of nodes, measured longer ago, are left out.")
    return tuple(notes)
