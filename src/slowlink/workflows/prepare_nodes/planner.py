"""The pure part: what is to be changed, what an answer means for a record, what a rollback has to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.model.prepared import Change, Item, NodePlan, Observed, Value, Wishes
from slowlink.settings.find import settings
from slowlink.workflows.prepare_nodes.answers import Done, Told


def plan_node(observed: Observed, wishes: Wishes) -> NodePlan:
    """What one node needs to become as wished."""
    items: list[Item] = []
    right: list[Value] = []
    obstacles = [(name, why) for name, why in observed.missing if name in wishes.wanted]
    if observed.trouble:
        return NodePlan(observed, (), (), ())
    for name, setting in settings().items():
        wanted = wishes.wanted.get(name)
        for value in observed.values if wanted is not None else ():
            if value.setting != name or wanted is None:
                continue
            before = wishes.before.get(name, setting.before or "") if setting.blind else value.value
            misfit = setting.misfit(wanted, value.detail)
            if before == wanted or before in setting.right:
                right.append(value)
            elif before in setting.fixed:
                obstacles.append((name, setting.fixed[before]))
            elif misfit:
                obstacles.append((name, misfit))
            else:
                items.append(Item(name, value.part, before, wanted))
    return NodePlan(observed, tuple(items), tuple(right), tuple(dict.fromkeys(obstacles)))


def changes_of(items: Sequence[Item]) -> tuple[Change, ...]:
    """What an apply has to do, in order."""
    return tuple(
        Change(item.setting, item.part, (item.before,), item.wanted) for item in items if item.state == "planned"
    )


def begun(items: Sequence[Item]) -> tuple[Item, ...]:
    """Before an apply is sent: from now on nobody can know, until the node answers."""
    return tuple(replace(item, state="unknown", why="no answer") if item.state == "planned" else item for item in items)


def after_apply(items: Sequence[Item], told: Told, trouble: str) -> tuple[Item, ...]:
    """The items that were begun, after the node's answer or the lack of one."""
    return tuple(_applied(item, told, trouble) if item.state == "unknown" else item for item in items)


def _applied(item: Item, told: Told, trouble: str) -> Item:
    done = told.done.get((item.setting, item.part))
    if done is None:
        if told.refused:
            return replace(item, state="failed", why=told.refused)
        if told.complete:
            return replace(item, state="failed", why="stopped before this one")
        return replace(item, state="unknown", why=trouble or "no answer")
    if done.outcome == "set":
        return replace(item, state="applied", why="")
    if done.outcome == "same":
        return replace(item, state="failed", why=f"no longer {item.before} but {item.wanted} already: not touched")
    if done.outcome == "other":
        return replace(item, state="failed", why=f"no longer {item.before} but {done.now}: not touched")
    return _failed(item, done)


def _failed(item: Item, done: Done) -> Item:
    """A write that did not do what it should: as before, or something else that is ours to take back."""
    why = done.words or "the write failed"
    if done.now == item.before:
        return replace(item, state="failed", why=why)
    setting = settings()[item.setting]
    if valid(item.setting, done.now) and not setting.blind:
        return replace(item, state="failed", why=f"{why}; it reads {done.now}", left=done.now)
    return replace(item, state="unknown", why=f"{why}; it cannot be read back")


def valid(name: str, value: str) -> bool:
    """May this setting hold this value?"""
    return re.fullmatch(settings()[name].values, value) is not None


def stands(item: Item) -> bool:
    """May the node hold a value of ours there?"""
    return item.state in ("applied", "unknown") or (item.state == "failed" and item.left is not None)


def undone(items: Sequence[Item]) -> tuple[Change, ...]:
    """What a rollback has to do, in reverse order: only what was begun, and only from what we may have set."""
    changes = []
    for item in reversed(items):
        if stands(item):
            ours = [
                item.wanted,
                *([item.left] if item.left is not None else []),
                *sorted(settings()[item.setting].torn),
            ]
            expected = tuple(dict.fromkeys(value for value in ours if value != item.before))
            changes.append(Change(item.setting, item.part, expected, item.before))
    return tuple(changes)


def unsettled(items: Sequence[Item]) -> tuple[Item, ...]:
    """Before a rollback is sent, for the same reason as ``begun``."""
    return tuple(replace(item, state="unknown", why="rollback: no answer") if stands(item) else item for item in items)


def after_rollback(items: Sequence[Item], earlier: Sequence[Item], told: Told, trouble: str) -> tuple[Item, ...]:
    """``earlier``: the same items before the rollback, for nodes that touched nothing."""
    if told.refused:
        return tuple(replace(was, why=f"rollback: {told.refused}") if stands(was) else was for was in earlier)
    return tuple(_restored(item, told, trouble) if item.state == "unknown" else item for item in items)


def _restored(item: Item, told: Told, trouble: str) -> Item:
    done = told.done.get((item.setting, item.part))
    if done is None:
        return replace(item, why=f"rollback: {trouble or 'no answer'}")
    if done.outcome in ("set", "same"):
        return replace(item, state="restored", why="")
    if done.outcome == "other":
        return replace(item, state="left-alone", why=f"changed by somebody else to {done.now}")
    why = f"rollback: {done.words or 'the write failed'}; it reads {done.now}"
    if valid(item.setting, done.now) and not settings()[item.setting].blind:
        return replace(item, state="failed", why=why, left=done.now)
    return replace(item, why=why)
