"""GPUs cannot do their part as they are set, or one is unlike the others of its node.

What is set are power limit, MIG and ECC. A power limit well below that of the same GPUs of other nodes, or below the
board's default, holds the clocks down. MIG cuts a GPU into instances that have no NVLink and no peer-to-peer access.
ECC that is off on few nodes leaves their results unprotected. One GPU of a node that has another VBIOS, other memory,
no ECC, another partition or a lower limit of its PCIe speed than the others of its model was exchanged, or it or its
slot is set otherwise.

Why it matters: a collective waits for its slowest GPU, so one capped node slows all others. With MIG the data of a node
goes through host memory.
How to confirm: ``nvidia-smi -q -d POWER,ECC`` and ``nvidia-smi --query-gpu=mig.mode.current --format=csv`` on this node
and on another one.
What to do: set it as the other nodes; MIG and ECC take effect after a reset of the GPU.
When it is wrong: somebody caps power on purpose. Where all nodes are capped alike it is a warning; MIG on all nodes
is an error only where a job over several ranks ran.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.catalog.gpus import find_gpu
from slowlink.facts.readings import by_attribute, by_node, latest_of, node_of, without
from slowlink.model.facts import Communicators, Of, Readings, Sweeps
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.node_readings import in_words, reading_evidence
from slowlink.units import format_size

CAUSES = ("gpu-clocks-throttled", "node-differs", "p2p-disabled", "pcie-link-degraded")

_POWER = ("gpu-power-limit", "gpu-power-limit-default")

_NAMES = ("gpu-name", "gpu-name-cut")

_ALIKE = {
    "gpu-vbios": "VBIOS",
    "gpu-memory-total": "memory",
    "gpu-bar1-total": "BAR1",
    "gpu-ecc": "ECC",
    "gpu-partition": "partition",
    "gpu-compute-mode": "compute mode",
}
_SPEED, _WIDTH, _CLOCK = "pcie-speed-max", "pcie-width-max", "gpu-clock-sm-max"
"""What all GPUs of one model have alike in a node."""
_CLOSED = "Prohibited"
"""The compute mode in which no program can use a GPU."""


class Params(Struct, frozen=True):
    """When a power limit is low, and how many nodes show what is usual."""

    low_share: float = 0.9
    """Its limit over that of most nodes, or over the board's default; vendors set them within a few per cent."""
    far_share: float = 0.7
    """Its limit over what its model is sold with, where its own default was not read: variants have a little less."""
    fewest_nodes: int = 3
    """Nodes of which more than half must agree; of two that differ, neither is the odd one."""
    fewest_gpus: int = 4
    """GPUs of a node of which all but one must agree."""


