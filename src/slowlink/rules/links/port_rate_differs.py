"""A port runs slower than the ports around it.

The rate of an Active port is held against its siblings (same kind of HCA, same link layer, same subnet) and against
the same port of other nodes. A link that trained with fewer lanes or at a lower speed shows so.

Why it matters: a ring is as fast as its slowest link.
How to confirm: ``ibstat`` (Rate), ``mlxlink -d HCA`` (speed, width, and why it is less), and the switch port's side.
What to do: clean or replace the cable or transceiver; see that the cable and the switch port can do the full rate.
When it is wrong: ports on purpose in a slower fabric (storage). Those usually have another subnet manager, and are
then left out; where half of the ports differ it is only a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_readings import Port, PortReadings, names_of, nodes_with_ports, of_one_kind, ports_of

CAUSES = ("port-rate-low",)

_FEW_PEERS = 2


def check(ports: PortReadings) -> Iterator[Finding]:
    """One finding for all slow ports of one rate and one reason."""
    found = [port for port in ports_of(ports) if port.state in ("Active", "") and port.rate]
    groups: dict[tuple[float, float, Severity, Confidence, str], list[Port]] = {}
    by_name: dict[str, Counter[float | None]] = {}
    for port in found:
        by_name.setdefault(port.name, Counter())[port.rate] += 1
    for mine in nodes_with_ports(found).values():
        for port in mine:
            judged = _judge(port, mine, by_name[port.name])
            if judged is not None and port.rate is not None:
                groups.setdefault((port.rate, *judged), []).append(port)
    for (rate, usual, severity, confidence, against), slow in groups.items():
        yield _finding(slow, f"at {rate:g} of {usual:g} Gb/s, {against}", usual, severity, confidence)


def _judge(
    port: Port, mine: Sequence[Port], same_port: Counter[float | None]
) -> tuple[float, Severity, Confidence, str] | None:
    """(usual rate, severity, confidence, in words) where ``port`` is slower than it should be.

    ``same_port``: rates of the port of this name on all nodes.
    """
    peers = sum(same_port.values()) - 1
    usual = _usual(same_port - Counter([port.rate]))
    if peers >= _FEW_PEERS and usual is not None and _slower(port, usual[0]) and 2 * usual[1] > peers:
        return usual[0], "error", "certain", "the rate of this port on other nodes"
    if not any(other.rate is not None and _slower(port, other.rate) for other in mine):
        return None
    siblings = [other for other in mine if other is not port and _same_fabric(port, other, mine)]
    usual = _usual(Counter(other.rate for other in siblings))
    if usual is None or not _slower(port, usual[0]):
        return None
    rate, count = usual
    slow = sum(other.rate == port.rate for other in siblings) + 1
    if port.text("hca-model") and count > slow:
        return rate, "error", "likely", "the rate of its siblings on the node"
    return rate, "warning", "possible", "the rate of others on the node"


def _slower(port: Port, rate: float) -> bool:
    return port.rate is not None and port.rate < 0.99 * rate


def _usual(counts: Counter[float | None]) -> tuple[float, int] | None:
    """The most frequent rate, the higher one of two, and how many have it."""
    known = [(count, rate) for rate, count in counts.items() if rate is not None]
    if not known:
        return None
    count, rate = max(known)
    return rate, count


def _same_fabric(port: Port, other: Port, mine: Sequence[Port]) -> bool:
    """One kind of HCA, link layer and subnet manager, as far as these are known; bonds are their own kind."""
    told = ("port-link-layer", "port-sm-lid", "hca-model")
    same = all(port.text(name) == other.text(name) for name in told)
    return same and "bond" not in f"{port.hca} {other.hca}" and of_one_kind(port, other, mine)


def _finding(slow: Sequence[Port], what: str, usual: float, severity: Severity, confidence: Confidence) -> Finding:
    readings = [port.readings["port-rate"] for port in slow]
    names = names_of(slow)
    proven = severity == "error"
    return finding(
        "port-rate-low",
        f"{on_nodes(readings)}{listed(names)} {'runs' if len(names) == 1 else 'run'} {what}",
        severity=severity,
        confidence=confidence,
        evidence=reading_evidence(readings, expected=f"{usual:g} Gb/s"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("busbw-below-expected", "straggler-nic") if proven else (),
        remedy=[("Read the link's state and counters.", f"mlxlink -d {slow[0].hca} -c -e -m")],
        references=[NCCL_TROUBLESHOOTING],
    )
