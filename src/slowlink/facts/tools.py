"""What each tool said on each node that was asked: an answer, an error, nothing, or that it is not there.

A tool without an answer means something only where there is something to answer: nvidia-smi is rightly absent on a node
without NVIDIA's GPUs. What the node has is known from its PCI devices and the kernel's files, not from the tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Literal

from msgspec import Struct

from slowlink.collectors.catalogue import Collector, all_collectors
from slowlink.facts.stretches import Told, told, where
from slowlink.model.facts import State
from slowlink.model.source import Ref
from slowlink.model.state import Collected
from slowlink.patterns import regex

Outcome = Literal["answered", "silent", "failed", "missing", "not asked"]
_WORST_FIRST: tuple[Outcome, ...] = ("silent", "failed", "answered", "missing", "not asked")
_NOT_HERE = regex(r"no [\w .|+-]{1,60} here")
CUT_SHORT = "less than its"
"""In the words of a time-out that came before the tool's own limit."""
CUT_OFF = "the transcript ends before it does"
NO_TIME = "no time was left"
"""Why a collector of a transcript told nothing, although nothing is wrong with its tool."""
NODE = "node"
"""Under this name a transcript tells how the node itself answered."""
_VENDORS = {
    "nvidia-gpu": regex(r"(?i)nvidia|\b10de:"),
    "amd-gpu": regex(r"(?i)advanced micro devices|amd/ati|instinct|\b1002:"),
    "metax-gpu": regex(r"(?i)metax|\b9999:"),
    "mthreads-gpu": regex(r"(?i)moore threads|\b1ed5:"),
}


class ToolAnswer(Struct, frozen=True):
    """How the questions that go to one tool ended on one node: the worst of them."""

    node: str
    tool: str
    """``nvidia-smi``; the collector's name where it asks no program."""
    outcome: Outcome
    detail: str
    ref: Ref
    about: str
    """What a node must have for an answer to mean anything; "" for what every node has."""
    collector: str


def asked_nodes(state: State) -> tuple[str, ...]:
    """The nodes that a snapshot asked, whether they answered or not."""
    known = _known()
    asked = (each.host for each in state.collected if each.collector == NODE or each.collector in known)
    return tuple(dict.fromkeys(host for host in asked if host))


def lost_nodes(state: State) -> tuple[str, ...]:
    """Those of ``asked_nodes`` that did not answer, or were lost on the way."""
    lost = (each.host for each in state.collected if each.collector == NODE and each.outcome == "failed")
    return tuple(dict.fromkeys(host for host in lost if host))


def tool_answers(state: State) -> tuple[ToolAnswer, ...]:
    """One for each node and tool of transcripts, in order of appearance. Nodes that were lost tell nothing of tools."""
    lost = lost_nodes(state)
    found: dict[tuple[str, str], ToolAnswer] = {}
    for each in state.collected:
        known = _known().get(each.collector)
        if known is None or each.host is None or each.host in lost:
            continue
        answer = _answer(each, each.host, known)
        before = found.get((answer.node, answer.tool))
        if before is None or _WORST_FIRST.index(answer.outcome) < _WORST_FIRST.index(before.outcome):
            found[answer.node, answer.tool] = answer
    return tuple(found.values())


@cache
def _known() -> Mapping[str, Collector]:
    return {each.name: each for each in all_collectors()}


def _answer(each: Collected, node: str, known: Collector) -> ToolAnswer:
    programs = [need for need in known.needs if need != "awk"]  # which only sorts what files say
    tool = programs[0].partition("|")[0] if programs else known.name
    return ToolAnswer(node, tool, _outcome(each), each.detail, each.ref, known.about, known.name)


def _outcome(each: Collected) -> Outcome:
    if each.outcome == "ran":
        return "answered"
    if each.outcome == "timeout":
        return "silent"
    if each.outcome == "failed":
        return "failed" if each.detail != CUT_OFF else "not asked"
    return "missing" if _NOT_HERE.fullmatch(each.detail) else "not asked"


def _all_of(state: State, attribute: str) -> Told:
    found = state.readings.get(attribute)
    return told(found.all if found is not None else ())


def nodes_without(state: State, about: str) -> frozenset[str]:
    """The nodes that surely have no such part: their PCI devices were listed, and it is not among them."""
    roles, devices = map(partial(_all_of, state), ("pci-role", "pci-device"))
    listed = set(roles.hosts)
    vendor = _VENDORS.get(about)
    if vendor is None:
        having = set(where(roles, lambda _, value: value == "hca").hosts)
    else:
        gpus = {(r.host, r.part) for r in where(roles, lambda _, value: value == "gpu")}
        names = where(devices, lambda _, value: vendor.search(str(value)) is not None)
        having = {r.host for r in names if (r.host, r.part) in gpus}
    return frozenset(node for node in listed - having if node is not None)
