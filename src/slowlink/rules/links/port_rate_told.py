"""Ports run slower than the user says that they are.

Where the NICs of a node are told (``--nics``, ``--system``), Active ports are held against them, although all ports and
all nodes agree with one another: a whole fleet may be cabled, split or set to a lower speed.

Why it matters: every number that is expected of this hardware rests on the faster ports.
How to confirm: ``ibstat`` (Rate) and ``mlxlink -d HCA``: which speeds the port, the cable and the switch port support.
What to do: look for what all ports share: the cables, split switch ports, a speed that somebody set, the firmware. If
the nodes are built so, say it with ``--nics``.
When it is wrong: the ports shown are not those that were told, but belong to storage or management. Ports below a
quarter of the rate are taken for such, and a node that shows one port at the rate is left to ``port-rate-differs``.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.systems import describe_network
from slowlink.model.facts import Hardware
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_readings import Port, PortReadings, names_of, nodes_with_ports, ports_of

CAUSES = ("port-rate-low",)

_SAME = 0.99
"""Share of a rate from which on it is the same: tools round."""
_OTHER = 0.25
"""A port below this share of the rate is another kind of port."""


def check(ports: PortReadings, hardware: Hardware | None) -> Iterator[Finding]:
    """One finding for all ports of one rate, on nodes without any port at a rate that was told."""
    if hardware is None or not hardware.given or not hardware.nics:
        return
    told = min(group.rate_gbit for group in hardware.nics)
    active = [port for port in ports_of(ports) if port.state in ("Active", "") and port.rate]
    slow: dict[float, list[Port]] = {}
    for mine in nodes_with_ports(active).values():
        if all((port.rate or 0.0) < _SAME * told for port in mine):
            for port in mine:
                if (port.rate or 0.0) >= _OTHER * told:
                    slow.setdefault(port.rate or 0.0, []).append(port)
    for rate, found in slow.items():
        yield _finding(found, rate, told, describe_network(hardware.nics))


def _finding(slow: list[Port], rate: float, told: float, network: str) -> Finding:
    readings = [port.readings["port-rate"] for port in slow]
    names = names_of(slow)
    return finding(
        "port-rate-low",
        f"{on_nodes(readings)}{listed(names)} {'runs' if len(names) == 1 else 'run'} at {rate:g} of {told:g} Gb/s: the "
        f"nodes were said to have {network}",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(readings, expected=f"{told:g} Gb/s"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("busbw-below-expected",),
        remedy=[
            ("See which speeds the port and its cable support.", command("mlxlink", "-d", as_hca(slow[0].hca), "-m"))
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
