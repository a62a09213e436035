"""The steps of a training wait for their data.

Many loops print the parts of a step beside its length: how long it waited for the next batch, how long it computed.
Where half of a step or more is such a wait, storage, network or processors that feed the GPUs set the pace of the job.

Why it matters: GPUs and links idle meanwhile. To collectives it looks like a straggler, and it is none of theirs.
How to confirm: run the same loop on made-up batches; watch ``dataloader`` workers and the rate at which data comes in.
What to do: more workers and deeper prefetch, cores for them, data on local disks, larger shards.
When it is wrong: where the loop prints as data what is something else, as waiting for an earlier step of the GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened, hosts_of

CAUSES = ("data-loading-slow",)


class Params(Struct, frozen=True):
    """When waiting for data is slow."""

    fewest: int = 6
    """Steps; the first ones fill queues."""
    most: float = 0.5
    """Share of a step; from there on data set the pace."""
    much: float = 0.25
    """Share that costs something, and less than half."""


def check(events: Events, params: Params) -> Iterator[Finding]:
    """One finding for each output whose steps wait long."""
    for event in happened(events, "data-wait"):
        if isinstance(event, JobEvent) and int(event.groups["steps"]) >= params.fewest:
            share = float(event.groups["share"])
            if share >= params.much:
                yield _finding(event, share, grave=share >= params.most)


def _finding(event: JobEvent, share: float, *, grave: bool) -> Finding:
    steps = int(event.groups["steps"])
    waited, whole = float(event.groups["waited"]) / steps, float(event.groups["whole"]) / steps
    return finding(
        "data-loading-slow",
        f"the steps of the training wait {share:.0%} of their time for data: {waited:.3g} of {whole:.3g} s on average "
        f"over {steps} steps",
        severity="error" if grave else "warning",
        confidence="likely",
        evidence=[
            line_evidence(event.ref, observed=f"{share:.0%} of a step, in the middle", expected="a few per cent")
        ],
        suspects=suspects("node", hosts_of([event])),
        explains=("pace-drops", "straggler-node"),
        remedy=[
            Step("Give the loop made-up batches: if it is fast then, it is the data."),
            Step("Watch the disks and the interfaces of a node while it trains.", "sar -d -n DEV 5 3"),
            Step("More workers that load ahead, on cores of their own; data on local disks."),
        ],
    )
