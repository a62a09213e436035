"""One GPU computes, or reads its memory, more slowly than the others of its node.

gpu-burn, health checks of providers and loops of users measure each GPU by itself. GPUs of one node are alike: their
throughput differs by a few per cent, at most by ten between a cool and a warm one.

Why it matters: the others wait for it in every collective.
How to confirm: ``nvidia-smi -q -d PERFORMANCE,CLOCK,TEMPERATURE,POWER`` under load, beside the other GPUs.
What to do: look for what holds its clocks down (heat, power, a limit that was set); test it alone; replace it.
When it is wrong: another program works on it; GPUs of two kinds in one node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_attribute, latest, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("straggler-gpu",)

_UNITS = {
    "gpu-tflops": ("computes at", "TFLOP/s"),
    "gpu-memory-bandwidth": ("reads its memory at", "GB/s"),
    "gpu-test-bandwidth": ("gives", "GB/s"),
    "gpu-test-time": ("takes", "ms"),
}
_TIMES = ("gpu-test-time",)
"""Of these, more is worse."""


class Params(Struct, frozen=True):
    """When a GPU is odd."""

    slow_share: float = 0.85
    """Of what the GPUs of its node reach in the middle."""
    fewest: int = 4
    """Of fewer GPUs none is the odd one."""


def check(measured: Annotated[Readings, Of(*_UNITS)], params: Params) -> Iterator[Finding]:
    """One finding for each node and quantity."""
    for attribute in _UNITS:
        by_node: dict[str, list[Reading]] = {}
        for reading in latest(by_attribute(measured, attribute)).values():
            by_node.setdefault(node_of(reading), []).append(reading)
        for readings in by_node.values():
            yield from _of_node(attribute, readings, params)


def _of_node(attribute: str, readings: list[Reading], params: Params) -> Iterator[Finding]:
    values = {reading.part.name: float(reading.value) for reading in readings}
    usual = median(values.values())
    pace = {name: _pace(attribute, value, usual) for name, value in values.items()}
    slow = [reading for reading in readings if pace[reading.part.name] < params.slow_share]
    if len(readings) < params.fewest or not slow or len(slow) * params.fewest > len(readings):
        return
    does, unit = _UNITS[attribute]
    names = ", ".join(reading.part.name for reading in slow[:4])
    least = values[min((reading.part.name for reading in slow), key=lambda name: pace[name])]
    yield finding(
        "straggler-gpu",
        f"{on_nodes(slow)}GPU {names} {does} {least:.4g} {unit}, the others {usual:.4g}",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(slow, expected=f"about {usual:.4g} {unit}"),
        suspects=(*part_suspects("gpu", slow), *node_suspects(slow)),
        explains=("busbw-below-expected", "bandwidth-unstable"),
        remedy=[("See what holds it back, under load.", "nvidia-smi -q -d PERFORMANCE,CLOCK,TEMPERATURE,POWER")],
    )


def _pace(attribute: str, value: float, usual: float) -> float:
    """How fast it is, as a share of what is usual."""
    part, whole = (usual, value) if attribute in _TIMES else (value, usual)
    return part / whole if whole > 0 else 1.0
