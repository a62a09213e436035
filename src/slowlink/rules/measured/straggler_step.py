"""One rank, or all ranks of one node, take longer for their own part of each step than all others.

Where a loop prints on every rank how long the parts of a step took (compute, forward, backward, loading data), the
ranks are compared with the middle one. A rank is a straggler when three quarters of its steps take 15 % longer, and few
others do. Where all ranks of one node do, and none of another, it is the node; so it is where the loop prints the parts
for each node alone. The parts in which ranks wait
(collectives, barriers) are not compared: there the late rank is quick.

Why it matters: every collective waits for the last rank, so the whole job has the pace of this one.
How to confirm: compare clocks, power, temperature and PCIe links of its GPU with its neighbours; start the job without
this node. A slow GPU or node stays slow with other data and another order of ranks.
What to do: drain the node, if it is the same one in the next run.
When it is wrong: ranks may have different work by nature: stages of a pipeline (the first and the last have more; a
node may be a stage), experts, longer sequences, rank 0 that also writes logs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened

CAUSES = ("straggler-gpu", "straggler-node")


_OF_NODE = Step(
    "Compare clocks, power and temperature of its GPUs with another node's, while the job runs.",
    "nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu,clocks_event_reasons.active --format=csv",
)
_OF_PROCESSORS = Step(
    "Compare its processors: their clocks, and who else runs there.", "cpupower monitor; top -bn1 | head"
)
_OTHER_ORDER = Step("Run with another order of ranks: a slow GPU or node stays slow, a rank with more work moves.")


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
    fewest_nodes: int = 3
    """With fewer nothing shows which node differs."""


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
    """One finding for a node, else one for each rank, in the part that costs it most."""
    if slow := _slow_node(events, params):
        yield _own_node(slow)
    parts: dict[str, dict[int, JobEvent]] = defaultdict(dict)
    for event in happened(events, "rank-step-part"):
        if event.rank is not None:
            parts[event.groups["part"]].setdefault(event.rank, event)
    nodes = [found for ranks in parts.values() if (found := _late_node(ranks, params))]
    if nodes:
        yield _node_finding(max(nodes, key=lambda late: late[0].took - late[0].middle))
        return
    worst: dict[int, _Late] = {}
    for ranks in parts.values():
        for late in _late(ranks, params):
            rank = late.event.rank or 0
            before = worst.get(rank)
            if before is None or before.took - before.middle < late.took - late.middle:
                worst[rank] = late
    yield from map(_finding, worst.values())


def _slow_node(events: Events, params: Params) -> _Late | None:
    """The one node that takes longer than all others for its own part of each step, where whole nodes are timed."""
    parts: dict[str, dict[str, JobEvent]] = defaultdict(dict)
    for event in happened(events, "node-step-part"):
        if event.host is not None:
            parts[event.groups["part"]].setdefault(event.host, event)
    late: list[_Late] = []
    for nodes in parts.values():
        middle = median(float(event.groups["middle"]) for event in nodes.values())
        out = [event for event in nodes.values() if float(event.groups["low"]) > params.slower * middle]
        if len(nodes) >= params.fewest_nodes and middle >= params.least_seconds and len(out) == 1:
            late.append(_Late(out[0], middle, len(nodes)))
    hosts = {each.event.host for each in late}
    return max(late, key=lambda each: each.took - each.middle) if len(hosts) == 1 else None


def _outside(ranks: dict[int, JobEvent], params: Params) -> list[_Late]:
    """Ranks that stand out in one part, however many they are."""
    middle = median(float(event.groups["middle"]) for event in ranks.values())
    timed = all("unit" not in event.groups for event in ranks.values())
    if len(ranks) < params.fewest_ranks or (timed and middle < params.least_seconds):
        return []
    return [
        _Late(event, middle, len(ranks))
        for event in ranks.values()
        if float(event.groups["low"]) > params.slower * middle
    ]


def _late(ranks: dict[int, JobEvent], params: Params) -> list[_Late]:
    """Ranks that stand out in one part; none where they are many (stages of a pipeline)."""
    out = _outside(ranks, params)
    return out if len(out) <= max(1, len(ranks) // params.one_in) else []


def _late_node(ranks: dict[int, JobEvent], params: Params) -> list[_Late]:
    """All ranks of the one node whose ranks stand out, two at least; none where any other rank does."""
    out = _outside(ranks, params)
    nodes = {event.host for event in ranks.values()}
    late = {each.event.host for each in out}
    if None in nodes or len(nodes) < params.fewest_nodes or len(late) != 1 or len(out) < 2:
        return []
    return out if len(out) == sum(event.host in late for event in ranks.values()) else []


def _time(value: float, event: JobEvent) -> str:
    """``1.61 s``, or the bare number where nothing names its unit."""
    return f"{value:.3g}" if "unit" in event.groups else f"{value:.3g} s"


def _finding(late: _Late) -> Finding:
    event = late.event
    where = f" on {event.host}" if event.host else ""
    return finding(
        "straggler-gpu",
        f"rank {event.rank}{where} takes {_compared(late)}",
        severity="error",
        confidence="possible",
        evidence=[_evidence(late)],
        suspects=(*suspects("rank", [str(event.rank)]), *suspects("node", [event.host] if event.host else [])),
        explains=("pace-drops", "rank-stuck"),
        remedy=[
            Step(
                "Compare its GPU with its neighbours on that node.",
                "nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu --format=csv",
            ),
            _OTHER_ORDER,
        ],
    )


def _node_finding(late: Sequence[_Late]) -> Finding:
    worst = max(late, key=lambda each: each.took)
    host = worst.event.host or ""
    return finding(
        "straggler-node",
        f"all {len(late)} ranks on {host} are late: rank {worst.event.rank} takes {_compared(worst)}",
        severity="error",
        confidence="possible",
        evidence=[_evidence(worst)],
        suspects=(*suspects("node", [host]), *suspects("rank", sorted(str(each.event.rank) for each in late)[:64])),
        explains=("pace-drops", "rank-stuck", "straggler-gpu"),
        remedy=[_OF_NODE, _OF_PROCESSORS, _OTHER_ORDER],
    )


def _own_node(late: _Late) -> Finding:
    host = late.event.host or ""
    return finding(
        "straggler-node",
        f"{host} takes {_compared(late, 'nodes')}",
        severity="error",
        confidence="possible",
        evidence=[_evidence(late)],
        suspects=suspects("node", [host]),
        explains=("pace-drops", "rank-stuck", "straggler-gpu"),
        remedy=[_OF_NODE, _OF_PROCESSORS, _OTHER_ORDER],
    )


def _compared(late: _Late, among: str = "ranks") -> str:
    event = late.event
    times = f"{late.took / late.middle:.2g} times as long as the middle of {late.ranks} {among}"
    return (
        f"{_time(late.took, event)} for '{event.groups['part']}' of a step, {times} ({_time(late.middle, event)}), "
        f"over {_count(event)}"
    )


def _count(event: JobEvent) -> str:
    steps, averages = event.groups["steps"], event.groups.get("averages")
    return f"{averages} averages of {steps} steps at least" if averages else f"{steps} steps"


def _evidence(late: _Late) -> Evidence:
    observed, expected = _time(late.took, late.event), _time(late.middle, late.event)
    return line_evidence(late.event.ref, observed=f"{observed} in the middle", expected=expected)
