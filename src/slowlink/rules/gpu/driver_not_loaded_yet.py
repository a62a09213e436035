"""A different GPU driver is installed than the one that is loaded.

The driver was updated on disk, but the kernel still runs the old module: the node was not rebooted since.

Why it matters: libraries of the new version refuse to talk to the old module ("Driver/library version mismatch"), so
new jobs fail; and nodes that were rebooted run another driver than nodes that were not.
How to confirm: compare ``cat /proc/driver/nvidia/version`` with ``modinfo -F version nvidia``.
What to do: drain the node and reboot it; exclude driver packages from unattended upgrades.
When it is wrong: where the driver comes in a container (GPU operator), what the host has installed does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("version-mismatch",)


def check(
    loaded: Annotated[Readings, Of("driver-version")], installed: Annotated[Readings, Of("driver-installed")]
) -> Iterator[Finding]:
    """One finding for all nodes on which both versions were read and differ."""
    running = latest(loaded.all)
    waiting = [r for key, r in latest(installed.all).items() if key in running and running[key].value != r.value]
    if not waiting:
        return
    now = " and ".join(sorted({str(running[r.host or "", r.part].value) for r in waiting})[:2])
    new = " and ".join(sorted({str(r.value) for r in waiting})[:2])
    yield finding(
        "version-mismatch",
        f"{on_nodes(waiting)}GPU driver {now} is loaded and {new} is installed: new jobs may fail until the "
        "next reboot",
        title="An installed GPU driver is not loaded yet",
        severity="warning",
        confidence="certain",
        evidence=reading_evidence(waiting, expected=now),
        suspects=node_suspects(waiting),
        remedy=[("Drain the node and reboot it.", "")],
        references=[NVIDIA_SMI],
    )
