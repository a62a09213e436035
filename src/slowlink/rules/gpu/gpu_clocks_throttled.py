"""GPU clocks are held down by heat or power.

The driver says why clocks are lower than they could be. Hardware slowdown at least halves them: the GPU is too hot, or
the power brake of the board was pulled (a power supply failed, or the rack asked for less). Software slowdown by heat
is milder, and a warning. So is a GPU as hot as its slowdown temperature; where no tool prints that, it is not known:
models differ by some 10 C. Then a GPU from 90 C on is told (of AMD's, whose hottest spot may be what is printed, from
100 C), and nothing of it is called sound. The power brake is a cause of its own, for its remedy lies outside the GPU.
Idling, application clocks and the power limit are normal reasons and no fault.

Why it matters: a slow GPU reduces and copies slower, and all ranks wait for it in every collective.
How to confirm: ``nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER,CLOCK`` while the benchmark runs; compare GPUs.
What to do: look at fans, airflow, inlet temperature and power supplies (BMC log); move the job away meanwhile.
When it is wrong: bare hardware slowdown shows for moments when clocks change, also on an idle GPU (then it is only a
warning): read it again under load. Counters of slowed time run since boot; their growth between two readings
counts, and of one reading a GPU whose time is far above that of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, growth, latest
from slowlink.model.facts import Of, Readings, Sources
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.counters import far_above_their_like
from slowlink.rules.evidence.findings import Proof, Step, finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at, number_of_gpus
from slowlink.rules.evidence.links_to_docs import NVML_CLOCKS
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu.remedies import only_amd

CAUSES = ("gpu-clocks-throttled", "power-brake")

_HARD = {
    "gpu-clocks-hw-thermal": "hardware slowdown by heat",
    "gpu-clocks-power-brake": "hardware slowdown by the power brake",
    "gpu-clocks-hw-slowdown": "hardware slowdown",
}
_BARE = "gpu-clocks-hw-slowdown"
_HARD_TIMES = {
    "gpu-time-hw-thermal": "hardware slowdown by heat",
    "gpu-time-power-brake": "hardware slowdown by the power brake",
}
_SOFT = "gpu-clocks-sw-thermal"
_SEE_HEAT = Step("Look at fans, inlet temperature and power supplies.", "ipmitool sel list; ipmitool sensor")
_SEE_POWER = Step(
    "Look for a power supply that failed or a limit of the rack; the brake is pulled from outside the GPU.",
    "ipmitool sel list; ipmitool sdr type 'Power Supply'; ipmitool dcmi power reading",
)
_LONG, _TIMES = 60_000_000, 10
"""Microseconds of slowed clocks in all that tell of one GPU where its peers have a tenth at most: a minute of full
heat is no moment."""
_IN_JOB = "gpu-slowed-by-heat"
_MUCH_OF_JOB = 5.0
"""Percent of its time: less is a moment of full load."""
ATTRIBUTES = (*_HARD, _SOFT, *_HARD_TIMES, _IN_JOB, "gpu-clocks-idle")
_LIMIT, _MARGIN = "gpu-temperature-slowdown", "gpu-temperature-margin"
"""The margin counts down to 0, where the GPU slows down."""


class Params(Struct, frozen=True):
    """Degrees Celsius from which a GPU is hot where no limit of its own is known."""

    hot: float = 90.0
    """NVIDIA's data centre GPUs slow down from 85 to 95 C, by what their drivers print."""
    warm: float = 70.0
    """Below it no GPU slows down by heat, whatever is printed as its margin."""
    hot_amd: float = 100.0
    """amdgpu prints critical temperatures of 100 to 110 C of Instinct GPUs, edge and junction."""


def check(
    clocks: Annotated[Readings, Of(*ATTRIBUTES)] | None,
    heat: Annotated[Readings, Of("gpu-temperature", _LIMIT, _MARGIN)] | None,
    sources: Sources,
    params: Params,
) -> Iterator[Finding | Proof]:
    """Hardware slowdown, growth of its counters, slowdown by heat; then GPUs that are hot."""
    if clocks is not None:
        yield from _held_down(clocks)
    if heat is not None:
        yield from _hot(heat, sources, params)


def _hot(heat: Readings, sources: Sources, params: Params) -> Iterator[Finding]:
    """One finding for GPUs at their own limit, one for those whose limit is not known."""
    limits = {key: float(r.value) for key, r in latest(by_attribute(heat, _LIMIT)).items() if not _is_words(r)}
    margins = {key: r for key, r in latest(by_attribute(heat, _MARGIN)).items() if not _is_words(r)}
    now = {key: r for key, r in latest(by_attribute(heat, "gpu-temperature")).items() if not _is_words(r)}
    # Where a tool knows no margin it may print 0: no GPU slows down while it is cool.
    warm = {key for key, r in now.items() if float(r.value) >= params.warm}
    amd = only_amd(sources)
    spent = {key for key, r in margins.items() if float(r.value) <= 0 and key in warm}
    groups = (
        (
            [r for key, r in now.items() if key in spent or (key in limits and float(r.value) >= limits[key])],
            _AT_LIMIT,
        ),
        (
            [r for key, r in now.items() if key not in limits and key not in margins and _is_hot(r, amd, params)],
            _HOT,
        ),
    )
    for found, where in groups:
        if found:
            hottest = max(float(reading.value) for reading in found)
            yield _finding(f"{gpus_at(found)}: {hottest:g} C, {where}", found, "warning", confidence="possible")


