"""An InfiniBand port runs on one lane.

InfiniBand links of HCAs use four lanes, or two where a switch port is split. A port that runs on one has lost the
others to a bad cable, a dirty connector, or a broken lane of a port.

Why it matters: the port has a quarter of its rate, and a ring is as fast as its slowest link.
How to confirm: ``mlxlink -d HCA -m -c`` on the node: Width, and the power of each lane.
What to do: clean or replace the cable or transceiver; watch whether the fault stays with the port.
When it is wrong: somebody may have set the link to 1X on purpose. Ethernet of 10 and 25 Gb/s has one lane; such ports
are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_readings import PortReadings, names_of, ports_of

CAUSES = ("port-rate-low",)


def check(ports: PortReadings, widths: Annotated[Readings, Of("port-width")]) -> Iterator[Finding]:
    """One finding for all Active InfiniBand ports with one lane."""
    lanes = {(node, part.name): r for (node, part), r in latest(widths.all).items() if part.kind == "port"}
    found = [
        port
        for port in ports_of(ports)
        if port.layer == "InfiniBand"
        and port.state == "Active"
        and (port.node, port.name) in lanes
        and lanes[port.node, port.name].value == 1
    ]
    if not found:
        return
    readings = [lanes[port.node, port.name] for port in found]
    names = ", ".join(names_of(found))
    yield finding(
        "port-rate-low",
        f"{on_nodes(readings)}{names} {'runs' if len(names_of(found)) == 1 else 'run'} on 1 lane of InfiniBand's 4",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(readings, expected="4 lanes, or 2"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("busbw-below-expected", "straggler-nic"),
        remedy=[
            (
                "Read the link's width and the power of each lane.",
                command("mlxlink", "-d", as_hca(found[0].hca), "-c", "-e", "-m"),
            )
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
