"""A port runs slower than the ports around it.

The rate of an Active port is compared with that of the same port on other nodes (two at least), then with that of its
siblings: ports of the same kind of HCA, link layer and subnet manager on the node. Where the kind of a port was not
printed, the port of its name on other nodes tells it, or the number of all: seven of one rate and one of another are
eight rails, a ninth one is for storage. A link that trained with fewer lanes or at a lower speed shows up this way.

Why it matters: a ring is as fast as its slowest link.
How to confirm: ``ibstat`` (Rate), ``mlxlink -d HCA`` (speed, width, and why it is less), and the switch port's side.
What to do: clean or replace the cable or transceiver; see that the cable and the switch port can do the full rate.
When it is wrong: ports may be in a slower fabric on purpose (storage). Those usually have another subnet manager and
are left out. Where half of the siblings or more are slow and the same port of no other node is faster, or the model of
the HCA is not known, it is only a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_kinds import CountsByKind, Kind, kinds_of
from slowlink.rules.links.port_readings import (
    Port,
    PortReadings,
    names_of,
    nodes_with_ports,
    ports_of,
    with_kinds_of_peers,
)
from slowlink.rules.links.usual_rate import Rates

CAUSES = ("port-rate-low",)

_FEW_PEERS = 2
"""Other nodes with this port, of which more than half must have the usual rate."""
_RAILS = (4, 8, 16)
"""One HCA for each GPU, or for two: numbers that nodes have of one kind, and seldom have with one for storage."""
_SAME = 0.99
"""Share of a rate from which on it is the same: tools round."""


class Judged(NamedTuple):
    """What it means that a port is slower than the ``usual`` rate in Gb/s."""

    usual: float
    severity: Severity
    confidence: Confidence
    against: str
    """In words: where ``usual`` is from."""


class _Node:
    """What is counted of the ports of one node."""

    def __init__(self, ports: Sequence[Port]) -> None:
        self.kinds = [
            (port, kind)
            for port, kind in kinds_of(ports, "port-link-layer", "port-sm-lid", "hca-model")
            if "bond" not in port.hca  # a kind of its own
        ]
        self._rates = CountsByKind((kind, port.rate or 0.0) for port, kind in self.kinds)
        self._of_kind: dict[Kind, Rates] = {}
        self.fastest = max(port.rate or 0.0 for port in ports)

    def siblings(self, kind: Kind) -> Rates:
        """The rates of all ports of one kind of HCA, link layer and subnet manager, as far as these are known."""
        if kind not in self._of_kind:
            self._of_kind[kind] = Rates(self._rates.alike(kind))
        return self._of_kind[kind]


def check(ports: PortReadings) -> Iterator[Finding]:
    """One finding for all slow ports of one rate and one reason."""
    known = with_kinds_of_peers(ports_of(ports))
    found = [port for port in known if port.state in ("Active", "") and port.rate]
    groups: dict[tuple[float, Judged], list[Port]] = {}
    by_name: dict[str, Counter[float]] = {}
    for port in found:
        by_name.setdefault(port.name, Counter())[port.rate or 0.0] += 1
    same_port = {name: Rates(counts) for name, counts in by_name.items()}
    for mine in nodes_with_ports(found).values():
        node = _Node(mine)
        kinds = {port.name: kind for port, kind in node.kinds}
        for port in mine:
            judged = _judge(port, kinds.get(port.name), node, same_port[port.name])
            if judged is not None and port.rate is not None:
                groups.setdefault((port.rate, judged), []).append(port)
    for (rate, judged), slow in groups.items():
        yield _finding(slow, rate, judged)


def _judge(port: Port, kind: Kind | None, node: _Node, same_port: Rates) -> Judged | None:
    """None where ``port`` is as fast as others. ``same_port``: rates of the port of this name on all nodes."""
    rate = port.rate or 0.0
    peers = same_port.ports - 1
    elsewhere = same_port.of_others(rate)
    faster = elsewhere.ports if elsewhere is not None and _slower(rate, elsewhere.gbit) else 0
    if peers >= _FEW_PEERS and elsewhere is not None and 2 * faster > peers:
        return Judged(elsewhere.gbit, "error", "certain", "the rate of this port on other nodes")
    if kind is None or not _slower(rate, node.fastest):
        return None
    siblings = node.siblings(kind)
    usual = siblings.of_others(rate)
    if usual is None or not _slower(rate, usual.gbit):
        return None
    slow = siblings.counts[rate]
    of_one_kind = port.text("hca-model") or (slow == 1 and usual.ports + slow == len(node.kinds) in _RAILS)
    if of_one_kind and usual.ports + faster > slow:
        return Judged(usual.gbit, "error", "likely", "the rate of its siblings on the node")
    return Judged(usual.gbit, "warning", "possible", "the rate of others on the node")


def _slower(rate: float, than: float) -> bool:
    return rate < _SAME * than


def _finding(slow: Sequence[Port], rate: float, judged: Judged) -> Finding:
    readings = [port.readings["port-rate"] for port in slow]
    names = names_of(slow)
    many = f"{len(slow)} ports ({listed(names)})" if len(slow) > len(names) > 1 else listed(names)
    proven = judged.severity == "error"
    nodes = node_suspects(readings)
    first = f", first on {nodes[0].name}" if len(nodes) > 1 else ""
    what = f"at {rate:g} of {judged.usual:g} Gb/s, {judged.against}"
    return finding(
        "port-rate-low",
        f"{on_nodes(readings)}{many} {'runs' if len(names) == 1 else 'run'} {what}",
        severity=judged.severity,
        confidence=judged.confidence,
        evidence=reading_evidence(readings, expected=f"{judged.usual:g} Gb/s"),
        suspects=(*part_suspects("port", readings), *nodes),
        explains=("busbw-below-expected", "straggler-nic") if proven else (),
        remedy=[
            (
                f"Read the link's state and counters{first}.",
                command("mlxlink", "-d", as_hca(slow[0].hca), "-c", "-e", "-m"),
            )
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
