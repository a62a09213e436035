"""How the clocks of the ranks differ, bounded by barriers.

Nobody leaves a barrier before the last has entered it. So rank 0 left after rank r entered, and rank r left after rank
0 entered: each barrier bounds the offset of r's clock from both sides (the argument of Cristian, 1989, without a
request and a reply). The bounds of many barriers are intersected; the middle is the estimate and half the width is what
it may be off, with certainty. Ranks on one host read one clock, so their bounds are intersected too, and the offset to
ranks of rank 0's host is exactly zero.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter_ns

from msgspec import Struct

from slowlink.probe.backend import Backend

BARRIERS = 16


class Alignment(Struct, frozen=True):
    """For each rank: its clock minus rank 0's, and how far that may be off, in nanoseconds."""

    offset_ns: tuple[int, ...]
    error_ns: tuple[int, ...]


def align(backend: Backend, clocks: Sequence[str]) -> Alignment:
    """Measure now. ``clocks`` names the clock of each rank: the same name is the same clock."""
    enters, exits = array("q", bytes(8 * BARRIERS)), array("q", bytes(8 * BARRIERS))
    for index in range(BARRIERS):
        enters[index] = perf_counter_ns()
        backend.barrier()
        exits[index] = perf_counter_ns()
    stamps = [array("q", received) for received in backend.exchange((enters + exits).tobytes())]
    return alignment_of([(s[:BARRIERS], s[BARRIERS:]) for s in stamps], clocks)


def alignment_of(stamps: Sequence[tuple[Sequence[int], Sequence[int]]], clocks: Sequence[str]) -> Alignment:
    """From (enter, exit) times of the same barriers on every rank."""
    enter0, exit0 = stamps[0]
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    for clock, (enters, exits) in zip(clocks, stamps, strict=True):
        lowest = max(enter - left for enter, left in zip(enters, exit0, strict=True))
        highest = min(left - enter for left, enter in zip(exits, enter0, strict=True))
        low[clock] = max(lowest, low.get(clock, lowest))
        high[clock] = min(highest, high.get(clock, highest))
    low[clocks[0]] = high[clocks[0]] = 0
    return Alignment(
        tuple((low[clock] + high[clock]) // 2 for clock in clocks),
        tuple(abs(high[clock] - low[clock] + 1) // 2 for clock in clocks),
    )


def clock_name(host: str) -> str:
    """Which clock this process reads: the same text for processes of one running kernel and one time namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return f"host {host}"
    try:
        return f"{boot} {Path('/proc/self/ns/time').readlink()}"
    except OSError:
        return boot
