"""An HCA port is down.

A port that the job uses lost its link and did not come back, or a test refused to run because its port is not active.

Why it matters: transfers through it end with status 12; a NIC less carries the traffic of all.
How to confirm: ``ibstat`` or ``rdma link`` on the node: State Active, Physical state LinkUp.
What to do: look at cable, transceiver and switch port; on Ethernet bring the interface up; on InfiniBand
"Initializing" with a link wants a subnet manager.
When it is wrong: a port that is not cabled by design; then leave it out with NCCL_IB_HCA.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.links import ports_that_fell, returned
from slowlink.rules.references import IBV_ASYNC, NCCL_ENV
from slowlink.rules.seen import BROKEN_PATH, Message, at, happened, hosts_of, listed, refs_of


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """One finding for ports that fell and stayed down, and for those that perftest refused."""
    fell, back = ports_that_fell(warnings, events), returned(warnings, events)
    down = {port: messages for port, messages in fell.items() if port not in back}
    refused = happened(events, "perftest-port-down")
    found: tuple[Message, ...] = (*(message for messages in down.values() for message in messages), *refused)
    if not found:
        return
    ports = [port for _, port in down if port] + [e.groups["device"] for e in refused if "device" in e.groups]
    by_nccl = any(port for port in down) and not happened(events, "kernel-link-down")
    yield finding(
        "port-down",
        f"{at(hosts_of(found))}{listed(ports) or 'a port'} is down and did not come back",
        severity="critical" if by_nccl or refused else "warning",
        confidence="certain" if refused else "likely",
        evidence=lines(refs_of(found), 4),
        suspects=(*suspects("port", ports), *suspects("node", hosts_of(found))),
        explains=BROKEN_PATH if by_nccl or refused else (),
        remedy=[
            ("See the state of all ports.", "rdma link; ibstat"),
            ("Run without this device until it is mended.", f"export NCCL_IB_HCA=^{(ports or ['mlx5_0'])[0]}"),
        ],
        references=[IBV_ASYNC, f"{NCCL_ENV}#nccl-ib-hca"],
    )
