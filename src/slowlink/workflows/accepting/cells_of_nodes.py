"""Every cell of one node and of its HCAs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.acceptance import AcceptedHca, AcceptedNode, Cell, Check
from slowlink.workflows.accepting import checks as of
from slowlink.workflows.accepting.accusations import Accusation, Accusations, with_accusations
from slowlink.workflows.accepting.hca_checks import HcaChecks
from slowlink.workflows.accepting.limits import Limits, best_of, worst_state
from slowlink.workflows.accepting.measurements import of_nodes
from slowlink.workflows.accepting.names import FileNames
from slowlink.workflows.accepting.node_checks import NodeChecks


class Measured:
    """The measurements that name each node of the contract."""

    def __init__(
        self,
        inside: Mapping[str, Sequence[Cell]],
        between: Mapping[str, Sequence[Cell]],
        copies: Mapping[str, Sequence[Cell]],
        links: Mapping[tuple[str, str], Sequence[Cell]],
    ) -> None:
        self.inside, self.between, self.copies, self.links = inside, between, copies, links


class CellsOfNodes:
    """Of all nodes of one contract."""

    def __init__(
        self,
        checks: Sequence[Check],
        nodes: NodeChecks,
        hcas: HcaChecks,
        measured: Measured,
        accusations: Accusations,
        policy: Callable[[str], Cell],
        files: FileNames,
        limits: Limits,
    ) -> None:
        self._checks, self._nodes, self._hcas, self._measured = checks, nodes, hcas, measured
        self._accusations, self._policy, self._files, self._limits = accusations, policy, files, limits
        self._of_nodes: Mapping[str, Callable[[str], Cell]] = {
            of.STATE: nodes.state,
            of.GPUS: nodes.gpus,
            of.GPU_HEALTH: nodes.gpu_health,
            of.GPU_LINKS: nodes.gpu_links,
            of.PCIE: nodes.pcie,
            of.COPIES: lambda node: self._best(measured.copies.get(node, ()), of.COPIES),
            of.INSIDE: lambda node: self._best(measured.inside.get(node, ()), of.INSIDE),
            of.BETWEEN: lambda node: self._best(of_nodes(measured.between.get(node, ())), of.BETWEEN),
            of.POLICY: policy,
        }
        self._required = {check.id: check.required for check in checks}

    def node(self, name: str, hcas: Mapping[str, float]) -> AcceptedNode:
        """``hcas``: those that it should have, with their rates."""
        cells = [
            with_accusations(
                self._of_nodes[check.id](name), self._accusations.at(name, "", check.id), self._files.place
            )
            for check in self._checks
            if check.level == "node" and check.id != of.FAULTS
        ]
        if of.FAULTS in self._required:
            state = next(cell for cell in cells if cell.check == of.STATE)
            cells.append(self._faults(name, tuple(hcas), known=state.state != "not-measured"))
        parts = tuple(AcceptedHca(hca, tuple(self._hca(name, hca, rate))) for hca, rate in hcas.items())
        every = (*cells, *(cell for part in parts for cell in part.cells))
        return AcceptedNode(
            name, worst_state((self._required[cell.check], cell) for cell in every), tuple(cells), parts
        )

    def _hca(self, node: str, hca: str, rate_gbit: float) -> list[Cell]:
        tests = self._measured.links.get((node, hca), ())
        answers: Mapping[str, Callable[[], Cell]] = {
            of.PORT: lambda: self._hcas.port(node, hca, rate_gbit),
            of.ERRORS: lambda: self._hcas.errors(node, hca),
            of.HCA_PCIE: lambda: self._hcas.pcie(node, hca),
            of.BANDWIDTH: lambda: self._best([each for each in tests if each.check == of.BANDWIDTH], of.BANDWIDTH),
            of.GPU_BANDWIDTH: lambda: self._best(
                [each for each in tests if each.check == of.GPU_BANDWIDTH], of.GPU_BANDWIDTH
            ),
        }
        return [
            with_accusations(answers[check.id](), self._accusations.at(node, hca, check.id), self._files.place)
            for check in self._checks
            if check.level == "hca"
        ]

    def _best(self, cells: Sequence[Cell], check: str) -> Cell:
        found = best_of(cells)
        if found is not None:
            return found
        return Cell(check, "not-measured", why="no evidence has such a test of it")

    def _faults(self, node: str, hcas: Sequence[str], *, known: bool) -> Cell:
        """What no other cell says. A warning is a remark here: what was measured shows whether it costs anything."""
        limit = self._limits.place("no other finding names it", "all rules of slowlink analyze")
        cell = (
            Cell(of.FAULTS, "pass", limit=limit)
            if known
            else Cell(of.FAULTS, "not-measured", why="nothing tells its state")
        )
        own = self._accusations.at(node, "", of.FAULTS)
        rest = self._accusations.left_over(node, hcas, self._required)
        against: list[Accusation] = [*own, *rest]
        if any(each.fails for each in against):
            return with_accusations(cell, [each for each in against if each.fails], self._files.place)
        if not known or not against:
            return cell
        causes = tuple(dict.fromkeys(each.cause for each in against))
        more = f" (and {len(against) - 1} more)" if len(against) > 1 else ""
        return replace(cell, causes=causes, why=f"a warning: {against[0].message}{more}")
