"""A node has next to no memory left, or moves it to a disk and back.

free, top or /proc/meminfo show how much is available (what programs could still get, file caches included: the column
``free`` alone says nothing). vmstat shows pages going to swap and coming back, the kernel's pressure file how much of
the time everything waited for memory, and top shows kswapd at work: the kernel searches for pages all the time.

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
from slowlink.facts.readings import by_node, latest, value_of
from slowlink.model.facts import Of, Readings, State
from slowlink.model.report import Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("host-memory-exhausted",)


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
    state: State | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding each for little memory, for swapping, and for time lost."""
    if available is not None and state is not None:
        yield from _little(list(latest(available.all).values()), state, params)
    moving = _moving(swapping, params)
    if moving:
        rate = median(float(reading.value) for reading in moving) / 1024
        yield _finding(moving, f"memory goes to swap and comes back at {rate:.0f} MiB/s", "error")
    waits = [r for r in latest(pressure.all).values() if float(r.value) >= params.least_pressure] if pressure else []
    if waits:
        share = max(float(reading.value) for reading in waits)
        yield _finding(waits, f"in {share:.0f} % of the last minute everything waited for memory", "error")
    searching = [r for r in processes.all if r.part.name.startswith("kswapd")] if processes is not None else []
    if searching and not moving:
        yield _finding(searching, "the kernel searches for free memory all the time (kswapd)", "warning")


def _little(now: Sequence[Reading], state: State, params: Params) -> Iterator[Finding]:
    shares = {}
    for reading in now:
        total = value_of(state, "memory-total", reading.host or "", reading.part)
        if total is not None and float(total.value) > 0:
            shares[reading] = 100 * float(reading.value) / float(total.value)
    low = sorted((r for r, share in shares.items() if share < params.warning_percent), key=lambda r: shares[r])
    if low:
        least = shares[low[0]]
        yield _finding(low, f"only {least:.1f} % of the memory is available", _grave(least < params.error_percent))


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


def _finding(bad: Sequence[Reading], words: str, severity: Severity) -> Finding:
    return finding(
        "host-memory-exhausted",
        f"{on_nodes(bad)}{words}",
        severity=severity,
        confidence="likely",
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        explains=("straggler-node", "bandwidth-unstable", "node-stalls", "rank-lost", "data-loading-slow"),
        remedy=[
            (
                "See who holds the memory, and what lies in memory file systems.",
                "ps aux --sort=-rss | head; df -h -t tmpfs",
            ),
            ("See whether the kernel has ended processes for it.", "dmesg -T | grep -iE 'out of memory|oom-kill'"),
        ],
    )
