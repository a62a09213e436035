"""Takes nodes out of use and gives them back, one after the other. The record on disk is always ahead of the scheduler:
it may say ``unknown`` of a node that was not touched, and never ``planned`` of one that was."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from slowlink import exits
from slowlink.errors import SlowlinkError
from slowlink.launch.in_use.interface import CHANGED, NO_ANSWER, REFUSED, Scheduler
from slowlink.launch.in_use.kubernetes_nodes import KubernetesNodes
from slowlink.launch.in_use.slurm_nodes import SlurmNodes
from slowlink.launch.surroundings import find_programs
from slowlink.model.acting import Drained, DrainedNode, DrainPlan, DrainState, SchedulerNode
from slowlink.workflows.draining.choice import out_already
from slowlink.workflows.draining.record import RECORDS, new_record, read, write
from slowlink.workflows.kept_records import Turn

_SCHEDULERS: dict[str, tuple[str, Callable[[str], Scheduler]]] = {
    "slurm": ("scontrol", SlurmNodes),
    "kubernetes": ("kubectl", KubernetesNodes),
}
_TRIES = 3
"""A kubelet changes its node every few seconds, too."""
_STANDING = ("drained", "unknown")
RECORD_LOST = "record-lost"
"""Slug: nodes were touched, and the record does not say of all what became of them."""

Fate = Literal["give-back", "in-use", "leave"]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM between two nodes or in one; ``path`` names the record."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


class Finished(Struct, frozen=True):
    """What came of it."""

    record: Drained
    path: Path
    touched: tuple[DrainedNode, ...]
    """Those of the record that this call was about."""


class Foreseen(Struct, frozen=True):
    """What would become of a node of a record."""

    node: str
    fate: Fate
    why: str


def scheduler_of(name: str) -> Scheduler:
    """``slurm`` or ``kubernetes``. Raises SlowlinkError where its program is not here."""
    program, kind = _SCHEDULERS[name]
    found = find_programs().get(program)
    if found is None:
        raise SlowlinkError(
            f"there is no {program} on PATH", hint="nothing was done; run this where it is", slug=f"no-{program}"
        )
    return kind(found)


def all_nodes(scheduler: Scheduler) -> dict[str, SchedulerNode]:
    """Raises SlowlinkError: ``nodes-not-listed``."""
    try:
        return dict(scheduler.nodes())
    except SlowlinkError as error:
        raise SlowlinkError(
            f"cannot list the nodes: {error.message}", hint="nothing was done", slug="nodes-not-listed"
        ) from error


class _Keeper:
    """The record while it changes. To write it costs more than to ask a scheduler, so it is written once for each node:
    before the node is touched, with what became of those before it."""

    def __init__(self, record: Drained, path: Path) -> None:
        self._record, self.path, self._nodes = record, path, list(record.nodes)

    @property
    def record(self) -> Drained:
        return replace(self._record, nodes=tuple(self._nodes))

    def begin(self, place: int, identity: str) -> None:
        self._nodes[place] = replace(self._nodes[place], state="unknown", identity=identity)
        self.write()

    def put(self, place: int, state: DrainState, why: str) -> None:
        self._nodes[place] = replace(self._nodes[place], state=state, why=why)

    def write(self) -> None:
        try:
            write(self.record, self.path)
        except SlowlinkError as error:
            hint = "what was begun is 'unknown' in it; make room, then slowlink act --rollback settles it"
            raise SlowlinkError(error.message, hint=hint, slug=RECORD_LOST) from error


def take_out(plan: DrainPlan, name: str, scheduler: Scheduler, directory: Path) -> Finished:
    """Writes the record, then takes out node after node. Raises Interrupted, and SlowlinkError where the record cannot
    be written."""
    with Turn(RECORDS, directory, make=True):
        record = new_record(name, plan.drains)
        keeper = _Keeper(record, RECORDS.path_of(directory, record.created))
        write(record, keeper.path)
        try:
            for place, each in enumerate(record.nodes):
                keeper.put(place, *_taken_out(keeper, place, each, scheduler))
            keeper.write()
        except KeyboardInterrupt as error:
            keeper.write()
            raise Interrupted(keeper.path) from error
    return Finished(keeper.record, keeper.path, keeper.record.nodes)


def _taken_out(keeper: _Keeper, place: int, each: DrainedNode, scheduler: Scheduler) -> tuple[DrainState, str]:
    def act(node: SchedulerNode) -> tuple[DrainState, str]:
        if node.out:  # since the plan was made
            return "left-alone", out_already(node)
        keeper.begin(place, node.identity)
        scheduler.take_out(node, each.reason)
        return "drained", ""

    return _tried(act, each, scheduler, "failed", "unknown")


def _tried(
    act: Callable[[SchedulerNode], tuple[DrainState, str]],
    each: DrainedNode,
    scheduler: Scheduler,
    refused: DrainState,
    unanswered: DrainState,
    tries: int = _TRIES,
) -> tuple[DrainState, str]:
    """Looks at the node and acts at once, so that as little as can be happens in between."""
    try:
        return act(scheduler.node(each.node))
    except SlowlinkError as error:
        if error.slug == RECORD_LOST:
            raise
        if error.slug == CHANGED and tries > 1:
            return _tried(act, each, scheduler, refused, unanswered, tries - 1)
        return (unanswered if error.slug == NO_ANSWER else refused), error.message


def opened(given: str | None, directory: Path) -> tuple[Drained, Path]:
    """The record that is named, or the latest. Raises SlowlinkError."""
    path = Path(given) if given is not None else RECORDS.latest(directory)
    record = read(path)
    RECORDS.require_written_here(path, record.created)
    return record, path


def give_back(given: str | None, directory: Path, only: Collection[str] | None) -> Finished:
    """Gives back what a record lists as taken out, and what nobody else took out since. ``only``: these of them."""
    path = Path(given) if given is not None else RECORDS.latest(directory)
    with Turn(RECORDS, path.parent):
        record, path = opened(str(path), directory)
        keeper = _Keeper(record, path)
        places = [*_standing(record, only)]
        if not places:
            return Finished(record, path, ())
        scheduler = scheduler_of(record.scheduler)
        try:
            for place in places:
                keeper.put(place, *_given_back(record.nodes[place], scheduler))
                keeper.write()
        except KeyboardInterrupt as error:
            raise Interrupted(path) from error
    return Finished(keeper.record, path, tuple(keeper.record.nodes[place] for place in places))


def foreseen(record: Drained, only: Collection[str] | None) -> Iterator[Foreseen]:
    """What ``give_back`` would do."""
    places = [*_standing(record, only)]
    if not places:
        return
    scheduler = scheduler_of(record.scheduler)
    for each in (record.nodes[place] for place in places):
        try:
            fate, why = _fate(each, scheduler.node(each.node))
        except SlowlinkError as error:
            fate, why = "leave", error.message
        yield Foreseen(each.node, fate, why)


def _standing(record: Drained, only: Collection[str] | None) -> Iterator[int]:
    for place, each in enumerate(record.nodes):
        if each.state in _STANDING and (only is None or each.node in only):
            yield place


def _fate(each: DrainedNode, node: SchedulerNode) -> tuple[Fate, str]:
    """Ours is a node that is out for the very reason that we wrote down, and that nobody else took out since. Raises
    SlowlinkError where it is another one: what it is now says nothing about ours."""
    if node.identity != each.identity:
        raise SlowlinkError("this is not the node that was taken out: it is of another cluster, or new", slug=REFUSED)
    if not node.out:
        return "in-use", "it takes jobs already"
    if node.reason != each.reason:
        return "leave", f"{node.out} by somebody else{f': {node.reason}' if node.reason else ''}"
    return ("give-back", "") if node.ours else ("leave", f"{node.out} by somebody else since")


def _given_back(each: DrainedNode, scheduler: Scheduler) -> tuple[DrainState, str]:
    def act(node: SchedulerNode) -> tuple[DrainState, str]:
        fate, why = _fate(each, node)
        if fate == "give-back":
            scheduler.give_back(node)
        return ("left-alone" if fate == "leave" else "given-back"), why

    return _tried(act, each, scheduler, each.state, "unknown")


def others_standing(path: Path) -> list[Path]:
    """Other records beside this one of which nodes are still out."""
    found = []
    for other in RECORDS.records_in(path.parent):
        try:
            if other.name != path.name and [*_standing(read(other), None)]:
                found.append(other)
        except SlowlinkError:
            continue
    return found


def status_of(touched: Sequence[DrainedNode], done: DrainState) -> int:
    """The exit status: of a drain (``drained``) or of giving back (``given-back``)."""
    states = {each.state for each in touched}
    if "unknown" in states:
        return exits.INCONCLUSIVE
    if done == "drained":
        return exits.FINDINGS if "failed" in states else exits.HEALTHY
    return exits.FINDINGS if states - {done} else exits.HEALTHY
