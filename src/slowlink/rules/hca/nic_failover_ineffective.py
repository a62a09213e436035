"""NIC resiliency is on, but there is no second device to fail over to.

NCCL_IB_RESILIENCY_PORT_FAILOVER moves the traffic of a failed port to another device of the same connection. A
connection over a single device has none: NCCL warns of it and goes on unprotected.

Why it matters: the job runs, but the first flap ends it all the same.
How to confirm: the warning names the side (send or recv); ``NET/IB : Made virtual device`` lines show which devices
were merged.
What to do: let NCCL merge two ports of a NIC (NCCL_IB_MERGE_NICS=1, NCCL_NET_FORCE_MERGE) on both ends, or switch the
resiliency off.
When it is wrong: the protection may not be wanted; then unset the variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import export
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import at_hosts, groups_of, hosts_of, listed, refs_of, warned

CAUSES = ("nic-failover-ineffective",)


def check(warnings: Warnings) -> Iterator[Finding]:
    """One finding for all connections over one device."""
    found = warned(warnings, "ib-resiliency-single-device")
    if not found:
        return
    sides = groups_of(found, "side")
    yield finding(
        "nic-failover-ineffective",
        f"{at_hosts(hosts_of(found))}NIC resiliency is on and cannot work: "
        f"{listed(sides) + ' ' if sides else ''}connections have a single device",
        severity="error",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("setting", ["NCCL_IB_RESILIENCY_PORT_FAILOVER"]), *suspects("node", hosts_of(found))),
        remedy=[
            ("Give each connection two devices.", export("NCCL_IB_MERGE_NICS", "1")),
            ("Or switch it off.", "unset NCCL_IB_RESILIENCY_PORT_FAILOVER"),
        ],
        references=[NCCL_ENV],
    )
