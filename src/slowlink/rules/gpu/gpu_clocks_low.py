"""A GPU under load has a clock or power far below its peers, or is in a state for idling.

``nvidia-smi`` prints the performance state, P0 for the highest clocks to P15 for the lowest, beside the utilisation. A
GPU at work is in P0, GeForce cards with CUDA in P2; from P5 on memory or SM clocks are far down.
Where no clocks are read, power tells the same: GPUs of one node at the same work draw alike.
The driver's reasons for low clocks are not needed here: somebody may have locked the clock, the slot may get less
power, or the slowdown may have been over when the reasons were read.

Why it matters: a slow GPU reduces and copies slower, and all ranks wait for it in every collective.
How to confirm: ``nvidia-smi -q -d CLOCK,PERFORMANCE,POWER`` on the node while the benchmark runs.
What to do: remove locks (``nvidia-smi -rgc``, ``-rac``), compare power limits, then look at power and cooling.
When it is wrong: the GPUs of the node had different work when their clocks were read. Utilisation is a mean over up to
a second, so a single GPU may have become idle just then; hence a state for idling is a warning. So is low power: a rank
that only waits in a collective is at 100 %, too, and draws little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_attribute, by_node, latest, without
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import NVML_CLOCKS
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-clocks-throttled",)


class Params(Struct, frozen=True):
    """When a GPU is loaded, and its SM clock low compared with the other loaded GPUs of its node, or its state low."""

    share_of_peers: float = 0.75
    """Share of the median of those clocks below which one is low. At a power limit healthy GPUs differ by 2 %."""
    fewest_peers: int = 3
    """Other loaded GPUs on the node; with fewer, their median may itself be the odd one."""
    busy_percent: float = 90.0
    """Utilisation in % from which a GPU counts as loaded; below it clocks fall to save power."""
    low_state: int = 5
    """P5 and behind it: NVML documents P0 as the highest and P15 as the lowest performance."""
    share_of_power: float = 0.5
    """Share of the median power of its loaded peers below which a loaded GPU draws too little; at the same work H100 of
    one node differ by some 10 %."""


def check(
    clocks: Annotated[Readings, Of("gpu-clock-sm", "gpu-pstate", "gpu-power")],
    use: Annotated[Readings, Of("gpu-utilisation")],
    params: Params,
) -> Iterator[Finding]:
    """One finding for all GPUs that are slow under load, or else one for those in a state for idling, or for those that
    draw little."""
    busy = {key for key, r in latest(use.all).items() if _number(r) >= params.busy_percent}
    loaded = [r for key, r in latest(by_attribute(clocks, "gpu-clock-sm")).items() if key in busy]
    slow = [r for node in by_node(loaded).values() for r in node if _is_low(r, node, params.share_of_peers, params)]
    idling = [
        r
        for key, r in latest(by_attribute(clocks, "gpu-pstate")).items()
        if key in busy and _state(r) >= params.low_state
    ]
    power = [r for key, r in latest(by_attribute(clocks, "gpu-power")).items() if key in busy]
    weak = [r for node in by_node(power).values() for r in node if _is_low(r, node, params.share_of_power, params)]
    if slow:
        lowest = min(_number(r) for r in slow)
        said = f"{gpus_at(slow)}: the SM clock under load is {lowest:.0f} MHz, far below that of the other GPUs"
        yield _finding(slow, said, likely=True)
    elif idling:
        states = listed(list(dict.fromkeys(str(r.value) for r in idling)))
        yield _finding(idling, f"{gpus_at(idling)}: busy, and in {states}, a state for idling", likely=False)
    elif weak:
        watts = min(map(_number, weak))
        usual = median([_number(r) for r in without(power, weak)])
        said = f"{gpus_at(weak)}: busy, and at {watts:.0f} W where busy peers draw {usual:.0f} W"
        yield _finding(weak, said, likely=False)


def _finding(slow: Sequence[Reading], said: str, *, likely: bool) -> Finding:
    return finding(
        "gpu-clocks-throttled",
        said,
        severity="error" if likely else "warning",
        confidence="likely" if likely else "possible",
        evidence=reading_evidence(slow),
        suspects=gpu_suspects(slow),
        explains=("busbw-below-expected", "straggler-node") if likely else (),
        remedy=[
            ("See why, under load.", "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER"),
            ("Take locked clocks off.", "nvidia-smi -rgc; nvidia-smi -rac"),
        ],
        references=[NVML_CLOCKS],
    )


def _is_low(each: Reading, node: list[Reading], share: float, params: Params) -> bool:
    peers = [_number(r) for r in node if r.part != each.part]
    return len(peers) >= params.fewest_peers and _number(each) < share * median(peers)


def _number(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0


def _state(reading: Reading) -> int:
    digits = str(reading.value).removeprefix("P")
    return int(digits) if digits.isdecimal() and len(digits) <= 2 else 0
