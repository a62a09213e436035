"""A node has fewer HCAs than its peers or its kind of node.

HCAs are counted as the listing tools show them. From three nodes on, each is compared with the number that more than
half of them have; where there is no such number, with the number of NICs if that was given, or with that of the cloud's
machine whose type the node names. Without either, a node with seven InfiniBand HCAs is a possibility: boards with eight
GPUs usually have eight. On Kubernetes a node offers fewer than it has where its device plug-in takes one for unhealthy.

Why it matters: the node has less network bandwidth than its kind, and GPUs share HCAs.
How to confirm: ``lspci -d 15b3: | wc -l`` on this node and on another. An HCA that PCI shows and the driver does not
has failed to start; one that PCI does not show either is off the bus.
What to do: ``dmesg | grep mlx5``; reseat the card or cold-boot the node; see that the firmware and the driver match.
When it is wrong: a container or a virtual machine was given only some of the HCAs. A node that shows fewer than half
of the usual number is not reported: there somebody asked a tool for one HCA by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated

from slowlink.facts.readings import name_of_node
from slowlink.model.facts import Hardware, Observations, Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.hca.named_system import named_system

CAUSES = ("hca-missing",)
DENIES = ("hca-missing",)

Hcas = Annotated[
    Readings,
    Of("hca-node-guid", "hca-present", "port-netdev", "port-state", "port-link-layer", "interface-kind"),
]
_BOARD = 8
"""HCAs of the usual node with eight GPUs. Without other nodes to compare with, one less is only a possibility."""
_FEWEST_PEERS = 3
"""Nodes from which on most of them show what is usual."""


def check(hcas: Hcas | None, hardware: Hardware | None, observations: Observations | None) -> Iterator[Finding | Proof]:
    """Compared with most nodes; where there are too few, with what was given or the machine that the node says it is;
    else with the usual board."""
    yield from _withdrawn(observations)
    if hcas is None:
        return
    devices = _devices(hcas)
    named = {node: found for node, found in devices.items() if name_of_node(next(iter(found.values())))}
    usual = _usual(named)
    if usual is not None:
        few = {node: found for node, found in named.items() if usual <= 2 * len(found) < 2 * usual}
        if few:
            yield _finding(few, usual, f"while most of {len(named)} nodes have {usual}", _absent(few, named))
        else:
            yield Proof(f"{len(named)} nodes have {counted(usual, 'HCA')} each", weight=0)
        return
    given = sum(group.count for group in hardware.nics) if hardware is not None and hardware.given else 0
    against = f"while a node should have {given}, as given"
    machine = named_system(observations)
    if not given and machine is not None and machine.sure:
        given, against = machine.hcas, f"while {machine.title} has {machine.hcas}"
    few = {node: found for node, found in devices.items() if given <= 2 * len(found) < 2 * given}
    if few:
        yield _finding(few, given, against, ())
    elif not given:
        odd = {node: found for node, found in devices.items() if _infiniband(node, found, hcas) == _BOARD - 1}
        if odd:
            yield _finding(odd, _BOARD, f"counting InfiniBand ones: nodes with {_BOARD} are usual", (), sure=False)


def _infiniband(node: str, devices: Mapping[str, Reading], hcas: Readings) -> int:
    """How many of them are known to be InfiniBand."""
    known = {
        r.part.name.partition("/")[0]
        for r in hcas.all
        if r.host == node and (r.value == "InfiniBand" or (r.attribute == "interface-kind" and r.value == "infiniband"))
    }
    return len(known.intersection(devices))


def _devices(hcas: Readings) -> dict[str, dict[str, Reading]]:
    """Node -> HCA -> a reading of it; InfiniBand interfaces stand for HCAs where nothing names these."""
    found: dict[str, dict[str, Reading]] = {}
    interfaces: dict[str, dict[str, Reading]] = {}
    for reading in hcas.all:
        node = reading.host or ""
        if reading.part.kind in ("hca", "port") and not reading.part.name[:1].isdecimal():
            found.setdefault(node, {}).setdefault(reading.part.name.partition("/")[0], reading)
        elif reading.value == "infiniband":
            interfaces.setdefault(node, {}).setdefault(reading.part.name, reading)
    return {**{node: names for node, names in interfaces.items() if node not in found}, **found}


def _withdrawn(observations: Observations | None) -> Iterator[Finding]:
    """``subject`` is what the node has, ``value`` what its device plug-in offers."""
    for seen in observations.all if observations is not None else ():
        if seen.kind == "hca-offered" and int(seen.value) < int(seen.subject):
            yield finding(
                "hca-missing",
                f"{f'{seen.host}: ' if seen.host else ''}the device plug-in offers {seen.value} of {seen.subject} "
                "HCAs: it takes the others for unhealthy, or they are gone",
                severity="error",
                confidence="likely",
                evidence=lines_evidence([seen.ref]),
                suspects=suspects("node", [seen.host]),
                remedy=[("See what became of them on the node.", "ibv_devinfo; dmesg -T | grep -e mlx5 -e efa -e AER")],
            )


def _usual(devices: Mapping[str, Mapping[str, Reading]]) -> int | None:
    """How many most nodes have; None when there are too few nodes, or no majority."""
    if len(devices) < _FEWEST_PEERS:
        return None
    usual, count = Counter(len(found) for found in devices.values()).most_common(1)[0]
    return usual if 2 * count > len(devices) else None


def _absent(few: Mapping[str, Mapping[str, Reading]], named: Mapping[str, Mapping[str, Reading]]) -> tuple[str, ...]:
    """Names that most nodes have and these lack."""
    common = Counter(name for found in named.values() for name in found)
    usual = [name for name, count in common.items() if 2 * count > len(named)]
    return tuple(dict.fromkeys(name for found in few.values() for name in usual if name not in found))


def _finding(
    few: Mapping[str, Mapping[str, Reading]], usual: int, against: str, absent: tuple[str, ...], *, sure: bool = True
) -> Finding:
    first = [next(iter(found.values())) for found in few.values()]
    nodes = [name for reading in first if (name := name_of_node(reading))]
    counts = listed(sorted({str(len(found) if sure else usual - 1) for found in few.values()}))
    which = f" ({listed(absent)} {'is' if len(absent) == 1 else 'are'} not there)" if absent else ""
    return finding(
        "hca-missing",
        f"{f'{fold(nodes)}: ' if nodes else ''}{counts} of {usual} HCAs{which}, {against}",
        severity="error" if sure else "warning",
        confidence="likely" if sure else "possible",
        evidence=reading_evidence(first, expected=f"{usual} HCAs"),
        suspects=(*suspects("hca", absent), *suspects("node", nodes)),
        explains=("hca-list-incomplete", "busbw-below-expected", "straggler-nic") if sure else (),
        remedy=[("See whether PCI shows it.", "lspci -d 15b3:"), ("See why the driver has not.", "dmesg | grep mlx5")],
        references=[f"{NCCL_ENV}#nccl-ib-hca"],
    )
