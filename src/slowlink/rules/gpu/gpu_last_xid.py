"""DCGM's last Xid is one of the GPU's hardware.

The exporter's ``DCGM_FI_DEV_XID_ERRORS`` keeps the number of the last Xid since DCGM was started, without its time.
Only numbers that blame the GPU are judged: memory, NVLink, firmware, bus. Those that a program causes (13, 31, 43, 45)
stay there long after it ended.

Why it matters: after such an Xid the GPU waits for a reset, or is gone.
How to confirm: ``dmesg -T | grep Xid`` on the node shows when it was, and whether the GPU was reset since.
What to do: look the numbers up in NVIDIA's catalogue; drain the node, reset the GPU, test with ``dcgmi diag -r 3``.
When it is wrong: the GPU was reset since, but DCGM was not restarted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.catalog.driver_errors.numbers import xids as catalogue
from slowlink.catalog.driver_errors.numbers import xids_of
from slowlink.facts.readings import latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.evidence.xid_messages import HARDWARE, named_xids

CAUSES = HARDWARE


def check(last: Annotated[Readings, Of("gpu-last-xid")]) -> Iterator[Finding]:
    """One finding for each kind of error."""
    now = latest_of(last.all)
    for cause in HARDWARE:
        found = [reading for reading in now if reading.value in xids_of(cause)]
        if not found:
            continue
        numbers = sorted({int(reading.value) for reading in found})
        yield finding(
            cause,
            f"{gpus_at(found)}: the last Xid that DCGM saw is {named_xids(numbers)}",
            severity="error" if any(catalogue()[number].severe for number in numbers) else "warning",
            confidence="likely",
            evidence=reading_evidence(found, expected="0"),
            suspects=gpu_suspects(found),
            remedy=[("See when it was, and whether the GPU was reset since.", "dmesg -T | grep Xid")],
            references=[XID],
        )
