"""NVLinks run slower than their neighbours.

All links of one kind of GPU train at one speed. A link below the usual speed of its node trained with fewer lanes or at
a lower rate.

Why it matters: traffic is spread over all links alike, so the slowest one sets the pace.
How to confirm: ``nvidia-smi nvlink --status`` on this node and on another one.
What to do: reset all GPUs of the node together, reboot if that does not help; ``dcgmi diag -r 3``.
When it is wrong: nodes that mix kinds of GPUs have links of several speeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mode
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_node, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu_links.remedies import RESET_AND_TEST

CAUSES = ("nvlink-down",)


class Params(Struct, frozen=True):
    """When a link is slow, compared with the most frequent speed of the links of its node."""

    share: float = 0.95
    """A link below this share of that speed is slow. Speeds come in steps of lanes and rates, far larger than 5 %."""
    fewest: int = 4
    """Links of a node needed before one of them can be called unusual."""


def check(speeds: Annotated[Readings, Of("nvlink-speed")], params: Params) -> Iterator[Finding]:
    """One finding for all nodes."""
    slow: list[Reading] = []
    for links in by_node(latest_of(speeds.all)).values():
        if len(links) >= params.fewest:
            usual = mode(_gbs(link) for link in links)
            slow += [link for link in links if _gbs(link) < params.share * usual]
    if not slow:
        return
    at = " and ".join(sorted({f"{_gbs(link):g}" for link in slow})[:3])
    yield finding(
        "nvlink-down",
        f"{gpus_at(slow)}: {counted(len(slow), 'NVLink')} at {at} GB/s, slower than the others of the node",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(slow),
        suspects=gpu_suspects(slow),
        remedy=[RESET_AND_TEST],
        references=[NVIDIA_SMI],
    )


def _gbs(link: Reading) -> float:
    return float(link.value) if isinstance(link.value, int | float) else 0.0
