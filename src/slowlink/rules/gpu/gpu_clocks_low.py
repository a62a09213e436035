"""A GPU's clock is far below that of its peers, under the same load.

No reason is needed: a clock that somebody locked, a slot with less power, or a slowdown that was over when the reasons
were read.

Why it matters: a slow GPU reduces and copies slower, and all ranks wait for it in every collective.
How to confirm: ``nvidia-smi -q -d CLOCK,PERFORMANCE,POWER`` on the node while the benchmark runs.
What to do: take locks off (``nvidia-smi -rgc``, ``-rac``), compare power limits, then look at power and cooling.
When it is wrong: GPUs of one node had different work when they were looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Annotated

from slowlink.facts.readings import by_attribute, by_node, latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import NVML_CLOCKS
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-clocks-throttled",)


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    share_of_peers: float = 0.75
    """SM clock under load, as a share of the median of the node's other GPUs: healthy ones differ by 2 % at a power
    limit."""
    fewest_peers: int = 3
    busy_percent: float = 90.0
    """Utilisation from which a GPU counts as loaded."""


def check(
    clocks: Annotated[Readings, Of("gpu-clock-sm")], use: Annotated[Readings, Of("gpu-utilisation")], params: Params
) -> Iterator[Finding]:
    """One finding for all GPUs."""
    busy = {key for key, r in latest(use.all).items() if _number(r) >= params.busy_percent}
    loaded = [r for key, r in latest(by_attribute(clocks, "gpu-clock-sm")).items() if key in busy]
    slow = [each for node in by_node(loaded).values() for each in node if _is_low(each, node, params)]
    if not slow:
        return
    lowest = min(_number(r) for r in slow)
    yield finding(
        "gpu-clocks-throttled",
        f"{gpus_at(slow)}: the SM clock under load is {lowest:.0f} MHz, far below that of the other GPUs",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(slow),
        suspects=gpu_suspects(slow),
        explains=("busbw-below-expected", "straggler-node"),
        remedy=[
            ("See why, under load.", "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER"),
            ("Take locked clocks off.", "nvidia-smi -rgc; nvidia-smi -rac"),
        ],
        references=[NVML_CLOCKS],
    )


def _is_low(each: Reading, node: list[Reading], params: Params) -> bool:
    peers = [_number(r) for r in node if r.part != each.part]
    return len(peers) >= params.fewest_peers and _number(each) < params.share_of_peers * median(peers)


def _number(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0
