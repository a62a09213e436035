"""A training writes checkpoints for a good part of its time.

Logs say how long each checkpoint took, or when its writing began and ended. Beside them stand the steps, whose own
times tell how long the training worked. Where a fifth of both together or more is writing, it is told; a single
checkpoint may be the last one, and says nothing.

Why it matters: all GPUs wait meanwhile. The pace of the steps looks steady, and the job is late all the same.
How to confirm: watch the file system while it writes: ``iostat -x 5``, or the tools of the parallel file system.
What to do: write them less often, from all ranks at once (sharded), or in the background; to local disks first.
When it is wrong: where the log prints few of its steps and no number of them, it worked longer than it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.facts import Events, Paces
from slowlink.model.job import JobEvent, TrainingPace
from slowlink.model.report import Finding
from slowlink.parting import by_key
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened, hosts_of

CAUSES = ("checkpoints-slow",)


class Params(Struct, frozen=True):
    """When writing takes much of the time."""

    share: float = 0.2
    """Of steps and checkpoints together."""
    fewest: int = 2
    """Checkpoints."""


def check(events: Events, paces: Paces, params: Params) -> Iterator[Finding]:
    """One finding for each source whose checkpoints take long."""
    of_source: dict[str, JobEvent] = {}
    for event in happened(events, "checkpoint-time"):  # each rank may tell of its own, at the same time
        slowest = of_source.setdefault(event.ref.source, event)
        if float(event.groups["seconds"]) > float(slowest.groups["seconds"]):
            of_source[event.ref.source] = event
    paced = by_key(paces.all, lambda pace: pace.ref.source)
    for event in of_source.values():
        worked = _worked(paced.get(event.ref.source, ()))
        written = float(event.groups["seconds"])
        if worked and int(event.groups["count"]) >= params.fewest and written >= params.share * (written + worked):
            yield _finding(event, written, worked)


def _worked(paces: Sequence[TrainingPace]) -> float:
    """Seconds of steps; single long ones may hold a checkpoint, so the middle one stands for all."""
    timed = [pace for pace in paces if pace.work == "training" and not pace.unit and pace.seconds]
    return max((median(pace.seconds) * max(pace.count, pace.spanned + 1) for pace in timed), default=0.0)


def _finding(event: JobEvent, written: float, worked: float) -> Finding:
    count = int(event.groups["count"])
    return finding(
        "checkpoints-slow",
        f"the training writes checkpoints for {written / (written + worked):.0%} of its time: {count} of them take "
        f"{written:.3g} s beside {worked:.3g} s of steps",
        severity="error",
        confidence="likely",
        evidence=[line_evidence(event.ref, observed=f"{float(event.groups['longest']):.3g} s for one checkpoint")],
        suspects=suspects("node", hosts_of([event])),
        remedy=[
            Step("Write in the background, from all ranks, or less often; to local disks first."),
            Step("Watch the disks and the interfaces of a node while it writes.", "sar -d -n DEV 5 3"),
        ],
    )
