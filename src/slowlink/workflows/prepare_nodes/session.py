"""What ``slowlink prepare`` does, from options to an exit status: plan, apply, roll back."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from slowlink import exits
from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.ways import way_of
from slowlink.launch.surroundings import find_programs
from slowlink.model.plan import Allocation, Node
from slowlink.model.prepared import NodePlan, Prepared, PreparedNode, Wishes
from slowlink.quoting import quote
from slowlink.settings.find import settings
from slowlink.workflows.kept_records import Turn
from slowlink.workflows.prepare_nodes import planner, record
from slowlink.workflows.prepare_nodes.carry_out import Keeper, apply, roll_back
from slowlink.workflows.prepare_nodes.observe import Reach, Seen, observe


class Choice(Struct, frozen=True):
    """Which settings, and what they are to be."""

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    """(setting, value), for settings that are only planned with a value."""
    before: tuple[tuple[str, str], ...] = ()


class Planned(Struct, frozen=True):
    """What every node has and should have."""

    nodes: tuple[NodePlan, ...]
    seen: tuple[Seen, ...]
    names: tuple[str, ...]
    way: str

    @property
    def items(self) -> int:
        """How many values are to be set, on all nodes."""
        return sum(len(plan.items) for plan in self.nodes)

    @property
    def unreached(self) -> bool:
        """Is there a node that was not read?"""
        return any(plan.observed.trouble for plan in self.nodes)


class Finished(Struct, frozen=True):
    """What an apply or a rollback came to."""

    record: Prepared
    path: Path
    lost: tuple[tuple[str, str], ...] = ()
    """(node, trouble) of nodes that could not be asked at all."""
    asked: bool = True
    """Was there anything to do?"""


def wishes(choice: Choice) -> Wishes:
    """Values wanted by setting. Raises SlowlinkError ``usage`` for names and values that cannot be."""
    known = settings()
    for name in (*choice.only, *choice.skip):
        if name not in known:
            raise SlowlinkError(f"there is no setting {name!r}", hint=f"one of {', '.join(known)}", slug="usage")
    given = dict(choice.given)
    wanted: dict[str, str] = {}
    for name, setting in known.items():
        value = given.get(name, setting.wanted)
        if name in choice.skip or (choice.only and name not in choice.only):
            continue
        if value is None:
            if name in choice.only:
                raise SlowlinkError(f"--only {name}: to which value?", hint=f"--{name} VALUE", slug="usage")
            continue
        wanted[name] = value
    for name, value in (*wanted.items(), *choice.before):
        if not planner.valid(name, value):
            raise SlowlinkError(
                f"{value!r} is no value of {name}", hint=known[name].form or known[name].title, slug="usage"
            )
    if not wanted:
        raise SlowlinkError("--only and --skip leave no setting", hint=f"one of {', '.join(known)}", slug="usage")
    return Wishes(wanted, dict(choice.before))


def reach_of(way: str, *, root: str, sudo: bool, timeout_s: float, start_s: int) -> Reach:
    """How nodes are reached. Raises SlowlinkError where the program for it is missing."""
    return Reach(way_of(way, find_programs()), root, sudo, timeout_s, start_s)


def nodes_of(allocation: Allocation | None) -> tuple[Node, ...]:
    """The nodes that were named, each once; without names this machine."""
    if allocation is None:
        return (Node(socket.gethostname() or "localhost"),)
    return tuple({node.name: node for node in allocation.nodes}.values())


def plan(nodes: Sequence[Node], wished: Wishes, reach: Reach) -> Planned:
    """Reads every node and compares. Changes nothing."""
    names = tuple(wished.wanted)
    seen = observe(nodes, names, reach)
    return Planned(tuple(planner.plan_node(each.observed, wished) for each in seen), tuple(seen), names, reach.way.name)


def carry_out(planned: Planned, directory: Path, reach: Reach) -> Finished:
    """Writes the record, then sets what is planned. Raises Interrupted with the record's path."""
    touched = [(each, seen) for each, seen in zip(planned.nodes, planned.seen, strict=True) if each.items]
    new = record.new_record(
        planned.way,
        reach.root,
        [PreparedNode(each.observed.node, each.observed.boot, each.items) for each, _ in touched],
    )
    with Turn(record.RECORDS, directory, make=True):
        path = record.RECORDS.path_of(directory, new.created)
        keeper = Keeper(new, path)
        try:
            apply(keeper, [seen for _, seen in touched], reach)
        except KeyboardInterrupt as error:
            raise Interrupted(path) from error
    return Finished(keeper.record, path)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM while nodes were changed; ``path`` names the record."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


def take_back(given: str | None, directory: Path, reach: Reach) -> Finished:
    """Restores what a record (default: the latest) lists as begun.

    Raises SlowlinkError: ``other-root`` (the record is about another root than ``reach``), and what ``read`` raises.
    """
    path = Path(given) if given is not None else record.RECORDS.latest(directory)
    with Turn(record.RECORDS, path.parent):
        old = record.read(path)
        record.RECORDS.require_written_here(path, old.created)
        if old.root != reach.root:
            raise SlowlinkError(
                f"{path} is about nodes whose root is {old.root or '/'}, and {reach.root or '/'} was asked for",
                hint=f"to roll it back: --root {quote([old.root])}"
                if old.root
                else "to roll it back: leave --root out",
                slug="other-root",
            )
        way = way_of(old.way, find_programs())
        if not any(planner.undone(node.items) for node in old.nodes):
            return Finished(old, path, asked=False)
        keeper = Keeper(old, path)
        try:
            lost = roll_back(keeper, replace(reach, way=way))
        except KeyboardInterrupt as error:
            raise Interrupted(path) from error
    return Finished(keeper.record, path, tuple(lost.items()))


def others_to_undo(path: Path) -> list[Path]:
    """Earlier records beside this one whose changes still stand."""
    found = []
    try:
        beside = record.RECORDS.records_in(path.parent)
    except OSError:
        return []
    for other in beside:
        if other.name == path.name:
            continue
        try:
            nodes = record.read(other).nodes
        except SlowlinkError:
            continue
        if any(planner.undone(node.items) for node in nodes):
            found.append(other)
    return found


def status_after(states: Sequence[str], good: str, *, unreached: bool) -> int:
    """Of an apply (good: ``applied``) or a rollback (``restored``). ``unknown`` is no failure: it was not reached."""
    if any(state in ("failed", "left-alone") or (state == "applied" and good != state) for state in states):
        return exits.FINDINGS
    if unreached or any(state not in (good, "planned") for state in states):
        return exits.INCONCLUSIVE
    return exits.HEALTHY


def default_directory(given: str | None) -> Path:
    """Where records lie."""
    return record.RECORDS.directory_of(given, os.environ)
