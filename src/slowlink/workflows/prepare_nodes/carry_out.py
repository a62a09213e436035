"""Applies a plan and takes it back. The record on disk is always ahead of the nodes: it may say ``unknown`` of what was
not touched, and never ``planned`` of what was."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.ask import Answer, ask
from slowlink.model.prepared import Change, Item, Prepared, PreparedNode
from slowlink.quoting import quote
from slowlink.workflows.prepare_nodes import planner
from slowlink.workflows.prepare_nodes.answers import Told, read_changes
from slowlink.workflows.prepare_nodes.observe import Reach, Seen, deadline, observe, trouble_of
from slowlink.workflows.prepare_nodes.record import write
from slowlink.workflows.prepare_nodes.script import change_script

_AT_ONCE = 64
"""As many as the fan-out asks at once: who waits in its queue would come too late."""
_MOST_SETTLE_S = 120
_WRITE_SHARE = 5
"""A record of thousands of nodes is not written for every answer if that took more than a fifth of the time."""

After = Callable[[Sequence[Item], Sequence[Item], Told, str], tuple[Item, ...]]
"""(items as begun, items before that, what the node told, trouble) -> items."""


class Keeper:
    """The record while it changes."""

    def __init__(self, record: Prepared, path: Path) -> None:
        self.record, self.path = record, path
        self._nodes = list(record.nodes)
        self._written_at, self._cost_s = 0.0, 0.0
        self.save()

    @property
    def nodes(self) -> Sequence[PreparedNode]:
        return self._nodes

    def put(self, place: int, node: PreparedNode) -> None:
        self._nodes[place] = node

    def save(self, *, soon: bool = False) -> None:
        """Writes the record; ``soon``: only if that costs little beside the work."""
        began = time.monotonic()
        if soon and began - self._written_at < (_WRITE_SHARE - 1) * self._cost_s:
            return
        self.record = replace(self.record, nodes=tuple(self._nodes))
        try:
            write(self.record, self.path)
        except SlowlinkError as error:
            if not self._written_at:
                raise
            record = quote([str(self.path)])
            raise SlowlinkError(
                error.message,
                hint=f"what was begun is 'unknown' in it; make room, then slowlink prepare --rollback {record}",
                slug="record-lost",
            ) from error
        self._written_at = time.monotonic()
        self._cost_s = self._written_at - began


def apply(keeper: Keeper, seen: Sequence[Seen], reach: Reach) -> None:
    """Sets what is planned. ``seen``: each node of the record as it was just observed.

    Raises KeyboardInterrupt (the record says what is known) and SlowlinkError when the record cannot be written.
    """
    jobs = [_Job(place, node, planner.changes_of(node.items)) for place, node in enumerate(keeper.nodes)]
    clocks = {place: (each.observed.uptime_s, each.asked_at) for place, each in enumerate(seen)}

    def begin(job: _Job) -> PreparedNode:
        until = deadline(*clocks[job.place], reach)
        return replace(job.node, items=planner.begun(job.node.items), until_s=until)

    _carry_out(keeper, jobs, begin, lambda items, _, told, trouble: planner.after_apply(items, told, trouble), reach)


def roll_back(keeper: Keeper, reach: Reach) -> dict[str, str]:
    """Restores what was begun. Returns node -> trouble for the nodes that could not be asked."""
    places = [place for place, node in enumerate(keeper.nodes) if planner.undone(node.items)]
    if not places:
        return {}
    seen = dict(zip(places, observe([keeper.nodes[place].node for place in places], (), reach), strict=True))
    jobs, lost = [], {}
    for place, each in seen.items():
        node = keeper.nodes[place]
        if each.observed.trouble:
            lost[node.node.name] = each.observed.trouble
            continue
        # Kernel settings of another boot are gone; what is on disk is compared as ever.
        settle = _settle(node, each)
        jobs.append(_Job(place, replace(node, boot=each.observed.boot), planner.undone(node.items), settle))

    def begin(job: _Job) -> PreparedNode:
        until = deadline(seen[job.place].observed.uptime_s, seen[job.place].asked_at, reach)
        until = max(until, (job.settle or 0) + reach.start_s)
        return replace(job.node, items=planner.unsettled(job.node.items), until_s=until)

    _carry_out(keeper, jobs, begin, planner.after_rollback, reach)
    return lost


def _settle(node: PreparedNode, seen: Seen) -> int | None:
    """Until when an apply or a rollback that was lost sight of may still begin there."""
    if node.until_s is None or node.boot != seen.observed.boot or all(item.state != "unknown" for item in node.items):
        return None
    return min(node.until_s, seen.observed.uptime_s + _MOST_SETTLE_S)


class _Job:
    """What one node is to do."""

    def __init__(self, place: int, node: PreparedNode, changes: tuple[Change, ...], settle: int | None = None) -> None:
        self.place, self.node, self.changes, self.settle = place, node, changes, settle


def _carry_out(
    keeper: Keeper, jobs: Sequence[_Job], begin: Callable[[_Job], PreparedNode], after: After, reach: Reach
) -> None:
    for batch in _batches(jobs):
        started = {job.place: begin(job) for job in batch}
        for place, node in started.items():
            keeper.put(place, node)
        keeper.save()
        places = {job.node.node.name: job for job in batch}

        def heard(answer: Answer, places: dict[str, _Job] = places) -> None:
            job = places[answer.node]
            node = keeper.nodes[job.place]
            told = read_changes(answer.stdout)
            items = after(node.items, job.node.items, told, trouble_of(answer))
            keeper.put(job.place, replace(node, items=items))
            keeper.save(soon=True)

        script = change_script(
            batch[0].changes,
            _latest((node.boot, node.until_s) for node in started.values()),
            reach.root,
            sudo=reach.sudo,
            settle=_latest((job.node.boot, job.settle) for job in batch),
        )
        try:
            settling = _MOST_SETTLE_S if any(job.settle for job in batch) else 0
            ask(
                [job.node.node for job in batch],
                script,
                reach.way,
                timeout_s=reach.timeout_s + settling,
                on_answer=heard,
            )
        finally:
            keeper.save()


def _latest(times: Iterator[tuple[str, int | None]] | Sequence[tuple[str, int | None]]) -> dict[str, int]:
    """Boot to time; containers of one machine share a boot."""
    found: dict[str, int] = {}
    for boot, time_s in times:
        if time_s is not None:
            found[boot] = max(found.get(boot, 0), time_s)
    return found


def _batches(jobs: Sequence[_Job]) -> Iterator[list[_Job]]:
    """Nodes that are to do the very same, so many at once as are asked at once."""
    alike: dict[tuple[Change, ...], list[_Job]] = {}
    for job in jobs:
        if job.changes:
            alike.setdefault(job.changes, []).append(job)
    for group in alike.values():
        rest = iter(group)
        while batch := list(islice(rest, _AT_ONCE)):
            yield batch
