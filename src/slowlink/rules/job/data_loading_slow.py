"""The steps of a training wait for their data.

Many loops print the parts of a step beside its length: how long it waited for the next batch, how long it computed.
Where half of a step or more is such a wait, storage, network or processors that feed the GPUs set the pace of the job.

Why it matters: GPUs and links idle meanwhile. To collectives it looks like a straggler, and it is none of theirs.
How to confirm: run the same loop on made-up batches; watch ``dataloader`` workers and the rate at which data comes in.
What to do: more workers and deeper prefetch, cores for them, data on local disks, larger shards.
When it is wrong: launches of a GPU's work come back at once, so a host that runs ahead waits for the GPU wherever it
stops, often at the next batch. Such a wait is as even as the GPU's own work; storage and workers are not. An even wait
is told for what it may be, and is no error; only timers that wait for the GPU first (Megatron-LM's) show it as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened, hosts_of

CAUSES = ("data-loading-slow",)
_EXPLAINS = ("pace-drops", "straggler-node")


class Params(Struct, frozen=True):
    """When waiting for data is slow."""

    fewest: int = 6
    """Lines that tell of a step; the first ones fill queues."""
    most: float = 0.5
    """Share of a step; from there on data set the pace."""
    uneven: float = 0.08
    """How far the middle half of the waits lies apart; tuned jobs whose host runs ahead stay below 2 %."""
    much: float = 0.25
    """Share that costs something, and less than half."""


def check(events: Events, params: Params) -> Iterator[Finding]:
    """One finding for each output whose steps wait long."""
    for event in happened(events, "data-wait"):
        if isinstance(event, JobEvent) and int(event.groups["lines"]) >= params.fewest:
            share = float(event.groups["share"])
            if share >= params.much:
                even = float(event.groups["spread"]) < params.uneven and event.groups["by"] != "synchronised timers"
                yield _finding(event, share, "info" if even else "error" if share >= params.most else "warning")


def _finding(event: JobEvent, share: float, severity: Severity) -> Finding:
    lines = int(event.groups["lines"])
    explains = () if severity == "info" else _EXPLAINS
    waited, whole = float(event.groups["waited"]) / lines, float(event.groups["whole"]) / lines
    return finding(
        "data-loading-slow",
        f"the steps of the training wait {share:.0%} of their time for data: {waited:.3g} of {whole:.3g} s on average "
        f"over {_counted(lines, int(event.groups['spanned']))}"
        + ("; so evenly that the host may wait for its GPU there" if severity == "info" else ""),
        severity=severity,
        confidence="possible" if severity == "info" else "likely",
        evidence=[
            line_evidence(event.ref, observed=f"{share:.0%} of a step, in the middle", expected="a few per cent")
        ],
        suspects=suspects("node", hosts_of([event])),
        explains=explains,
        remedy=[
            Step("Give the loop made-up batches: if it is fast then, it is the data."),
            Step("Watch the disks and the interfaces of a node while it trains.", "sar -d -n DEV 5 3"),
            Step("More workers that load ahead, on cores of their own; data on local disks."),
        ],
    )


def _counted(lines: int, spanned: int) -> str:
    """A line is a step only where the loop's own counter says so."""
    if spanned >= 2 * lines:
        return f"{lines} reports from {spanned:,} steps"
    return f"{lines} {'steps' if spanned else 'reports'}"
