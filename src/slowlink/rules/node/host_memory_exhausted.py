"""A node has next to no memory left, or moves it to a disk and back.

free, top or /proc/meminfo show how much is available (what programs could still get, file caches included: the column
``free`` alone says nothing). vmstat shows pages going to swap and coming back, the kernel's pressure file how much of
the time everything waited for memory, and top shows kswapd at work: the kernel searches for pages all the time. Who of
others keeps much of it is known where the node was watched.

Why it matters: a rank on that node waits for a disk in the middle of its step, and all others wait for it. When nothing
is left, the kernel ends a process, most often a loader of data or the rank itself.
How to confirm: ``free -h; vmstat 1 5; cat /proc/pressure/memory`` while the job runs, and ``dmesg -T | grep -i oom``.
What to do: see who holds the memory; fewer loader workers and less pinned memory; end what another job left; /dev/shm
and other memory file systems count, too.
When it is wrong: swap that was filled long ago and is not touched costs nothing; so it is said only where little memory
is available as well, or where pages move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_node, latest, node_of, value_of, worst
from slowlink.model.facts import Of, Readings, State
from slowlink.model.report import Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("host-memory-exhausted",)

_Sign = tuple[Sequence[Reading], str, Severity]
"""What shows it, in words, and how grave that is."""


class Params(Struct, frozen=True):
    """When memory is exhausted."""

    error_percent: float = 1.5
    """Share of the memory that is available: below it the kernel is about to end processes."""
    warning_percent: float = 4.0
    least_swap_rate: float = 4_000.0
    """KiB/s in both directions together, in most samples."""
    least_pressure: float = 10.0
    """Percent of the last minute in which everything waited for memory."""


def check(
    available: Annotated[Readings, Of("memory-available")] | None,
    swapping: Annotated[Readings, Of("swap-rate")] | None,
    pressure: Annotated[Readings, Of("pressure-memory-full")] | None,
    processes: Annotated[Readings, Of("process-share")] | None,
    holders: Annotated[Readings, Of("process-memory", "process-name")] | None,
    state: State | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding each for little memory, for swapping, and for time lost."""
    for bad, words, severity in _exhausted(available, swapping, pressure, processes, state, params):
        yield _finding(bad, words, severity, holders)


def _exhausted(
    available: Readings | None,
    swapping: Readings | None,
    pressure: Readings | None,
    processes: Readings | None,
    state: State | None,
    params: Params,
) -> Iterator[_Sign]:
    if available is not None and state is not None:
        yield from _little(list(latest(available.all).values()), state, params)
    moving = _moving(swapping, params)
    if moving:
        rate = median(float(reading.value) for reading in moving) / 1024
        yield moving, f"memory goes to swap and comes back at {rate:.0f} MiB/s", "error"
    waits = [r for r in worst(pressure.all) if float(r.value) >= params.least_pressure] if pressure is not None else []
    if waits:
        share = max(float(reading.value) for reading in waits)
        yield waits, f"for {share:.0f} % of a minute everything waited for memory", "error"
    searching = [r for r in processes.all if r.part.name.startswith("kswapd")] if processes is not None else []
    if searching and not moving:
        yield searching, "the kernel searches for free memory all the time (kswapd)", "warning"


def _little(now: Sequence[Reading], state: State, params: Params) -> Iterator[_Sign]:
    shares = {}
    for reading in now:
        total = value_of(state, "memory-total", reading.host or "", reading.part)
        if total is not None and float(total.value) > 0:
            shares[reading] = 100 * float(reading.value) / float(total.value)
    low = sorted((r for r, share in shares.items() if share < params.warning_percent), key=lambda r: shares[r])
    if low:
        least = shares[low[0]]
        yield low, f"only {least:.1f} % of the memory is available", _grave(least < params.error_percent)


def _grave(grave: bool) -> Severity:
    return "error" if grave else "warning"


def _moving(swapping: Readings | None, params: Params) -> list[Reading]:
    """The last sample of each node most of whose samples, but the first, are high."""
    found = []
    for samples in by_node(swapping.all if swapping is not None else ()).values():
        now = samples[1:]
        if now and median(float(sample.value) for sample in now) >= params.least_swap_rate:
            found.append(now[-1])
    return found


def _finding(bad: Sequence[Reading], words: str, severity: Severity, holders: Readings | None) -> Finding:
    """Whoever of others keeps the most memory of each of these nodes is named with it."""
    nodes, known = {node_of(reading) for reading in bad}, holders.all if holders is not None else ()
    names = {(node_of(r), r.part): str(r.value) for r in known if r.attribute == "process-name"}
    kept = worst(r for r in known if r.attribute == "process-memory" and node_of(r) in nodes)
    who = [names.get((node_of(r), r.part), f"process {r.part.name}") for r in kept]
    keeps = [f"{name} keeps {float(r.value):.0f} % of it" for name, r in zip(who, kept, strict=True)]
    return finding(
        "host-memory-exhausted",
        f"{on_nodes(bad)}{words}{'; ' if keeps else ''}{listed(keeps)}",
        severity=severity,
        confidence="likely",
        evidence=(*reading_evidence(bad), *reading_evidence(kept)),
        suspects=(*node_suspects(bad), *suspects("process", who)),
        explains=("straggler-node", "bandwidth-unstable", "node-stalls", "rank-lost", "data-loading-slow"),
        remedy=[
            (
                "See who holds the memory, and what lies in memory file systems.",
                "ps aux --sort=-rss | head; df -h -t tmpfs",
            ),
            ("See whether the kernel has ended processes for it.", "dmesg -T | grep -iE 'out of memory|oom-kill'"),
        ],
    )
