"""An HCA failed: its driver, or PCIe, reports an error that it does not survive.

The kernel logged that the firmware of an HCA no longer answers ("device's health compromised"), or an uncorrected
fatal PCIe error of it. The driver then takes the device away, and tries to bring it back. Corrected PCIe errors and
warnings about heat are no such thing and are not reported.

Why it matters: all transfers through the HCA are lost, and the job dies; without it the node has one HCA less.
How to confirm: ``dmesg -T | grep -E 'mlx5_core|AER'`` for what came before and whether it recovered;
``ibv_devices`` for whether it is there now.
What to do: drain the node; update the HCA's firmware; a power cycle brings most back. If it comes again, reseat or
replace the card; where only PCIe complains, look at the slot and riser too.
When it is wrong: a firmware update or a reset on purpose logs alike; so does a device that recovered since.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("hca-missing",)

_FATAL = regex(r"health compromised|fatal error")
_HCA_DRIVER = regex(r"\b(?:mlx\d_core|bnxt_(?:en|re)|ice|irdma|efa|hfi1|cxi_\w{2,6}) ")


def check(events: Events) -> Iterator[Finding]:
    """One finding for all HCAs that failed; those that recovered are a warning."""
    firmware = [e for e in happened(events, "kernel-hca-fault") if _FATAL.search(e.groups.get("error", ""))]
    bus = [e for e in happened(events, "kernel-aer") if _fatal_on_pcie(e)]
    back = {(e.host, e.groups.get("pci")) for e in happened(events, "kernel-hca-recovered")}
    for found, what in ((firmware, "the firmware stopped answering"), (bus, "a fatal PCIe error")):
        for recovered in (False, True):
            of_kind = [e for e in found if ((e.host, e.groups.get("pci")) in back) == recovered]
            if of_kind:
                yield _finding(of_kind, what, recovered)


def _fatal_on_pcie(event: JobEvent) -> bool:
    """An uncorrected fatal error of a device that an HCA's driver serves."""
    return event.groups.get("fatal") == "Fatal" and _HCA_DRIVER.search(event.text) is not None


def _finding(found: list[JobEvent], what: str, recovered: bool) -> Finding:
    devices = groups_of(found, "pci")
    end = ", and it recovered" if recovered else ""
    return finding(
        "hca-missing",
        f"{at_hosts(hosts_of(found))}HCA {listed(devices)} failed: {what}{end}",
        severity="warning" if recovered else "error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("hca", devices), *suspects("node", hosts_of(found))),
        explains=("port-down", "link-flapping", *LOST_PEER),
        remedy=[
            ("See whether it came back, and what came before.", "ibv_devices; dmesg -T | grep -E 'mlx5_core|AER'"),
            ("Drain the node and power it off and on.", ""),
        ],
    )
