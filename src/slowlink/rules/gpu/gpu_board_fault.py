"""A GPU's board, its bus or its driver reports a fault that is neither memory nor NVLink.

The driver logged an Xid that says so: power is missing or too weak (54), the infoROM's files are damaged (125), the
link between Grace and the GPU failed (173), a part wears out (93, 163 to 165), too many errors on PCIe were corrected
(176), or a virtual GPU does not fit its host (78).

Why it matters: such a GPU fails or slows down under load, and no setting of the job mends it.
How to confirm: ``dmesg -T | grep Xid`` on the node; ``nvidia-smi -q -i N``; the board controller's event log.
What to do: what NVIDIA advises for the number; the finding quotes it.
When it is wrong: what only wears out (93, 163 to 165, 176) costs nothing yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, by_fault, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import advice, gpu_of, severe, xid_of, xids, xids_in_words

CAUSES = ("gpu-hardware-fault", "pcie-errors", "version-mismatch")


def check(events: Events) -> Iterator[Finding]:
    """One finding for each cause, for all GPUs of nodes with the same Xids."""
    for cause in CAUSES:
        for found in by_fault(xids(events, cause), xid_of):
            gpus = list(dict.fromkeys(filter(None, map(gpu_of, found))))
            grave = any(map(severe, found))
            yield finding(
                cause,
                f"{listed(gpus) or 'a GPU'}: {xids_in_words(found)}",
                severity="error" if grave else "warning",
                confidence="certain",
                evidence=lines_evidence(refs_of(found)),
                suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
                explains=("gpu-application-fault", "rank-lost", *LOST_PEER) if grave else (),
                remedy=[("See what else this GPU logged.", "dmesg -T | grep -e Xid -e NVRM"), *advice(found)],
                references=[XID],
            )