_AT_LIMIT = "at the temperature where it slows down"
_HOT = "where GPUs slow down or are near to it; its own limit is not known"


def _is_words(reading: Reading) -> bool:
    return isinstance(reading.value, str)


def _is_hot(reading: Reading, amd: frozenset[str], params: Params) -> bool:
    return float(reading.value) >= (params.hot_amd if reading.ref.source in amd else params.hot)


def _held_down(clocks: Readings) -> Iterator[Finding | Proof]:
    seen: set[tuple[str | None, str]] = set()
    for name, words in _HARD.items():
        on = [r for r in by_attribute(clocks, name) if r.value is True]
        found = [r for r in on if name != _BARE or (r.host, r.part.name) not in seen]  # it is on beside the others
        seen.update((r.host, r.part.name) for r in found)
        if found:
            # Heat and power brake are never normal; a bare slowdown may be a change of clocks.
            idle = name == _BARE and _always_idle(clocks, found)
            of = " of an idle GPU" if idle else ""
            yield _finding(f"{gpus_at(found)}: {words}{of}", found, "warning" if idle else "error", _cause(name))
    for name, words in _HARD_TIMES.items():
        grown = [g.last for g in growth(by_attribute(clocks, name)) if g.by > 0]
        if grown:  # any growth: the time is counted only while the clocks are held down
            yield _finding(f"{gpus_at(grown)}: time in {words} grew between two readings", grown, "error", _cause(name))
        elif unlike := far_above_their_like(by_attribute(clocks, name), _LONG, _TIMES, _microseconds):
            seconds = max(map(_microseconds, unlike)) / 1e6
            what = (
                f"{gpus_at(unlike)}: {seconds:.0f} s in {words} at some time, the other GPUs of the node next to none"
            )
            yield _finding(what, unlike, "warning", _cause(name), confidence="possible")
    soft = [r for r in by_attribute(clocks, _SOFT) if r.value is True]
    if soft:
        yield _finding(f"{gpus_at(soft)}: clocks are lowered by heat", soft, "warning")
    slowed = [r for r in by_attribute(clocks, _IN_JOB) if float(r.value) >= _MUCH_OF_JOB]
    if slowed:
        most = max(float(r.value) for r in slowed)
        yield _finding(f"{gpus_at(slowed)}: heat held the clocks down for {most:.0f} % of a job", slowed, "error")
    if not (seen or soft or slowed) and (said := sound(clocks)) is not None:
        yield Proof(said, reading_evidence(by_attribute(clocks, "gpu-clocks-hw-slowdown"), most=1), weight=0)


def _microseconds(reading: Reading) -> int:
    return int(reading.value) if isinstance(reading.value, int | float) else 0


def sound(clocks: Readings) -> str | None:
    """``8 GPUs: no slowdown of clocks by heat or power``; None when the reasons were not read, or there is one."""
    reasons = [r for name in (*_HARD, _SOFT) for r in by_attribute(clocks, name)]
    if not reasons or any(r.value is True for r in reasons):
        return None
    return f"{number_of_gpus(reasons)}: no slowdown of clocks by heat or power"


def _cause(attribute: str) -> str:
    return "power-brake" if attribute.endswith("power-brake") else CAUSES[0]


def _finding(
    what: str,
    readings: Sequence[Reading],
    severity: Severity,
    cause: str = CAUSES[0],
    confidence: Confidence | None = None,
) -> Finding:
    grave = severity == "error"
    return finding(
        cause,
        what,
        severity=severity,
        confidence=confidence or ("certain" if grave else "likely"),
        evidence=reading_evidence(readings, expected="" if confidence else "off"),
        suspects=gpu_suspects(readings),
        explains=("busbw-below-expected", "straggler-node") if grave else (),
        remedy=[
            ("Read it under load, beside the other GPUs.", "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER,CLOCK"),
            _SEE_POWER if cause == "power-brake" else _SEE_HEAT,
        ],
        references=[NVML_CLOCKS],
    )


def _always_idle(clocks: Readings, found: Sequence[Reading]) -> bool:
    """Were these GPUs never seen at work?"""
    parts = {(r.host, r.part) for r in found}
    idle = [r.value for r in by_attribute(clocks, "gpu-clocks-idle") if (r.host, r.part) in parts]
    return bool(idle) and all(value is True for value in idle)
