"""The GPU's firmware or driver stopped answering.

The driver waited for the GPU's system processor (GSP) and got no answer (Xid 119), the GSP failed (120), or a context
switch timed out (109). A halted power management unit (62), a security fault (110), a failed start (143) and fatal
time-outs (46, 158, on PCIe 167) end the same way, and so do failures of the board's small controllers (18, 33, 59, 61,
122 to 124, 169). Everything that touches this GPU then hangs, nvidia-smi too; later it
says "GPU requires reset". Where the driver could not even start the firmware (GSP, FSP), it gives the GPU up
(RmInitAdapter failed), and tools count one too few.

Why it matters: a rank on this GPU never arrives, and all others wait until their time-out.
How to confirm: ``dmesg -T | grep Xid`` on the node; ``timeout 20 nvidia-smi -i N`` does not come back.
What to do: drain the node, collect ``nvidia-bug-report.sh``, then reset the GPU or reboot. If it happens again, update
driver and firmware; NVIDIA's notes describe how to run without GSP as a workaround.
When it is wrong: never for 119 and 120; a 109 may follow from another fault on the same GPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    by_fault,
    counted,
    happened,
    hosts_of,
    listed,
    refs_of,
    times_printed,
)
from slowlink.rules.evidence.xid_messages import HUNG, advice, gpu_of, xid_of, xids, xids_in_words
from slowlink.rules.gpu.gpu_firmware import INIT_FAILED, firmware_not_started

CAUSES = ("gpu-driver-hung",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all GPUs of nodes with the same errors."""
    if not_started := firmware_not_started(events):
        given_up = happened(events, INIT_FAILED)
        what = "did not start: its firmware (GSP, FSP) gave no answer or failed"
        yield _finding((*given_up, *not_started), what, "critical", "certain", ("gpu-missing",))
    found, asked = xids(events, HUNG), happened(events, "gpu-requires-reset")
    if not found and asked:
        yield _finding(asked, "cannot be used before it is reset: nvidia-smi says so", "error", "likely")
    for alike in by_fault(found, xid_of):
        errors = f"{xids_in_words(alike)}, {counted(times_printed(alike), 'time')}"
        yield _finding(alike, f"stopped answering its driver: {errors}", "critical", "certain")


def _finding(
    found: Sequence[JobEvent],
    what: str,
    severity: Severity,
    confidence: Confidence,
    also: tuple[str, ...] = (),
) -> Finding:
    gpus = list(dict.fromkeys(filter(None, map(gpu_of, found))))
    return finding(
        "gpu-driver-hung",
        f"{listed(gpus) or 'a GPU'} {what}",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        explains=(
            *also,
            *("gpu-application-fault", "node-stalls", "tool-failed", "rank-lost", "process-crashed"),
            *LOST_PEER,
        ),
        remedy=[
            ("Collect the driver's report before anything else.", "nvidia-bug-report.sh"),
            *(
                advice(event for event in found if event.kind == "kernel-xid")
                or [("Drain the node and reset the GPU, or reboot.", "nvidia-smi --gpu-reset -i N")]
            ),
        ],
        references=[XID],
    )
