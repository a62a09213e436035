"""Somebody else works on the nodes while the collectives run.

While a benchmark runs (``slowlink run --watch``) every node is sampled: which processes that are not part of the run
take processor time, read or write much, send or receive much, or hold a GPU. Iterations during which such a process was
at work are compared with the others of the same size. A collective waits for its slowest rank, so one busy node slows
all (docs/watch.md).

Why it matters: a diagnostic, an agent or a stray job "that needs 10 %" can cost half of the bandwidth.
How to confirm: stop the process and measure again; the slow iterations are gone.
What to do: end it, pin it to cores that no rank uses, or keep it out of jobs (prolog, epilog, drained nodes).
When it is wrong: a process that runs on all nodes all the time leaves no iterations without it; the finding says so,
and only a run without it can show the cost. Slow moments for another reason may coincide with a short-lived process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.catalog.programs.stress_tests import is_stress_test
from slowlink.expect.background import Effect, effect_of
from slowlink.facts.watched import windows_of_rows
from slowlink.model.facts import Busy, Observations, Sweeps, Watched
from slowlink.model.report import Confidence, Evidence, Finding, Severity, Suspect
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.units import format_size

CAUSES = ("gpu-busy", "cpu-busy", "disk-busy", "network-busy")

_EXPLAINS = (
    *("bandwidth-bimodal", "bandwidth-unstable", "average-hides-variation"),
    *("busbw-below-expected", "latency-high"),
)

_UNKNOWN_COST = "; there are not enough timed iterations both with and without it to tell what it costs"


class Params(Struct, frozen=True):
    """Which processes count, and from which slowdown on: median iteration with the process over median without it."""

    least_percent: float = 20.0
    """Share of one core, in %. Processes below it are on every node."""
    least_cpu_seconds: float = 1.0
    """Seconds of processor time in all: a login takes less, and is over before it matters."""
    least_slowdown: float = 1.1
    """By less than this, repetitions of small sizes differ by themselves (docs/physics.md, "Run-to-run variation")."""
    least_mbs: float = 50.0
    """Bytes per second to disks or over TCP, in MB/s, in two samples or more."""
    grave_slowdown: float = 1.3
    """From here on it is an error, below it a warning."""
    fewest: int = 5
    """Iterations of one size needed both with and without the process, for a 95 % interval of the slowdown."""


def check(
    watched: Watched, sweeps: Sweeps | None, observations: Observations | None, params: Params
) -> Iterator[Finding | Proof]:
    """Of those that take the same thing the process with the largest effect, and any stress test; else the busiest
    whose effect is unknown; or a proof of quiet nodes."""
    by_name: dict[tuple[str, bool], list[Busy]] = {}
    for busy in watched.busy:
        if _counts(busy, params):
            by_name.setdefault((busy.name, busy.on_gpu), []).append(busy)
    if not by_name:
        least = f"{params.least_percent:g} % of a core"
        yield Proof(
            f"nobody else took {least}, or moved {params.least_mbs:g} MB/s, on {fold(watched.samples)} "
            "while it was watched",
            weight=0,
        )
        return
    measured, rows = sweeps or Sweeps(()), windows_of_rows(observations)
    effects = {key: effect_of(group, measured, params.fewest, rows) for key, group in by_name.items()}
    slowing = [found for found in effects.values() if found is not None and found.slowdown >= params.least_slowdown]
    worst: dict[str, Effect] = {}
    for effect in sorted(slowing, key=lambda effect: -effect.weight):
        worst.setdefault(_cause(_lead(effect), params.least_mbs), effect)
    for effect in worst.values():
        yield _slowed(effect, params)
    stress = [group for group in by_name.values() if is_stress_test(group[0].name)]
    unknown = [group for key, group in by_name.items() if effects[key] is None]
    if stress and stress[0][0].name not in {effect.busy[0].name for effect in worst.values()}:
        yield _at_work(_busiest(stress), params, "error", "", "likely")
    elif unknown and not worst:
        yield _at_work(_busiest(unknown), params, "warning" if measured.all else "info", _UNKNOWN_COST, "possible")


def _counts(busy: Busy, params: Params) -> bool:
    """A stress test counts at any share: it comes in bursts."""
    enough = busy.percent >= params.least_percent and _cpu_seconds(busy) >= params.least_cpu_seconds
    enough |= _moves(busy, params.least_mbs) and len({reading.at for reading in busy.readings}) > 1
    return enough or busy.on_gpu or is_stress_test(busy.name)


def _moves(busy: Busy, least_mbs: float) -> bool:
    return max(busy.disk_mbs, busy.network_mbs) >= least_mbs


def _cause(busy: Busy, least_mbs: float) -> str:
    """Who moves many bytes takes a core for them, too: the bytes are what others lack."""
    if busy.on_gpu:
        return "gpu-busy"
    if _moves(busy, least_mbs):
        return "network-busy" if busy.network_mbs >= busy.disk_mbs else "disk-busy"
    return "cpu-busy"


def _busiest(groups: Sequence[Sequence[Busy]]) -> Sequence[Busy]:
    return max(groups, key=lambda group: sum(busy.percent for busy in group))


def _cpu_seconds(busy: Busy) -> float:
    return busy.percent / 100 * sum(until - since for since, until in busy.spans)


def _lead(effect: Effect) -> Busy:
    return max(effect.busy, key=lambda busy: busy.percent)


def _slowed(effect: Effect, params: Params) -> Finding:
    lead = _lead(effect)
    low, high = effect.interval
    return finding(
        _cause(lead, params.least_mbs),
        f"{_who(effect.busy)} was at work during {effect.loaded} of {effect.iterations} iterations of "
        f"{format_size(effect.size_bytes)}: they took {effect.loaded_us:.0f} us instead of {effect.clear_us:.0f} us "
        f"({100 * effect.slowdown - 100:.0f} % more, 95 % interval {100 * low - 100:.0f} to {100 * high - 100:.0f})",
        severity="error" if effect.slowdown >= params.grave_slowdown else "warning",
        confidence="likely",
        evidence=[
            *_busiest_samples(effect.busy),
            line_evidence(effect.ref, f"{effect.loaded_us:.0f} us with it", f"{effect.clear_us:.0f} us, as without it"),
        ],
        suspects=_suspects(effect.busy),
        explains=_EXPLAINS,
        remedy=[(f"Stop {lead.name} there, or keep it off what the ranks use, and measure again.", "")],
    )


def _at_work(group: Sequence[Busy], params: Params, severity: Severity, cost: str, confidence: Confidence) -> Finding:
    """A process whose cost is not known; a stress test of GPUs loads them, wherever its time was seen."""
    stress = is_stress_test(group[0].name)
    what = "a stress test, was" if stress else "was"
    return finding(
        "gpu-busy" if stress else _cause(group[0], params.least_mbs),
        f"{_who(group)}{', ' if stress else ' '}{what} at work while the nodes were watched{cost}",
        severity=severity,
        confidence=confidence,
        evidence=_busiest_samples(group),
        suspects=_suspects(group),
        explains=_EXPLAINS,
        remedy=[(f"Measure once more without {group[0].name}.", "")],
    )


def _who(group: Sequence[Busy]) -> str:
    lead = max(group, key=lambda busy: busy.percent)
    taken = [
        "on a GPU" if lead.on_gpu else "",
        f"{lead.percent:.0f} % of a core" if lead.percent else "",
        f"{lead.disk_mbs:.0f} MB/s to disks and from them" if lead.disk_mbs else "",
        f"{lead.network_mbs:.0f} MB/s over TCP" if lead.network_mbs else "",
    ]
    return f"{fold(dict.fromkeys(busy.node for busy in group))}: {lead.name} ({', '.join(filter(None, taken))})"


def _suspects(group: Sequence[Busy]) -> tuple[Suspect, ...]:
    return (*suspects("process", [group[0].name]), *suspects("node", (busy.node for busy in group)))


def _busiest_samples(group: Sequence[Busy]) -> list[Evidence]:
    """The busiest sample of each of the first three nodes, of each thing that was taken there."""
    busiest = {
        (busy.node, reading.attribute): reading
        for busy in group[:3]
        for reading in sorted(busy.readings, key=lambda reading: float(reading.value))
    }.values()
    return [line_evidence(reading.ref, observed="a process that is not of this run") for reading in busiest]
