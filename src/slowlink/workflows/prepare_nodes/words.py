"""What is planned and what came of it, in words: nodes are folded, and what nodes said is made harmless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from slowlink.model.prepared import Item, NodePlan, Prepared
from slowlink.nodes import fold
from slowlink.report.escape import terminal_safe
from slowlink.settings.find import settings

_SHOWN_COMMANDS = 3
_SHOWN_PARTS = 4
_STATES = {
    "applied": "set",
    "failed": "not set",
    "unknown": "not known whether set",
    "planned": "not begun",
    "restored": "as before",
    "left-alone": "left alone",
}


def plan_lines(plans: Sequence[NodePlan], names: Sequence[str]) -> list[str]:
    """The plan for a terminal: a paragraph for each setting, then what stands against it."""
    reached = [plan for plan in plans if not plan.observed.trouble]
    lines = [f"{_count(len(plans), 'node')}: {fold(plan.observed.node.name for plan in plans)}", ""]
    for name in names if reached else ():
        lines += _setting_lines(name, reached)
    lines += unread_lines(plans)
    ordinary = [plan for plan in reached if plan.items and plan.observed.uid != 0]
    if ordinary:
        lines.append(f"needs root on {_names(ordinary)}: log in as root, or --sudo")
    return lines


def _setting_lines(name: str, plans: Sequence[NodePlan]) -> Iterator[str]:
    setting = settings()[name]
    alike: dict[tuple[str, str], list[tuple[NodePlan, list[str]]]] = {}
    for plan in plans:
        parts: dict[tuple[str, str], list[str]] = {}
        for item in plan.items:
            if item.setting == name:
                parts.setdefault((item.before, item.wanted), []).append(item.part)
        for key, found in parts.items():
            alike.setdefault(key, []).append((plan, found))
    words = [
        f"{'not told' if setting.blind else before} -> {wanted}{setting.unit} on {_names(plan for plan, _ in there)}"
        f"{_parts([len(parts) for _, parts in there])}"
        for (before, wanted), there in alike.items()
    ]
    right = [plan for plan in plans if _is_right(plan, name)]
    words += [f"already right on {len(right)}"] if right else []
    obstacles: dict[str, list[NodePlan]] = {}
    for plan in plans:
        for found_name, why in plan.obstacles:
            if found_name == name:
                obstacles.setdefault(why, []).append(plan)
    yield f"{name}: {'; '.join(words) or 'nothing to set'}"
    wanted_parts = [(wanted, parts) for (_, wanted), there in alike.items() for _, parts in there]
    yield from (f"    {command}" for command in _commands(name, wanted_parts))
    yield from (f"    not on {_names(there)}: {terminal_safe(why)}" for why, there in obstacles.items())
    if alike and setting.note:
        yield f"    {setting.note}"


def _is_right(plan: NodePlan, name: str) -> bool:
    planned = any(item.setting == name for item in plan.items)
    return not planned and any(value.setting == name for value in plan.right)


def _parts(counts: Sequence[int]) -> str:
    """How many GPUs, policies, bridges of a node."""
    least, most = min(counts), max(counts)
    if most == 1:
        return ""
    return f" ({most} each)" if least == most else f" ({least} to {most} each)"


def _commands(name: str, wanted: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """The first few commands; ``--format json`` has them all."""
    command = settings()[name].commands
    found = list(dict.fromkeys(command(part, value) for value, parts in wanted for part in parts))
    more = len(found) - _SHOWN_COMMANDS
    return found if more <= 1 else [*found[:_SHOWN_COMMANDS], f"... and {more} like these (--format json has all)"]


def unread_lines(plans: Sequence[NodePlan]) -> list[str]:
    """Nodes that were not read, folded by the reason."""
    troubles: dict[str, list[NodePlan]] = {}
    for plan in plans:
        if plan.observed.trouble:
            troubles.setdefault(plan.observed.trouble, []).append(plan)
    return [f"not read: {_names(there)}: {terminal_safe(why)}" for why, there in troubles.items()]


def _names(plans: Iterable[NodePlan]) -> str:
    return fold(plan.observed.node.name for plan in plans)


def record_lines(record: Prepared, *, undone: bool = False) -> list[str]:
    """What came of every setting, from a record. ``undone``: after a rollback, where what is set is what was left."""
    lines = []
    for name in settings():
        alike: dict[tuple[str, str], dict[str, list[str]]] = {}
        for node in record.nodes:
            for item in node.items:
                if item.setting == name:
                    alike.setdefault((item.state, item.why), {}).setdefault(node.node.name, []).append(item.part)
        counted = Counter(node for nodes in alike.values() for node in nodes)
        torn = {node for node, states in counted.items() if states > 1}
        words = [
            ("still " if undone and state == "applied" else "") + _outcome(state, why, nodes, torn)
            for (state, why), nodes in alike.items()
        ]
        lines += [f"    {line}" if number else f"{name}: {line}" for number, line in enumerate(words)]
    return lines


def _outcome(state: str, why: str, nodes: Mapping[str, Sequence[str]], torn: Collection[str]) -> str:
    """Where parts of one node came to different ends, they are named."""
    there = [fold(node for node in nodes if node not in torn)] if any(node not in torn for node in nodes) else []
    there += [f"{node} ({', '.join(nodes[node][:_SHOWN_PARTS])}{_more(nodes[node])})" for node in nodes if node in torn]
    return f"{_STATES[state]} on {', '.join(there)}" + (f": {terminal_safe(why)}" if why else "")


def _more(parts: Sequence[str]) -> str:
    return f" and {len(parts) - _SHOWN_PARTS} more" if len(parts) > _SHOWN_PARTS else ""


def plan_document(plans: Sequence[NodePlan]) -> dict[str, Any]:
    """The plan as plain values."""
    return {
        "schema": "slowlink.prepare-plan/1",
        "nodes": [
            {
                "node": plan.observed.node.name,
                "trouble": plan.observed.trouble,
                "uid": plan.observed.uid,
                "items": [_item_document(item) for item in plan.items],
                "right": [to_builtins(value) for value in plan.right],
                "obstacles": [{"setting": name, "why": why} for name, why in plan.obstacles],
            }
            for plan in plans
        ],
    }


def _item_document(item: Item) -> dict[str, Any]:
    blind = settings()[item.setting].blind
    return {
        "setting": item.setting,
        "part": item.part,
        "before": item.before,
        "before_is_assumed": blind,
        "wanted": item.wanted,
        "command": settings()[item.setting].commands(item.part, item.wanted),
    }


def _count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"
