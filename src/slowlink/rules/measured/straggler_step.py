"""One rank takes longer for its own part of each step than all others.

Where a loop prints on every rank how long the parts of a step took (compute, forward, backward, loading data), the
ranks are compared with the middle one. A rank is a straggler when three quarters of its steps take 15 % longer, and few
others do. The parts in which ranks wait (collectives, barriers) are not compared: there the late rank is quick.

Why it matters: every collective waits for the last rank, so the whole job has the pace of this one.
How to confirm: compare clocks, power, temperature and PCIe links of its GPU with its neighbours; start the job without
this node. A slow GPU or node stays slow with other data and another order of ranks.
What to do: drain the node, if it is the same one in the next run.
When it is wrong: ranks may have different work by nature: stages of a pipeline (the first and the last have more),
experts, longer sequences, rank 0 that also writes logs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened

CAUSES = ("straggler-gpu",)


class Params(Struct, frozen=True):
    """When a rank is a straggler."""

    fewest_ranks: int = 4
    """With fewer nothing shows which one differs."""
    slower: float = 1.15
    """Its quickest quarter of steps over the middle of all ranks."""
    one_in: int = 8
    """Of so many ranks one may stand out; where more do, they have more work."""
    least_seconds: float = 0.001
    """A shorter part is not worth a finding."""


class _Late(Struct, frozen=True):
    """A rank that stands out in one part."""

    event: JobEvent
    middle: float
    """Of all ranks."""
    ranks: int

    @property
    def took(self) -> float:
        return float(self.event.groups["middle"])


def check(events: Events, params: Params) -> Iterator[Finding]:
    """One finding for each rank, in the part that costs it most."""
    parts: dict[str, dict[int, JobEvent]] = defaultdict(dict)
    for event in happened(events, "rank-step-part"):
        if event.rank is not None:
            parts[event.groups["part"]].setdefault(event.rank, event)
    worst: dict[int, _Late] = {}
    for ranks in parts.values():
        for late in _late(ranks, params):
            rank = late.event.rank or 0
            before = worst.get(rank)
            if before is None or before.took - before.middle < late.took - late.middle:
                worst[rank] = late
    yield from map(_finding, worst.values())


def _late(ranks: dict[int, JobEvent], params: Params) -> list[_Late]:
    """Ranks that stand out in one part; none where they are many (stages of a pipeline)."""
    middle = median(float(event.groups["middle"]) for event in ranks.values())
    if len(ranks) < params.fewest_ranks or middle < params.least_seconds:
        return []
    out = [event for event in ranks.values() if float(event.groups["low"]) > params.slower * middle]
    return (
        [_Late(event, middle, len(ranks)) for event in out] if len(out) <= max(1, len(ranks) // params.one_in) else []
    )


def _finding(late: _Late) -> Finding:
    event = late.event
    where = f" on {event.host}" if event.host else ""
    return finding(
        "straggler-gpu",
        f"rank {event.rank}{where} takes {late.took:.3g} s for '{event.groups['part']}' of a step, "
        f"{late.took / late.middle:.2g} times as long as the middle of {late.ranks} ranks ({late.middle:.3g} s), over "
        f"{event.groups['steps']} steps",
        severity="error",
        confidence="possible",
        evidence=[
            line_evidence(event.ref, observed=f"{late.took:.3g} s in the middle", expected=f"{late.middle:.3g} s")
        ],
        suspects=(*suspects("rank", [str(event.rank)]), *suspects("node", [event.host] if event.host else [])),
        explains=("pace-drops", "rank-stuck"),
        remedy=[
            Step(
                "Compare its GPU with its neighbours on that node.",
                "nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu --format=csv",
            ),
            Step("Run with another order of ranks: a slow GPU stays slow, a rank with more work moves."),
        ],
    )
