"""Which of the accused nodes are taken out of use. Pure.

A report may be wrong, or somebody else's: its names are looked up among the scheduler's own and never handed on, and
no more than a share of the nodes is out of use by slowlink's word alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import get_args

from slowlink.model.acting import AccusedNode, Drain, DrainPlan, NotDrained, SchedulerNode
from slowlink.model.report import Confidence, Diagnosis, Report
from slowlink.patterns import regex
from slowlink.report.json import plain_json

MARK = "slowlink: "
"""How a reason of slowlink begins, of ``act`` and of the recipes around ``node-check`` alike."""
SURE: tuple[str, ...] = get_args(Confidence)
"""The surest first."""
DEFAULT_SURE = "likely"
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}")
_CAUSE = regex(r"[a-z0-9][a-z0-9-]{0,63}")
_MOST_SHARE, _MOST_NODES = 10, 16
"""One node in ten, and sixteen in the largest cluster."""
_MOST_CAUSES = 3
_ID_DIGITS = 12


def report_id(report: Report) -> str:
    """The first digits of the SHA-256 of the report as it is saved (``sha256sum report.json``)."""
    return sha256(plain_json(report).encode()).hexdigest()[:_ID_DIGITS]


def is_name(node: str) -> bool:
    """Can a node be called so? To scontrol ALL is every node, and a comma or a bracket begins a set of them."""
    return _NAME.fullmatch(node) is not None and node.upper() != "ALL"


def most_out(total: int) -> int:
    """How many of so many nodes may be out of use by slowlink's word, where nobody says."""
    return max(1, min(_MOST_NODES, total // _MOST_SHARE))


def drain_plan(
    accused: Iterable[AccusedNode],
    nodes: Mapping[str, SchedulerNode],
    report: str,
    *,
    title: str,
    sure: str = DEFAULT_SURE,
    most: int | None = None,
    only: Collection[str] | None = None,
) -> DrainPlan:
    """``nodes``: all of the scheduler ``title``. ``report``: its id. ``sure``: the least confidence for which a node is
    taken out. ``only``: no others, as the report calls them or as the scheduler does."""
    accused, known = tuple(accused), _Names(nodes)
    drains: dict[str, Drain] = {}
    left: list[NotDrained] = []
    for each in accused:
        node = known.get(each.node)
        if only is not None and each.node not in only and (node is None or node.name not in only):
            continue
        reasons = [found for found in each.diagnoses if SURE.index(found.confidence) <= SURE.index(sure)]
        if not reasons:
            surest = min((found.confidence for found in each.diagnoses), key=SURE.index)
            left.append(NotDrained(each.node, f"no more than {surest}", amiss=False))
        elif node is None:
            left.append(NotDrained(each.node, known.why_none(each.node, title), amiss=True))
        elif node.out:
            left.append(NotDrained(node.name, out_already(node), amiss=False))
        else:
            drains.setdefault(node.name, Drain(node.name, _reason(reasons, report)))
    left += _not_accused(only or (), accused, known, title)
    standing = sum(bool(node.out) and node.reason.startswith(MARK) for node in nodes.values())
    limit = most_out(len(nodes)) if most is None else most
    return DrainPlan(tuple(drains.values()), tuple(left), standing, len(nodes), limit)


def out_already(node: SchedulerNode) -> str:
    """Why it is left alone, with the reason of whoever took it out."""
    return f"{node.out} already{f': {node.reason}' if node.reason else ''}"


def _not_accused(
    only: Collection[str], accused: Iterable[AccusedNode], known: _Names, title: str
) -> Iterator[NotDrained]:
    """Who was named and is nobody's: a slip in a name must not look like a node that is well."""
    called = {each.node for each in accused}
    called |= {node.name for node in map(known.get, called) if node is not None}
    for name in dict.fromkeys(only):
        if name not in called:
            is_known = known.get(name) is not None
            why = "nothing accuses it" if is_known else known.why_none(name, title)
            yield NotDrained(name, why, amiss=not is_known)


class _Names:
    """The scheduler's nodes by name and by what the machine calls itself, where these together tell one of them: a
    report may mean either, so one node's name that is another machine's tells none."""

    def __init__(self, nodes: Mapping[str, SchedulerNode]) -> None:
        self._called: dict[str, dict[str, SchedulerNode]] = {}
        for node in nodes.values():
            for name in (node.name, node.host):
                self._called.setdefault(name, {})[node.name] = node

    def get(self, name: str) -> SchedulerNode | None:
        found = [*self._called.get(name, {}).values()]
        return found[0] if len(found) == 1 and is_name(found[0].name) else None

    def why_none(self, name: str, title: str) -> str:
        """Why ``get`` gives none."""
        if len(several := self._called.get(name, {})) > 1:
            return f"{title} has {len(several)} nodes that are called so, by name or by host"
        return f"{title} knows no node of this name" if is_name(name) else "no host is called so"


def _reason(diagnoses: Iterable[Diagnosis], report: str) -> str:
    """``slowlink: gpu-missing, port-rate-low 0123456789ab``. Of a report nothing else gets in: it is anybody's text."""
    return f"{MARK}{', '.join(_causes(diagnoses))} {report}"


def _causes(diagnoses: Iterable[Diagnosis]) -> Iterator[str]:
    plain = (each.cause if _CAUSE.fullmatch(each.cause) else "unknown-cause" for each in diagnoses)
    causes = list(dict.fromkeys(plain))
    yield from causes[:_MOST_CAUSES]
    if (more := len(causes) - _MOST_CAUSES) > 0:
        yield f"and {more} more"
