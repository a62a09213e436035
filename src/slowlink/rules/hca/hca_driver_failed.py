"""The driver of an HCA could not start it.

While the kernel loads the driver, the driver talks to the card for the first time. "probe of 0000:12:00.0 failed with
error -110" says that this failed, and the device does not appear: 110 is a time-out and 62 a timer that ran out (the
firmware did not answer), 12 want of memory, 5 a failed transfer, 19 a device that is gone.

Why it matters: the node has one HCA less, so jobs fail or run with less bandwidth than on the other nodes.
How to confirm: ``dmesg -T | grep ADDRESS`` for what the driver said before; ``ibv_devices`` and ``lspci`` for whether
the card is there at all.
What to do: power the node off and on; bring firmware and driver to versions that belong together; if it happens again,
reseat or replace the card.
When it is wrong: a virtual function that is given to a guest fails to start on the host on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("hca-driver-failed",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all devices that could not be started."""
    found = happened(events, "kernel-hca-probe-failed")
    if not found:
        return
    addresses = [*groups_of(found, "pci"), *groups_of(found, "at")]
    drivers = listed(groups_of(found, "driver"))
    yield finding(
        "hca-driver-failed",
        f"{at_hosts(hosts_of(found))}{drivers} could not start {listed(addresses)} "
        f"(error {listed(groups_of(found, 'errno'))})",
        severity="error",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("hca", addresses), *suspects("node", hosts_of(found))),
        explains=("hca-fatal-error", "hca-missing", "hca-list-incomplete", "port-down"),
        remedy=[
            ("Read what the driver said before, and whether the card is there.", "dmesg -T; lspci; ibv_devices"),
            ("Power the node off and on; update the firmware; replace the card if it happens again.", ""),
        ],
    )
