"""No subnet manager has configured an InfiniBand port.

The port has its link (LinkUp) and waits in Init or Armed. It is critical where no InfiniBand port that was seen is
Active, else an error. An Active port that knows of no subnet manager is a warning. Ethernet ports need none and are
left out.

Why it matters: such a port sends nothing but management packets; RDMA over it fails or takes another HCA.
How to confirm: ``ibstat`` shows Initializing with LinkUp; ``sminfo`` on another node shows whether a manager answers.
What to do: start the subnet manager (opensm, UFM, or the one of a managed switch) and read its log; where others are
Active the manager may refuse this port (partition, key, topology file).
When it is wrong: for some seconds after a link came up this is normal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC
from slowlink.rules.evidence.messages import BROKEN_PATH, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_readings import Port, PortReadings, names_of, ports_of

CAUSES = ("subnet-manager-missing",)


def check(ports: PortReadings) -> Iterator[Finding]:
    """One finding for all such ports."""
    found = ports_of(ports)
    yield from _unmanaged(found)
    waiting = [port for port in found if port.state in ("Init", "Armed") and _infiniband(port)]
    if not waiting:
        return
    readings = [port.readings["port-state"] for port in waiting]
    all_wait = not any(port.state == "Active" and _infiniband(port) for port in found)
    names = names_of(waiting)
    verb, it = ("has its link and stays", "it") if len(names) == 1 else ("have their link and stay", "them")
    yield finding(
        "subnet-manager-missing",
        f"{on_nodes(readings)}{listed(names)} {verb} in "
        f"{listed(sorted({port.state for port in waiting}))}: "
        f"{'no subnet manager has configured any port' if all_wait else f'the subnet manager has not configured {it}'}",
        severity="critical" if all_wait else "error",
        confidence="certain" if all(port.text("port-link-layer") for port in waiting) else "likely",
        evidence=reading_evidence(readings, expected="Active"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("port-down", "hca-list-incomplete", "busbw-below-expected", *BROKEN_PATH),
        remedy=[("See whether a subnet manager answers.", "sminfo"), ("See who runs one.", "systemctl status opensm")],
        references=[IBV_ASYNC],
    )


def _unmanaged(found: Sequence[Port]) -> Iterator[Finding]:
    """Ports that are Active and know of no subnet manager: what they were told is from one that is gone."""
    ports = [p for p in found if p.state == "Active" and p.layer == "InfiniBand" and p.text("port-sm-lid") == "0"]
    if not ports:
        return
    readings = [port.readings["port-sm-lid"] for port in ports]
    names = names_of(ports)
    yield finding(
        "subnet-manager-missing",
        f"{on_nodes(readings)}{listed(names)} {'is' if len(names) == 1 else 'are'} Active without a subnet manager "
        "(SM lid 0)",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(readings, expected="the lid of a subnet manager"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        remedy=[("See whether a subnet manager answers.", "sminfo")],
        references=[IBV_ASYNC],
    )


def _infiniband(port: Port) -> bool:
    """Is it InfiniBand with a link? Where its link layer is not known: has it no interface of Ethernet?"""
    linked = port.text("port-physical-state") in ("LinkUp", "")  # without a link a port is Down, not Init
    if port.layer:
        return linked and port.layer == "InfiniBand"
    return linked and not port.text("port-netdev").startswith(("en", "eth"))
