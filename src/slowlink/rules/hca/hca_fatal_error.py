"""An HCA stopped with a fatal error while the job ran.

The HCA told its driver that it met an internal error that it does not survive ("local catastrophic error",
IBV_EVENT_DEVICE_FATAL), and NCCL passed that on.

Why it matters: all queue pairs of the HCA are gone. Every communicator that uses it fails, and the job with it.
How to confirm: ``dmesg -T | grep -E 'mlx5_core|bnxt_en|irdma|AER'`` on that node, around that time.
What to do: see whether the driver brought the HCA back; if not, power the node off and on. Update the firmware. If it
comes again on the same card, replace the card.
When it is wrong: a reset on purpose, or a firmware update, ends a running job in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, hosts_of, listed, refs_of, reported

CAUSES = ("hca-fatal-error",)

_FATAL = ("local catastrophic error", "ibv_event_device_fatal", "device fatal")
"""How libibverbs and its users write the event."""


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """One finding for all HCAs that said so."""
    found = [
        message
        for message in reported(warnings, events, "ib-async-event")
        if any(words in message.text.lower() for words in _FATAL)
    ]
    if not found:
        return
    hosts, hcas = hosts_of(found), groups_of(found, "hca")
    yield finding(
        "hca-fatal-error",
        f"{at_hosts(hosts)}HCA {listed(hcas)} stopped with a fatal error".replace("HCA  ", "an HCA "),
        severity="critical",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("hca", hcas), *suspects("node", hosts)),
        explains=("hca-missing", "port-down", "link-flapping", "rdma-protection-error", *LOST_PEER),
        remedy=[
            ("See what the driver says, and whether the HCA came back.", "ibv_devices; dmesg -T | grep -E 'mlx5|AER'"),
            ("Take the node out, power it off and on, and update the HCA's firmware.", ""),
        ],
    )
