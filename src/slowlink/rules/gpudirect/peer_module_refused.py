"""The peer-memory module cannot be loaded.

``modprobe nvidia-peermem`` ends in *Invalid argument* or *Unknown symbol* when the module was built against other RDMA
headers than those of the OFED that is loaded, or when the kernel's RDMA core has no interface for peer memory; it is
*not found* where the driver was installed without it, or for another kernel.

Why it matters: without it, and without DMA-BUF, every byte between nodes goes through host memory.
How to confirm: ``dmesg | grep -e peermem -e ib_register_peer``; ``modinfo nvidia_peermem``; ``dkms status``.
What to do: install OFED first and the driver after it, so that the module is built against OFED's headers; or use
DMA-BUF (open kernel modules, kernel 5.12 or newer).
When it is wrong: where DMA-BUF serves, the module is not needed. gdrdrv is GDRCopy's, and only small messages miss it:
it is not reported here.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import GPUDIRECT_RDMA
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("peer-memory-missing",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all attempts."""
    found = [event for event in happened(events, "module-refused") if event.groups.get("module") != "gdrdrv"]
    if not found:
        return
    yield finding(
        "peer-memory-missing",
        f"{at_hosts(hosts_of(found))}{found[0].groups.get('module', 'nvidia_peermem')} cannot be loaded: "
        f"{listed(groups_of(found, 'error'), 2)}",
        severity="error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts_of(found)),
        explains=("memory-registration-failed", "gdr-disabled", "application-error", "busbw-below-expected"),
        remedy=[
            ("See why.", "dmesg -T | grep -e peermem -e ib_register_peer; modinfo nvidia_peermem; dkms status"),
            ("Build the driver's modules anew, with the OFED that is loaded in place.", ""),
        ],
        references=[GPUDIRECT_RDMA],
    )
