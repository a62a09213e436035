"""A port runs slower than the ports around it.

The rate of an Active port is compared with that of the same port on other nodes (two at least), then with that of its
siblings: ports of the same kind of HCA, link layer and subnet manager on the node. A link that trained with fewer lanes
or at a lower speed shows up this way.

Why it matters: a ring is as fast as its slowest link.
How to confirm: ``ibstat`` (Rate), ``mlxlink -d HCA`` (speed, width, and why it is less), and the switch port's side.
What to do: clean or replace the cable or transceiver; see that the cable and the switch port can do the full rate.
When it is wrong: ports may be in a slower fabric on purpose (storage). Those usually have another subnet manager and
are left out. Where half of the siblings or more are slow, or the model of the HCA is not known, it is only a warning.
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
from slowlink.rules.links.port_readings import Port, PortReadings, names_of, nodes_with_ports, of_one_kind, ports_of

CAUSES = ("port-rate-low",)

_FEW_PEERS = 2
"""Other nodes with this port, of which more than half must have the usual rate."""
_SAME = 0.99
"""Share of a rate from which on it is the same: tools round."""


class UsualRate(NamedTuple):
    """How many ports have a rate, and the rate in Gb/s. The greatest is usual: of two as frequent, the higher."""

    ports: int
    gbit: float


class Judged(NamedTuple):
    """What it means that a port is slower than the ``usual`` rate in Gb/s."""

    usual: float
    severity: Severity
    confidence: Confidence
    against: str
    """In words: where ``usual`` is from."""


def check(ports: PortReadings) -> Iterator[Finding]:
    """One finding for all slow ports of one rate and one reason."""
    found = [port for port in ports_of(ports) if port.state in ("Active", "") and port.rate]
    groups: dict[tuple[float, Judged], list[Port]] = {}
    by_name: dict[str, Counter[float | None]] = {}
    for port in found:
        by_name.setdefault(port.name, Counter())[port.rate] += 1
    for mine in nodes_with_ports(found).values():
        for port in mine:
            judged = _judge(port, mine, by_name[port.name])
            if judged is not None and port.rate is not None:
                groups.setdefault((port.rate, judged), []).append(port)
    for (rate, judged), slow in groups.items():
        yield _finding(slow, rate, judged)


def _judge(port: Port, mine: Sequence[Port], same_port: Counter[float | None]) -> Judged | None:
    """None where ``port`` is as fast as others. ``same_port``: rates of the port of this name on all nodes."""
    peers = sum(same_port.values()) - 1
    usual = _usual(same_port - Counter([port.rate]))
    if peers >= _FEW_PEERS and usual is not None and _slower(port, usual.gbit) and 2 * usual.ports > peers:
        return Judged(usual.gbit, "error", "certain", "the rate of this port on other nodes")
    if not any(other.rate is not None and _slower(port, other.rate) for other in mine):
        return None  # no port of the node is faster
    siblings = [other for other in mine if other is not port and _same_fabric(port, other, mine)]
    usual = _usual(Counter(other.rate for other in siblings))
    if usual is None or not _slower(port, usual.gbit):
        return None
    slow = sum(other.rate == port.rate for other in siblings) + 1
    if port.text("hca-model") and usual.ports > slow:
        return Judged(usual.gbit, "error", "likely", "the rate of its siblings on the node")
    return Judged(usual.gbit, "warning", "possible", "the rate of others on the node")


def _slower(port: Port, rate: float) -> bool:
    return port.rate is not None and port.rate < _SAME * rate


def _usual(counts: Counter[float | None]) -> UsualRate | None:
    """The most frequent rate; None when no rate is known."""
    return max((UsualRate(count, rate) for rate, count in counts.items() if rate is not None), default=None)


def _same_fabric(port: Port, other: Port, mine: Sequence[Port]) -> bool:
    """One kind of HCA, link layer and subnet manager, as far as these are known; bonds are their own kind."""
    same = all(port.text(name) == other.text(name) for name in ("port-link-layer", "port-sm-lid", "hca-model"))
    return same and "bond" not in f"{port.hca} {other.hca}" and of_one_kind(port, other, mine)


def _finding(slow: Sequence[Port], rate: float, judged: Judged) -> Finding:
    readings = [port.readings["port-rate"] for port in slow]
    names = names_of(slow)
    proven = judged.severity == "error"
    what = f"at {rate:g} of {judged.usual:g} Gb/s, {judged.against}"
    return finding(
        "port-rate-low",
        f"{on_nodes(readings)}{listed(names)} {'runs' if len(names) == 1 else 'run'} {what}",
        severity=judged.severity,
        confidence=judged.confidence,
        evidence=reading_evidence(readings, expected=f"{judged.usual:g} Gb/s"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("busbw-below-expected", "straggler-nic") if proven else (),
        remedy=[
            ("Read the link's state and counters.", command("mlxlink", "-d", as_hca(slow[0].hca), "-c", "-e", "-m"))
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
