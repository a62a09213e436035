"""The checks of an HCA that the state of its node answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, get_args

from slowlink.facts.pci.links import PcieLink
from slowlink.facts.policy import is_right
from slowlink.model.acceptance import Cell, Contract
from slowlink.model.facts import Of
from slowlink.model.policy import Expected
from slowlink.model.state import Reading
from slowlink.rules.evidence.counters import growth_of_each
from slowlink.rules.links import link_errors_growing
from slowlink.workflows.accepting import checks as of
from slowlink.workflows.accepting.limits import Limits
from slowlink.workflows.accepting.names import FileNames, NodeNames
from slowlink.workflows.accepting.node_checks import NodeChecks
from slowlink.workflows.accepting.state_seen import StateSeen

T = TypeVar("T")
_COUNTERS = next(each for each in get_args(link_errors_growing.Counters) if isinstance(each, Of)).attributes
_ACTIVE = Expected("port-state", "port", "*", any_of=("Active",))


class HcaChecks:
    """Of all HCAs of one contract."""

    def __init__(
        self, seen: StateSeen, names: NodeNames, files: FileNames, contract: Contract, limits: Limits, nodes: NodeChecks
    ) -> None:
        self._seen, self._files, self._contract, self._limits, self._nodes = seen, files, contract, limits, nodes
        counters = [reading for reading in seen.each(*_COUNTERS) if reading.part.kind == "port"]
        self._counters = _of_hcas(names, counters, lambda reading: reading)
        self._grown = _of_hcas(names, growth_of_each(counters), lambda growth: growth.last)
        self._links: dict[str, dict[str, PcieLink]] = {}

    def port(self, node: str, hca: str, rate_gbit: float) -> Cell:
        """Of an HCA with several ports the best one counts."""
        limit = self._limits.place(f"Active, at least {rate_gbit:g} Gb/s", self._contract.basis)
        rates, states = self._seen.parts("port-rate", node), self._seen.parts("port-state", node)
        ports = [name for name in dict.fromkeys((*rates, *states)) if name.partition("/")[0] == hca]
        if not ports:
            return Cell(of.PORT, "not-measured", unit="Gb/s", limit=limit, why="nothing tells of a port of it")
        cells = [self._port(rates.get(name), states.get(name), rate_gbit, limit) for name in ports]
        return min(cells, key=lambda cell: ("pass", "open", "fail").index(cell.state))

    def _port(self, rate: Reading | None, state: Reading | None, wanted: float, limit: int) -> Cell:
        refs = [reading.ref for reading in (rate, state) if reading is not None]
        shown = tuple(dict.fromkeys(self._files.place(ref.source, ref.line) for ref in refs))
        measured = f"{rate.value:g}" if rate is not None and isinstance(rate.value, (int, float)) else ""
        at_rate = Expected("port-rate", "port", "*", at_least=wanted)
        if state is not None and not is_right(_ACTIVE, state.value):
            return Cell(of.PORT, "fail", measured, "Gb/s", limit, ("port-down",), f"the port is {state.value}", shown)
        if rate is not None and measured and not is_right(at_rate, rate.value):
            why = f"{measured} Gb/s, and the contract has {wanted:g}"
            return Cell(of.PORT, "fail", measured, "Gb/s", limit, ("port-rate-low",), why, shown)
        if state is None or not measured:
            why = "its state was not told" if state is None else "its rate was not told"
            return Cell(of.PORT, "open", measured, "Gb/s", limit, (), why, shown)
        return Cell(of.PORT, "pass", measured, "Gb/s", limit, evidence=shown[:1])

    def errors(self, node: str, hca: str) -> Cell:
        limit = self._limits.place("no counter of errors grows", "rule link-errors-growing")
        readings = self._counters.get((node, hca), [])
        if not readings:
            return Cell(of.ERRORS, "not-measured", unit="errors", limit=limit, why="no error counter of it was read")
        shown = (self._files.place(readings[-1].ref.source, readings[-1].ref.line),)
        grown = self._grown.get((node, hca), [])
        if grown:
            by = sum(each.by for each in grown)
            seconds = max((each.seconds or 0.0 for each in grown), default=0.0)
            unit = f"errors in {seconds:.0f} s" if seconds else "errors between two readings"
            return Cell(of.ERRORS, "pass", str(by), unit, limit, evidence=shown)
        total = sum(int(reading.value) for reading in readings if not isinstance(reading.value, str))
        if total:
            why = "read once: nobody knows when these errors were; ask twice (slowlink snapshot does)"
            return Cell(of.ERRORS, "open", str(total), "errors in all", limit, (), why, shown)
        return Cell(of.ERRORS, "pass", "0", "errors since the counters were reset", limit, evidence=shown)

    def pcie(self, node: str, hca: str) -> Cell:
        if node not in self._links:
            self._links[node] = dict(self._nodes.hca_links(node))
        basis = "what the device can do (LnkCap); rule pcie-link-below-capability"
        link = self._links[node].get(hca)
        unnamed = [each for name, each in self._links[node].items() if ":" in name]
        if link is None and unnamed:
            return self._by_address(unnamed, basis)
        if link is None:
            limit = self._limits.place("all lanes, full speed", basis)
            return Cell(of.HCA_PCIE, "not-measured", limit=limit, why="nothing tells its PCIe link")
        known = link.width_max is not None and link.speed_max is not None
        wanted = f"x{link.width_max} at {link.speed_max:g} GT/s" if known else "all lanes, full speed"
        limit = self._limits.place(wanted, basis)
        shown = (self._files.place(link.seen.ref.source, link.seen.ref.line),)
        measured = f"x{link.width}" + (f" at {link.speed:g} GT/s" if link.speed is not None else "")
        if link.full and link.speed is not None and known:
            return Cell(of.HCA_PCIE, "pass", measured, "", limit, evidence=shown)
        why = "below what the device can do" if link.narrow or link.slow else "not wholly told"
        return Cell(of.HCA_PCIE, "open", measured, "", limit, (), why, shown)

    def _by_address(self, links: Sequence[PcieLink], basis: str) -> Cell:
        """Nothing says which address is which HCA: where all links of the node are whole, this one is, too."""
        limit = self._limits.place("all lanes, full speed", basis)
        shown = (self._files.place(links[0].seen.ref.source, links[0].seen.ref.line),)
        whole = sum(link.full for link in links)
        words = f"of {len(links)} HCAs whole"
        if whole == len(links) and whole >= self._contract.hcas_per_node:
            return Cell(of.HCA_PCIE, "pass", str(whole), words, limit, evidence=shown)
        why = "nothing says which PCI address is this HCA's"
        return Cell(of.HCA_PCIE, "open", str(whole), words, limit, (), why, shown)


def _of_hcas(
    names: NodeNames, every: Iterable[T], reading_of: Callable[[T], Reading]
) -> dict[tuple[str, str], list[T]]:
    """(node, HCA) -> what is about its ports."""
    found: dict[tuple[str, str], list[T]] = {}
    for each in every:
        reading = reading_of(each)
        if (meant := names.meant(reading.host)) is not None:
            found.setdefault((meant, reading.part.name.partition("/")[0]), []).append(each)
    return found