def check(
    state: Annotated[Readings, Of(*_POWER, *_NAMES, *_ALIKE, _SPEED, _WIDTH, _CLOCK, "gpu-mig")],
    communicators: Communicators | None,
    sweeps: Sweeps | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for each of the three settings, and for each property of GPUs that are unlike their peers."""
    yield from _power(state, params)
    ranks = max((s.nranks or 1 for s in sweeps.all), default=1) if sweeps is not None else 1
    alone = [r for r in _unlike(state, "gpu-mig", params) if r.value is True]
    yield from _mig(latest_of(by_attribute(state, "gpu-mig")), communicators is not None or ranks > 1, alone, params)
    ecc = latest_of(by_attribute(state, "gpu-ecc"))
    odd = _odd_nodes(ecc, wrong=False, params=params)
    if odd:
        yield _ecc(odd)
    for name, words in _ALIKE.items():
        if unlike := without(_unlike(state, name, params), odd):
            yield _differs(unlike, words)
    for name, unit in ((_SPEED, "GT/s"), (_WIDTH, "lanes")):
        slower = [r for r in _unlike(state, name, params) if _watts(r) < _usual_value(state, r)]
        if slower:
            yield _slow_slot(slower, _usual_value(state, slower[0]), unit)
    held = [r for r in _unlike(state, _CLOCK, params) if _watts(r) < params.low_share * _usual_value(state, r)]
    if held:
        yield _low_clock(held, _usual_value(state, held[0]))


def _power(state: Readings, params: Params) -> Iterator[Finding]:
    now = [r for r in latest_of(by_attribute(state, _POWER[0])) if _watts(r) > 0]
    defaults = {(node_of(r), r.part): _watts(r) for r in latest_of(by_attribute(state, _POWER[1]))}
    of_node = {node: median(map(_watts, readings)) for node, readings in by_node(now).items()}
    usual = _usual(list(of_node.values()), params)
    few = [r for r in now if usual is not None and _watts(r) < params.low_share * usual]
    if few and usual is not None:
        yield _capped(few, f"where most nodes have {usual:g} W", params, grave=True)
    low = [r for r in without(now, few) if _watts(r) < params.low_share * defaults.get((node_of(r), r.part), 0.0)]
    if low:
        default = max(defaults[node_of(r), r.part] for r in low)
        yield _capped(low, f"of {default:g} W that the board has by default", params, grave=False)
    odd = [
        r
        for r in without(_unlike(state, _POWER[0], params), few, low)
        if 0 < _watts(r) < params.low_share * _usual_value(state, r)
    ]
    if odd:
        yield _capped(odd, f"where the others of its node have {_usual_value(state, odd[0]):g} W", params, grave=False)
    rest = [r for r in without(now, few, odd) if (node_of(r), r.part) not in defaults]
    yield from _below_model(rest, state, params)


def _below_model(limits: Sequence[Reading], state: Readings, params: Params) -> Iterator[Finding]:
    """Limits far below what the model is sold with; a name that a table cut says it where its beginning does."""
    models = {
        (node_of(r), r.part): found
        for name in _NAMES[::-1]
        for r in latest_of(by_attribute(state, name))
        if (found := find_gpu(str(r.value))) is not None
    }
    sold = {r: models[node_of(r), r.part].watts or 0.0 for r in limits if (node_of(r), r.part) in models}
    for watts in sorted(set(sold.values())):
        low = [r for r in limits if sold.get(r) == watts and _watts(r) < params.far_share * watts]
        if low:
            yield _capped(low, f"of {watts:g} W that the model is sold with", params, grave=False)


def _usual(limits: Sequence[float], params: Params) -> float | None:
    """What more than half of the nodes have; None where too few tell."""
    if len(limits) < params.fewest_nodes:
        return None
    middle = median(limits)
    alike = sum(abs(limit - middle) <= 0.01 * middle for limit in limits)
    return middle if 2 * alike > len(limits) else None


def _watts(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0


def _capped(low: Sequence[Reading], against: str, params: Params, *, grave: bool) -> Finding:
    values = sorted({_watts(reading) for reading in low})
    watts = f"{values[0]:g} W" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g} W"
    return finding(
        "gpu-clocks-throttled",
        f"{gpus_at(low)}: the power limit is {watts} {against}",
        severity="error" if grave else "warning",
        confidence="likely" if grave else "possible",
        evidence=reading_evidence(low, expected=f"at least {params.low_share:.0%} of it"),
        suspects=gpu_suspects(low),
        explains=("busbw-below-expected", "straggler-node", "straggler-gpu") if grave else (),
        remedy=[
            ("See the limits, and who set them.", "nvidia-smi -q -d POWER"),
            ("Set the default again.", "nvidia-smi -pl WATTS"),
        ],
        references=[NVIDIA_SMI],
    )


def _odd_nodes(readings: Sequence[Reading], *, wrong: bool, params: Params) -> list[Reading]:
    """Readings with the wrong value on nodes that are fewer than half, of enough."""
    nodes = by_node(readings)
    bad = [reading for reading in readings if reading.value is wrong]
    few = 2 * len(by_node(bad)) < len(nodes) and len(nodes) >= params.fewest_nodes
    return bad if few else []


def _unlike(state: Readings, name: str, params: Params) -> list[Reading]:
    """Of each node the one GPU whose value differs from that of all others of its model."""
    models = {(node_of(r), r.part): str(r.value) for r in latest_of(by_attribute(state, _NAMES[0]))}
    found = []
    for node, readings in by_node(r for r in latest_of(by_attribute(state, name)) if r.part.kind == "gpu").items():
        named = {models.get((node, r.part)) for r in readings}
        times = Counter(r.value for r in readings)
        if len(readings) >= params.fewest_gpus and len(named) == 1 and sorted(times.values()) == [1, len(readings) - 1]:
            found += [r for r in readings if times[r.value] == 1]
    return found


def _usual_value(state: Readings, odd: Reading) -> float:
    """Of the other GPUs of its node, which agree."""
    others = latest_of(by_attribute(state, odd.attribute))
    return next(_watts(r) for r in others if node_of(r) == node_of(odd) and r.part.kind == "gpu" and r.part != odd.part)


def _differs(odd: Sequence[Reading], words: str) -> Finding:
    closed = any(reading.value == _CLOSED for reading in odd)
    return finding(
        "node-differs",
        f"{gpus_at(odd)}: {words} other than that of all other GPUs of its node ({_told(odd[0])})"
        + (": no program can use it" if closed else ""),
        severity="error" if closed else "warning",
        confidence="certain",
        evidence=reading_evidence(odd, expected="as its peers"),
        suspects=gpu_suspects(odd),
        remedy=[
            ("Compare them.", "nvidia-smi --query-gpu=index,vbios_version,memory.total,ecc.mode.current --format=csv")
        ],
        references=[NVIDIA_SMI],
    )


def _told(reading: Reading) -> str:
    return format_size(reading.value) if isinstance(reading.value, int) and reading.value > 1 else in_words(reading)


def _low_clock(held: Sequence[Reading], usual: float) -> Finding:
    return finding(
        "gpu-clocks-throttled",
        f"{gpus_at(held)}: its clock can go to {_watts(held[0]):g} MHz at most, those of its peers to {usual:g}",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(held, expected=f"{usual:g} MHz"),
        suspects=gpu_suspects(held),
        explains=("busbw-below-expected", "straggler-gpu"),
        remedy=[
            ("Compare the clocks.", "nvidia-smi -q -d CLOCK"),
            ("Take limits back that somebody set.", "nvidia-smi -rgc; nvidia-smi -rac"),
        ],
        references=[NVIDIA_SMI],
    )


def _slow_slot(slower: Sequence[Reading], usual: float, unit: str) -> Finding:
    least = min(map(_watts, slower))
    return finding(
        "pcie-link-degraded",
        f"{gpus_at(slower)}: its PCIe link can do {least:g} {unit} at most, those of its peers {usual:g}",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(slower, expected=f"{usual:g} {unit}"),
        suspects=gpu_suspects(slower),
        explains=("busbw-below-expected", "straggler-gpu"),
        remedy=[
            ("Compare the slots' settings in the firmware, then reseat the GPU.", "nvidia-smi -q | grep -A6 'PCIe Gen'")
        ],
        references=[NVIDIA_SMI],
    )


def _mig(readings: Sequence[Reading], job_ran: bool, alone: Sequence[Reading], params: Params) -> Iterator[Finding]:
    """``alone``: those that are the only ones of their node with MIG."""
    on = [reading for reading in readings if reading.value is True]
    odd = _odd_nodes(readings, wrong=True, params=params)
    if not on or not (odd or job_ran or len(on) > 1 or alone):
        return
    against = "as on few nodes, " if odd else "as on no other GPU of the node, " if len(alone) == len(on) else ""
    grave = bool(odd) or job_ran
    yield finding(
        "p2p-disabled",
        f"{gpus_at(on)}: MIG is on, {against}and its instances have neither NVLink nor peer-to-peer access",
        severity="error" if grave else "warning",
        confidence="likely" if grave else "possible",
        evidence=reading_evidence(on, expected="off"),
        suspects=gpu_suspects(on),
        explains=("nvls-unavailable", "busbw-below-expected", "straggler-node") if grave else (),
        remedy=[
            ("See which GPUs are cut.", "nvidia-smi --query-gpu=index,mig.mode.current --format=csv"),
            ("Switch it off on the drained node, and reset the GPUs.", "nvidia-smi -mig 0"),
        ],
        references=[NVIDIA_SMI],
    )


def _ecc(odd: Sequence[Reading]) -> Finding:
    return finding(
        "node-differs",
        f"{gpus_at(odd)}: ECC is off, while it is on on most nodes: errors of memory there go unnoticed",
        severity="warning",
        confidence="certain",
        evidence=reading_evidence(odd, expected="on"),
        suspects=gpu_suspects(odd),
        remedy=[("Switch it on, and reset the GPU.", "nvidia-smi -e 1")],
        references=[NVIDIA_SMI],
    )
