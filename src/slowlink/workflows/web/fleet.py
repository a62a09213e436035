"""The fleet: each node by what the newest reports say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from slowlink.model.fleet import STATES, UNKNOWN, CellState, Fleet, FleetCell, FleetNode
from slowlink.model.metrics import NewestRun
from slowlink.model.report import Severity
from slowlink.nodes import NodeLists
from slowlink.ordering import by_numbers
from slowlink.workflows.history.series import report_of_run
from slowlink.workflows.web.remembered import Remembered
from slowlink.workflows.web.said_of_nodes import UNREADABLE, SaidOfNodes, said_of_nodes

if TYPE_CHECKING:
    from slowlink.store.connect import Store

MOST_REPORTS = 10_000
"""The newest of each command and set of nodes; what is older is counted."""
_MOST_REMEMBERED = 10_000_000
"""Names of nodes in what is remembered of reports."""
_MOST_NODES, _MOST_NAMES = 100_000, 1_000_000
_STATES: Mapping[Severity, CellState] = {"critical": "broken", "error": "degraded", "warning": "warned"}


class SaidByRuns:
    """What reports say of their nodes, each read once: a run that is kept never changes. For several threads."""

    def __init__(self) -> None:
        self._said: Remembered[SaidOfNodes] = Remembered(_MOST_REMEMBERED, lambda said: said.weight)

    def of(self, store: Store, run: int) -> SaidOfNodes:
        """``UNREADABLE`` where its report is not there, or cannot be read."""

        def read() -> SaidOfNodes:
            report = report_of_run(store, run)
            return UNREADABLE if report is None else said_of_nodes(report)

        return self._said.get(run, read)


def fleet_of(store: Store, said: SaidByRuns, newest: Sequence[NewestRun], left_out: int, since: float) -> Fleet:
    """By the reports of ``newest`` (the newest first) that were measured after ``since`` (seconds since the epoch).

    A node is accused until a later report looked at it with the very rule that found it, and found nothing. It is sound
    in a check where a rule of that looked at it, and unknown else.
    """
    picture = Picture()
    read = unreadable = 0
    for run in newest:
        if run.at < since:
            continue
        told = said.of(store, run.run_id)
        if told is UNREADABLE:
            unreadable += 1
        else:
            read += 1
            picture.add(run, told)
    return Fleet(picture.nodes(), read, unreadable, left_out)


class Picture:
    """Grows report by report, from the newest to older ones."""

    def __init__(self) -> None:
        self._newest: dict[str, NewestRun] = {}
        self._cells: dict[str, dict[str, FleetCell]] = {}
        self._cleared: dict[str, set[str]] = {}
        """By rule, the nodes that a newer report looked at with it."""

    def add(self, run: NewestRun, said: SaidOfNodes) -> None:
        """An older one than all that are in it."""
        for node in said.nodes:
            self._newest.setdefault(node, run)
        for each in said.found:
            cell = FleetCell(_STATES[each.severity], each.cause, run.run_id, run.at, each.of_all)
            self._accuse(each.check, cell, each.nodes - self._cleared.get(each.rule, set()))
        for check, nodes in said.sound.items():
            cell, cells = FleetCell("sound", "", run.run_id, run.at), self._cells.setdefault(check, {})
            for node in nodes:
                cells.setdefault(node, cell)
        for rule, nodes in said.looked.items():
            self._cleared.setdefault(rule, set()).update(nodes)
        for each in said.found:
            self._cleared.setdefault(each.rule, set()).update(each.nodes)

    def _accuse(self, check: str, cell: FleetCell, nodes: Iterable[str]) -> None:
        cells = self._cells.setdefault(check, {})
        for node in nodes:
            if STATES.index(cell.state) < STATES.index(cells.get(node, UNKNOWN).state):
                cells[node] = cell

    def nodes(self) -> tuple[FleetNode, ...]:
        """In the order of their names."""
        of_node: dict[str, dict[str, FleetCell]] = {}
        for check, cells in self._cells.items():
            for node, cell in cells.items():
                of_node.setdefault(node, {})[check] = cell
        names = sorted(self._newest, key=by_numbers)
        return tuple(
            FleetNode(name, of_node.get(name, {}), self._newest[name].at, self._newest[name].run_id) for name in names
        )


def sets_with(node: str, sets: Iterable[str]) -> tuple[str, ...]:
    """Those of ``sets`` (folded) that hold ``node``."""
    lists = NodeLists(_MOST_NAMES, _MOST_NODES)
    return tuple(each for each in sets if each == node or node in (lists.names(each) or ()))
