"""One rank waits far less in collectives than all others: they wait for it.

A collective begins when the last rank has come. Who comes early waits inside it, the last one hardly at all. So where
all ranks but one wait long, and this one waits less than half as long, it is the one that the others wait for; or all
ranks of one node are.

Why it matters: every step has the pace of the last rank.
How to confirm: compare clocks, power, temperature and PCIe links of its GPU with its neighbours; start the job without
this node. A slow GPU stays slow with another order of ranks.
What to do: drain the node, if it is the same one in the next run.
When it is wrong: ranks may have different work by nature (stages of a pipeline, experts, rank 0 that also writes), and
a time that holds more than one kind of waiting says less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened, listed

CAUSES = ("straggler-gpu", "straggler-node")


class Params(Struct, frozen=True):
    """When a rank is the one that the others wait for."""

    fewest_ranks: int = 4
    """With fewer nothing shows which one differs."""
    least_share: float = 0.5
    """What it waits, over the middle of all ranks, is below this."""
    steady_share: float = 0.7
    """What each other rank waits, over the middle, is above this: else waits are of many kinds."""
    one_in: int = 8
    """Of so many ranks one may stand out, or all of one node."""
    least_seconds: float = 0.001
    least_percent: float = 5.0
    """A shorter wait in the middle is no waiting."""


def check(events: Events, params: Params) -> Iterator[Finding | Proof]:
    """One finding for the ranks that wait least."""
    by_unit: dict[str, list[JobEvent]] = {}
    for event in happened(events, "rank-wait"):
        by_unit.setdefault(event.groups["unit"], []).append(event)
    for unit, waits in by_unit.items():
        yield from _judge(unit, waits, params)


def _judge(unit: str, waits: Sequence[JobEvent], params: Params) -> Iterator[Finding | Proof]:
    middle = median(map(_waits, waits))
    least = {"s": params.least_seconds, "%": params.least_percent}.get(unit, 0.0)
    if len({event.rank for event in waits}) < params.fewest_ranks or middle <= least:
        return
    few = [event for event in waits if _waits(event) < params.least_share * middle]
    others = [event for event in waits if _waits(event) >= params.least_share * middle]
    middle = median(map(_waits, others))
    if not few and all(_waits(event) >= params.steady_share * middle for event in waits):
        yield Proof(f"{len(waits)} ranks wait alike in collectives ({_said(middle, unit)} in the middle)", weight=0)
    if not few or any(_waits(event) < params.steady_share * middle for event in others):
        return
    host = _node_of(few, others)
    if host or len(few) <= max(1, len(waits) // params.one_in):
        yield _finding(few, middle, len(others), unit, host)


def _node_of(few: Sequence[JobEvent], others: Sequence[JobEvent]) -> str:
    """The node whose ranks, two or more, are those that wait least; "" where they are of several, or nobody says."""
    hosts = {event.host or "" for event in few}
    return hosts.pop() if len(few) > 1 and len(hosts) == 1 and hosts.isdisjoint(e.host or "" for e in others) else ""


def _waits(event: JobEvent) -> float:
    return float(event.groups["waits"])


def _said(value: float, unit: str) -> str:
    return f"{value:.3g}{'' if unit == '%' else ' ' if unit else ''}{unit}"


def _finding(few: Sequence[JobEvent], middle: float, ranks: int, unit: str, host: str) -> Finding:
    numbers = [str(event.rank) for event in few]
    first = few[0]
    where = f" on {first.host}" if first.host else ""
    who = f"all {len(few)} ranks on {host}" if host else f"rank {listed(numbers)}{where}"
    hosts = list(dict.fromkeys(event.host for event in few if event.host))
    return finding(
        "straggler-node" if host else "straggler-gpu",
        f"{who} {'wait' if host or len(few) > 1 else 'waits'} {_said(_waits(first), unit)}, the middle of the other "
        f"{ranks} {_said(middle, unit)}: the others wait for {'it' if len(few) == 1 else 'them'}",
        severity="error",
        confidence="possible",
        evidence=[line_evidence(event.ref, expected=_said(middle, unit)) for event in few[:4]],
        suspects=(*suspects("rank", numbers[:64]), *suspects("node", hosts)),
        explains=("pace-drops", "rank-stuck"),
        remedy=[
            (
                "Compare its GPU with its neighbours on that node.",
                "nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu --format=csv",
            ),
            ("Run with another order of ranks: a slow GPU or node stays slow, a rank with more work moves.", ""),
        ],
    )
