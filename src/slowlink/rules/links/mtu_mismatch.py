"""Ports of one fabric use different MTUs.

The MTU in use of each Active port is held against its siblings (same link layer) and the same port of other nodes;
for RoCE it follows the MTU of the network interface (1500 gives 1024, 4200 and more give 4096).

Why it matters: a connection takes the smaller of both ends: more packets, and some per cent of the bandwidth. Where
a switch has the smaller one, large packets are dropped.
How to confirm: ``ibv_devinfo | grep active_mtu`` on both nodes; ``ping -M do -s 8972`` between their interfaces.
What to do: give interfaces and switch ports the same MTU; on InfiniBand set it in the subnet manager's partition.
When it is wrong: for ports of different fabrics (storage, management), which may differ on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from slowlink.facts.readings import name_of_node
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import IBV_MODIFY_QP
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_readings import Port, PortReadings, names_of, nodes_with_ports, ports_of

CAUSES = ("mtu-mismatch",)


def check(ports: PortReadings) -> Iterator[Finding | Proof]:
    """Against other nodes first, then within a node."""
    found = [port for port in ports_of(ports) if port.state == "Active" and "port-mtu" in port.readings]
    odd = list(_against_nodes(found))
    if odd:
        yield _finding(odd, "while most other nodes have", across=True)
        return
    for mine in nodes_with_ports(found).values():
        for layer in dict.fromkeys(port.layer for port in mine):
            small = _smaller([port for port in mine if port.layer == layer])
            if small:
                yield _finding(small, "while its siblings on the node have", across=False)
                return
    if len(found) > 1:
        yield Proof(f"{len(found)} ports use MTU {listed(sorted({port.text('port-mtu') for port in found}))}", weight=0)


Odd = tuple[Port, int]
"""A port and the MTU that others use."""


def _against_nodes(ports: Sequence[Port]) -> Iterator[Odd]:
    for name in dict.fromkeys(port.name for port in ports):
        same = [port for port in ports if port.name == name]
        if len(same) > 1 and all(name_of_node(port.readings["port-mtu"]) for port in same):
            yield from _smaller(same)


def _smaller(ports: Sequence[Port]) -> list[Odd]:
    """Those that differ from most; of two the smaller one."""
    counts = Counter(int(port.text("port-mtu")) for port in ports)
    if len(counts) < 2:
        return []
    usual = max(counts.items(), key=lambda entry: (entry[1], entry[0]))[0]
    return [(port, usual) for port in ports if int(port.text("port-mtu")) != usual]


def _finding(odd: Sequence[Odd], against: str, *, across: bool) -> Finding:
    ports = [port for port, _ in odd]
    readings: list[Reading] = [port.readings["port-mtu"] for port in ports]
    usual = odd[0][1]
    values = listed(sorted({port.text("port-mtu") for port in ports}))
    names = names_of(ports)
    return finding(
        "mtu-mismatch",
        f"{on_nodes(readings)}{listed(names)} {'uses' if len(names) == 1 else 'use'} MTU {values} {against} {usual}",
        severity="error" if across else "warning",
        confidence="likely" if across else "possible",
        evidence=reading_evidence(readings, expected=str(usual)),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("busbw-below-expected",) if across else (),
        remedy=[("Compare both ends.", "ibv_devinfo | grep -E 'hca_id|active_mtu'")],
        references=[IBV_MODIFY_QP],
    )
