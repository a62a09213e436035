"""A GPU's PCIe link sends packets again.

The counter runs since the last reset and grows by a few when a link trains, so growth between two readings counts. Of a
single reading only a number counts that no training explains and that is far above those of the node's other GPUs.
A link that replays steadily under load has bad signals.

Why it matters: replays cost bandwidth between GPU, host and HCA; later such a link falls to fewer lanes.
How to confirm: ``nvidia-smi -q | grep Replay`` twice, under load; ``dmesg | grep AER`` names the device.
What to do: reseat the GPU or its riser, look at the slot's retimers and firmware; move the job away if the count keeps
growing.
When it is wrong: a reset or a change of the link's speed between the two readings adds a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_attribute, by_node, growth, latest_of, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import DCGM_DIAGNOSTICS
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("pcie-errors",)


class Params(Struct, frozen=True):
    """Which growth is normal. NVIDIA publishes no count; DCGM has a rate of its own for each chip."""

    few: int = 10
    """Replays of one GPU between two readings that are not reported: one training of the link adds as many."""
    many: int = 1_000
    """From here on no training explains them: the link's signals are bad."""
    times_usual: float = 10.0
    """How many times the median of the node's GPUs a single reading must be: uptime and load are the same for all."""


_FEWEST_PEERS = 3
"""Other GPUs of the node without which nobody knows what is usual there."""


def check(
    replays: Annotated[Readings, Of("gpu-pcie-replays", "gpu-pcie-replay-rollovers")], params: Params
) -> Iterator[Finding]:
    """One finding for all GPUs whose counter grew, else one for those far above their peers. Replays alone do not show
    what they cost: only growth by many is more than a warning."""
    given_up = [r for r in latest_of(by_attribute(replays, "gpu-pcie-replay-rollovers")) if _number(r) > 0]
    if given_up:
        most = max(map(_number, given_up))
        words = f"{gpus_at(given_up)}: the PCIe link was trained anew {most} times, as repeats got no packet across"
        yield _finding(given_up, words, "warning", "possible")
    growths = growth(by_attribute(replays, "gpu-pcie-replays"))
    grown = [each for each in growths if each.by > params.few]
    if grown:
        last = [each.last for each in grown]
        most = max(each.by for each in grown)
        words = f"{gpus_at(last)}: the PCIe link sent packets again {most} times between two readings"
        yield _finding(last, words, "error" if most >= params.many else "warning", "likely")
        return
    looked_twice = {(node_of(each.last), each.last.part) for each in growths}
    nodes = by_node(latest_of(by_attribute(replays, "gpu-pcie-replays"))).values()
    high = [r for node in nodes for r in _far_above(node, params) if (node_of(r), r.part) not in looked_twice]
    if high:
        most = max(map(_number, high))
        yield _finding(
            high,
            f"{gpus_at(high)}: the PCIe link sent packets again {most} times since the last reset, far more often than "
            "those of the node's other GPUs; a second reading shows whether it goes on",
            "warning",
            "possible",
        )


def _finding(readings: list[Reading], words: str, severity: Severity, confidence: Confidence) -> Finding:
    return finding(
        "pcie-errors",
        words,
        severity=severity,
        confidence=confidence,
        evidence=reading_evidence(readings),
        suspects=gpu_suspects(readings),
        remedy=[
            (
                "Read it again under load, with the kernel's PCIe errors.",
                "nvidia-smi -q | grep Replay; dmesg | grep AER",
            )
        ],
        references=[DCGM_DIAGNOSTICS],
    )


def _far_above(node: list[Reading], params: Params) -> list[Reading]:
    """GPUs of a node with many replays where its others, three at least, have next to none in comparison."""
    usual = median([_number(reading) for reading in node])
    high = [r for r in node if _number(r) >= params.many and _number(r) > params.times_usual * usual]
    return high if len(node) > _FEWEST_PEERS else []


def _number(reading: Reading) -> int:
    return reading.value if isinstance(reading.value, int) else 0
