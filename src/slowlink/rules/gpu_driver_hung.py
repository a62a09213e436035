"""The GPU's firmware or driver stopped answering.

The driver waited for the GPU's system processor (GSP) and got no answer (Xid 119), the GSP failed (120), or a context
switch timed out (109). A halted power management unit (62), a failed start (143) and fatal timeouts (158, on PCIe 167)
end the same way. Everything that touches this GPU then hangs, nvidia-smi too.

Why it matters: a rank on this GPU never arrives, and all others wait until their time-out.
How to confirm: ``dmesg -T | grep Xid`` on the node; ``timeout 20 nvidia-smi -i N`` does not come back.
What to do: drain the node, reset the GPU or reboot; collect ``nvidia-bug-report.sh`` first. Update driver and
firmware when it comes again; NVIDIA's notes describe how to run without GSP as a way around.
When it is wrong: never for 119 and 120; a 109 may follow from another fault on the same GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.kernel_xid import HUNG, gpu_of, numbered, xids
from slowlink.rules.references import XID
from slowlink.rules.seen import LOST_PEER, counted, hosts_of, listed, refs_of, times


def check(events: Events) -> Iterator[Finding]:
    """One finding for all GPUs."""
    found = xids(events, HUNG)
    if not found:
        return
    gpus = list(dict.fromkeys(filter(None, map(gpu_of, found))))
    yield finding(
        "gpu-driver-hung",
        f"{listed(gpus) or 'a GPU'} stopped answering its driver: "
        f"{numbered(found, HUNG)}, {counted(times(found), 'time')}",
        severity="critical",
        confidence="certain",
        evidence=lines(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        explains=("gpu-application-fault", "rank-lost", "process-crashed", *LOST_PEER),
        remedy=[
            ("Collect the driver's report before anything else.", "nvidia-bug-report.sh"),
            ("Drain the node and reset the GPU, or reboot.", "nvidia-smi --gpu-reset -i N"),
        ],
        references=[XID],
    )
