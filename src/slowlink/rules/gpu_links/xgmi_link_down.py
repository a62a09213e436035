"""An xGMI link between AMD GPUs is down.

``amd-smi xgmi --link-status`` shows each link of each GPU as up, down or disabled.

Why it matters: the GPUs of a board are joined all to all; collectives run at the pace of the pair that lost its link.
How to confirm: ``amd-smi xgmi --link-status``; ``rocm-smi --showtopotype`` shows PCIE between the two GPUs.
What to do: drain the node, reboot it with power off in between; if it happens again, the board is a case for the
vendor.
When it is wrong: never for links shown as down (D); those that a partition does not use are disabled (X), which is no
fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("nvlink-down",)


def check(links: Annotated[Readings, Of("xgmi-link")]) -> Iterator[Finding | Proof]:
    """One finding for all nodes."""
    now = list(latest(links.all).values())
    down = [reading for reading in now if reading.value is False]
    if not down:
        yield Proof(f"{on_nodes(now)}{len(now)} xGMI links are up", reading_evidence(now, most=2))
        return
    gpus = list(dict.fromkeys(reading.part.name.partition("/")[0] for reading in down))
    yield finding(
        "nvlink-down",
        f"{on_nodes(down)}{counted(len(down), 'xGMI link')} of GPU {listed(gpus)} "
        f"{'is' if len(down) == 1 else 'are'} down",
        severity="error",
        confidence="certain",
        evidence=reading_evidence(down, expected="up"),
        suspects=(*suspects("gpu", gpus), *node_suspects(down)),
        explains=("p2p-disabled", "busbw-below-expected"),
        remedy=[("Read the links and their errors.", "amd-smi xgmi --link-status; rocm-smi --showxgmierr")],
    )
