"""The checks of a node that its state answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from slowlink.catalog.gpus import find_gpu
from slowlink.collectors.catalogue import all_collectors
from slowlink.facts.pci.links import LINK_ATTRIBUTES, PcieLink, pcie_links
from slowlink.facts.tools import NODE, asked_nodes, lost_nodes
from slowlink.model.acceptance import Cell, Contract
from slowlink.model.state import Collected
from slowlink.rules.gpu import gpu_clocks_throttled, gpu_memory_state
from slowlink.rules.gpu.gpu_counts import Count, gpu_counts
from slowlink.rules.pcie.pcie_verdicts import has_all_lanes
from slowlink.workflows.accepting import checks as of
from slowlink.workflows.accepting.limits import Limits
from slowlink.workflows.accepting.names import FileNames, NodeNames
from slowlink.workflows.accepting.state_seen import StateSeen

_COUNTING = ("gpu-count", "gpu-name", "gpu-uuid", "pci-role", "pci-device")
_LINKS = {
    "nvlink-active": "links told their state",
    "gpu-fabric-state": "GPUs told the state of their fabric",
    "gpu-pair-link": "pairs of GPUs told their link",
    "xgmi-link": "links told their state",
}
"""What tells of links between GPUs, the most telling first."""
PCI_PLACES = ("pci-role", "pci-buses", "pci-device", "gpu-bus-id", "hca-bus-id")


class NodeChecks:
    """Of all nodes of one contract."""

    def __init__(self, seen: StateSeen, names: NodeNames, files: FileNames, contract: Contract, limits: Limits) -> None:
        self._seen, self._files, self._contract, self._limits = seen, files, contract, limits
        self._collected = _by_node(seen, names)
        self._lost = frozenset(filter(None, map(names.meant, lost_nodes(seen.state)))) if seen.state else frozenset()
        self._asked = frozenset(filter(None, map(names.meant, asked_nodes(seen.state)))) if seen.state else frozenset()
        self._told = frozenset(filter(None, map(names.meant, seen.state.nodes))) if seen.state else frozenset()
        counting = seen.readings(*_COUNTING)
        counts = gpu_counts(counting) if counting is not None else {}
        self._counts: Mapping[str, Count] = {meant: c for host, c in counts.items() if (meant := names.meant(host))}
        self._memory = seen.counted(*gpu_memory_state.ATTRIBUTES)
        self._clocks = seen.counted(*gpu_clocks_throttled.ATTRIBUTES)
        self._links = {name: seen.counted(name) for name in _LINKS}
        self._pcie = _pcie(seen, names)

    def hca_links(self, node: str) -> Mapping[str, PcieLink]:
        return {name: link for (kind, name), link in self._pcie.get(node, {}).items() if kind == "hca"}

    def state(self, node: str) -> Cell:
        asked = self._collected.get(node, [])
        if node in self._lost:
            lost = next((each for each in asked if each.collector == NODE and each.outcome == "failed"), None)
            detail = lost.detail if lost is not None and lost.detail else "no answer"
            place = self._at(lost) if lost is not None else ()
            return Cell(of.STATE, "not-measured", why=f"it did not answer: {detail}", evidence=place)
        if node not in self._told:
            return Cell(of.STATE, "not-measured", why="nothing tells its state")
        limit = self._limits.place(
            "every question is answered", "the transcript of the node; rules nodes-unanswered, tool-failed"
        )
        if node not in self._asked:
            why = "told by files, not by a transcript: nobody knows what was not asked"
            return Cell(of.STATE, "pass", "files", limit=limit, why=why)
        answered = sum(each.outcome == "ran" for each in asked)
        return Cell(of.STATE, "pass", str(answered), "answers", limit, evidence=self._at(asked[0]) if asked else ())

    def gpus(self, node: str) -> Cell:
        contract, count = self._contract, self._counts.get(node)
        wanted = f"{contract.gpus_per_node} x {contract.gpu}" if contract.gpu else str(contract.gpus_per_node)
        limit = self._limits.place(wanted, contract.basis)
        if count is None:
            return Cell(of.GPUS, "not-measured", limit=limit, why="nothing tells how many GPUs it has")
        names = self._seen.parts("gpu-name", node)
        models = Counter(str(reading.value) for reading in names.values())
        shown = (self._files.place(count.reading.ref.source, count.reading.ref.line),)
        said = f"{count.number}" + (f" x {' + '.join(models)}" if models else "")
        if count.number != contract.gpus_per_node:
            why = f"{count.number} GPUs, and the contract has {contract.gpus_per_node}"
            causes = ("gpu-missing",) if count.number < contract.gpus_per_node else ()
            return Cell(of.GPUS, "fail", said, "GPUs", limit, causes, why, shown)
        others, unknown = _other_models(models, contract.gpu)
        if others:
            return Cell(
                of.GPUS, "fail", said, "GPUs", limit, (), f"the contract has {contract.gpu}, not {others[0]}", shown
            )
        if contract.gpu and (unknown or sum(models.values()) < count.number):
            why = f"{unknown[0]} is not in the catalogue" if unknown else "the model of some GPUs was not told"
            return Cell(of.GPUS, "open", said, "GPUs", limit, (), why, shown)
        return Cell(of.GPUS, "pass", said, "GPUs", limit, evidence=shown)

    def gpu_health(self, node: str) -> Cell:
        limit = self._limits.place(
            "no fault of memory, no slowdown",
            "rules gpu-memory-state, gpu-clocks-throttled and those of the kernel log",
        )
        memory, clocks = self._memory.get(node), self._clocks.get(node)
        if memory is None and clocks is None:
            return Cell(of.GPU_HEALTH, "not-measured", limit=limit, why="nothing tells the state of its GPUs")
        told = min(number for number, _ in (memory or (0, None), clocks or (0, None)))
        reading = (memory or clocks or (0, None))[1]
        shown = (self._files.place(reading.ref.source, reading.ref.line),) if reading is not None else ()
        if told < self._contract.gpus_per_node:
            why = f"memory was told of {memory[0] if memory else 0} GPUs, clocks of {clocks[0] if clocks else 0}"
            return Cell(of.GPU_HEALTH, "open", str(told), "GPUs", limit, (), why, shown)
        return Cell(of.GPU_HEALTH, "pass", str(told), "GPUs sound", limit, evidence=shown)

    def gpu_links(self, node: str) -> Cell:
        limit = self._limits.place(
            "all links are there, none with errors",
            "rules nvlink-inactive, nvlink-topology, nvlink-errors, gpu-fabric-state",
        )
        for attribute, words in _LINKS.items():
            if (found := self._links[attribute].get(node)) is not None:
                number, reading = found
                return Cell(
                    of.GPU_LINKS,
                    "pass",
                    str(number),
                    words,
                    limit,
                    evidence=self._reading(reading.ref.source, reading.ref.line),
                )
        return Cell(of.GPU_LINKS, "not-measured", limit=limit, why="nothing tells of links between its GPUs")

    def pcie(self, node: str) -> Cell:
        limit = self._limits.place(
            "all lanes of each GPU", "what the device can do (LnkCap); rule pcie-link-below-capability"
        )
        links = [link for (kind, _), link in self._pcie.get(node, {}).items() if kind == "gpu"]
        if not links:
            return Cell(of.PCIE, "not-measured", limit=limit, why="nothing tells the PCIe links of its GPUs")
        whole = [link for link in links if has_all_lanes(link)]
        seen = (whole or links)[0].seen.ref
        shown = self._reading(seen.source, seen.line)
        if len(whole) < self._contract.gpus_per_node:
            why = f"{len(whole)} of {self._contract.gpus_per_node} GPUs were shown to use all their lanes"
            return Cell(of.PCIE, "open", str(len(whole)), "GPUs", limit, (), why, shown)
        return Cell(of.PCIE, "pass", str(len(whole)), f"GPUs at x{whole[0].width}", limit, evidence=shown)

    def _at(self, each: Collected) -> tuple[str, ...]:
        return self._reading(each.ref.source, each.ref.line)

    def _reading(self, source: str, line: int) -> tuple[str, ...]:
        return (self._files.place(source, line),)


def _by_node(seen: StateSeen, names: NodeNames) -> dict[str, list[Collected]]:
    found: dict[str, list[Collected]] = {}
    known = {NODE, *(each.name for each in all_collectors())}
    for each in seen.state.collected if seen.state is not None else ():
        if each.collector in known and (meant := names.meant(each.host)) is not None:
            found.setdefault(meant, []).append(each)
    return found


def _pcie(seen: StateSeen, names: NodeNames) -> dict[str, dict[tuple[str, str], PcieLink]]:
    """Node -> (kind, name) of its GPUs and HCAs -> link."""
    links = seen.readings(*LINK_ATTRIBUTES)
    found: dict[str, dict[tuple[str, str], PcieLink]] = {}
    for link in pcie_links(links, seen.readings(*PCI_PLACES)) if links is not None else ():
        if (meant := names.meant(link.node)) is not None and link.part.kind in ("gpu", "hca"):
            found.setdefault(meant, {})[link.part.kind, link.part.name] = link
    return found


def _other_models(models: Mapping[str, int], wanted: str) -> tuple[Sequence[str], Sequence[str]]:
    """Those that are surely other GPUs, and those that the catalogue does not know."""
    known = {name: find_gpu(name) for name in models} if wanted else {}
    others = [name for name, gpu in known.items() if gpu is not None and gpu.id != wanted]
    return others, [name for name, gpu in known.items() if gpu is None]
