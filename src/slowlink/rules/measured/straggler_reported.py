"""A straggler detector names the same rank as the slowest, report after report.

Megatron-LM's detector prints the least and the most that any rank needed for its own operations, with the ranks. Ranks
that do the same work change places from report to report; one that is the slowest in three reports on end, and needs
15 % longer than the quickest, is a straggler. Its clock stands in the same line: where it is the lowest of all and a
tenth below the highest, the clock is the reason.

Why it matters: every collective waits for the last rank, so the whole job has the pace of this one.
How to confirm: ``nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE`` on the node of that rank while the job runs.
What to do: where the clock is low, see to heat and power of that GPU; else compare its PCIe links and its node's
processors with a neighbour's. Drain the node, if the next run names it again.
When it is wrong: ranks may have different work by nature: stages of a pipeline (the first and the last have more),
experts, longer sequences. Then the quickest is not the yardstick.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened

CAUSES = ("straggler-gpu", "gpu-clocks-throttled")


class Params(Struct, frozen=True):
    """When a rank is a straggler."""

    fewest: int = 3
    """Reports on end in which it was the slowest."""
    slower: float = 1.15
    """Its time over that of the quickest rank."""
    low_clock: float = 0.9
    """Its clock over the highest; a lower one is a reason."""


def check(events: Events, params: Params) -> Iterator[Finding]:
    """One finding for the rank that is the slowest in most reports."""
    for event in happened(events, "slowest-rank"):
        slower = float(event.groups["most"]) / max(float(event.groups["least"]), 1e-9)
        if int(event.groups["reports"]) >= params.fewest and slower >= params.slower:
            yield _finding(event, slower, params)


def _finding(event: JobEvent, slower: float, params: Params) -> Finding:
    groups = event.groups
    clock, best = groups.get("clock"), groups.get("clock_best")
    throttled = clock is not None and best is not None and float(clock) < params.low_clock * float(best)
    hot = f" at {float(groups['temperature']):g} C" if "temperature" in groups else ""
    reason = f"; its clock is {float(clock or 0):g} of {float(best or 0):g} MHz{hot}" if throttled else ""
    return finding(
        "gpu-clocks-throttled" if throttled else "straggler-gpu",
        f"rank {event.rank} is the slowest in {groups['reports']} reports on end of {groups['of']}: "
        f"{float(groups['most']):.0f} ms for its own operations, {slower:.2g} times the quickest{reason}",
        severity="error",
        confidence="likely",
        evidence=[line_evidence(event.ref, observed=f"{float(groups['most']):.0f} ms on rank {event.rank}")],
        suspects=suspects("rank", [str(event.rank)]),
        explains=("straggler-gpu", "pace-drops") if throttled else ("pace-drops",),
        remedy=[
            Step(
                "Compare its GPU with its neighbours on that node, while the job runs.",
                "nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu --format=csv",
            ),
        ],
    )
