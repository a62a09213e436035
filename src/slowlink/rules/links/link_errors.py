"""A cable or transceiver reports errors.

The HCA's driver logged an error of the module in a port: it cannot be read, is of the wrong kind, or its bus is stuck.

Why it matters: such a link comes up late, at a lower speed, or loses packets under load.
How to confirm: ``mlxlink -d HCA -m -c -e`` on the node: the module's readings and the error counters of the link.
What to do: reseat and clean the cable or transceiver, else replace it; watch whether the error stays with the port.
When it is wrong: the message may be older than the cable.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_device, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("link-errors",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all modules."""
    found = happened(events, "kernel-cable-error")
    if not found:
        return
    devices, errors = groups_of(found, "pci"), groups_of(found, "error")
    yield finding(
        "link-errors",
        f"{at_hosts(hosts_of(found))}the cable or transceiver of HCA {listed(devices)} is faulty: {listed(errors, 2)}",
        severity="error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("hca", devices), *suspects("node", hosts_of(found))),
        explains=("link-flapping", "port-down", "port-rate-low", "rdma-retry-exceeded", "busbw-below-expected"),
        remedy=[
            (
                "Read the module and the link's counters.",
                command("mlxlink", "-d", as_device(next(iter(devices), None)), "-m", "-c", "-e"),
            )
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
