"""The tool ``node_state``: what is known of each node in a snapshot or bundle, folded where nodes say alike."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, ValidationError, convert

from slowlink.catalog.attributes import all_attributes
from slowlink.comparison.node_state import asked_of
from slowlink.errors import SlowlinkError
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.agents import NodesAsked, NodeStates, Said
from slowlink.model.report import Report
from slowlink.nodes import NodeLists, fold
from slowlink.report.escape import cleaned
from slowlink.report.view import build_view
from slowlink.workflows.agents.outgoing import cut
from slowlink.workflows.agents.pages import page
from slowlink.workflows.agents.reports import Readable

_DIFFERENCES, _WORDS_CHARS = 20, 600
_MOST_NODES, _MOST_NAMES = 100_000, 1_000_000
"""Of one set, and of all sets of a report together."""


class _Folded(Struct, frozen=True):
    """As ``facts.folded_state`` writes it."""

    value: str | int | float | bool | None
    parts: list[str]
    nodes: str


def node_states(asked: NodesAsked, readable: Readable) -> NodeStates:
    """Raises SlowlinkError for a path that may not be read, and for a node of which nothing is known."""
    report = cleaned(readable.report_at(asked.path))
    every = [(attribute, folded) for facts in _facts(report) for attribute, folded in _entries(facts)]
    sets = NodeLists(_MOST_NAMES, _MOST_NODES)
    known = {node for _, folded in every for node in sets.names(folded.nodes) or ()}
    if asked.node and asked.node not in known:
        raise SlowlinkError(
            f"nothing is known of the state of {asked.node}",
            hint=f"known: {cut(fold(sorted(known)), _WORDS_CHARS) or 'no node'}",
            slug="node-unknown",
        )
    rows = sorted(
        (
            row
            for attribute, folded in every
            if not asked.node or asked.node in (sets.names(folded.nodes) or ())
            for row in _rows(attribute, folded, asked)
        ),
        key=lambda row: (-all_attributes()[row.attribute].matters, row.attribute, row.parts),
    )
    state, go_on = page(rows, asked.skip)
    view = build_view(report)
    return NodeStates(
        verdict=report.verdict,
        headline=cut(view.headline, _WORDS_CHARS),
        nodes=cut(fold(sorted(known)), _WORDS_CHARS),
        silent=cut(fold(sorted(asked_of(report) - known)), _WORDS_CHARS),
        differences=()
        if asked.node or asked.match or asked.skip
        else tuple(
            cut(f"{row.what}: {row.most}; {'; '.join(row.others)}", _WORDS_CHARS)
            for row in view.differences[:_DIFFERENCES]
        ),
        state=state,
        total=len(rows),
        go_on=go_on,
    )


def _facts(report: Report) -> Iterator[dict[str, object]]:
    """Of the input as one, in which the state of all jobs of a heap is; or of each job."""
    if NODE_STATE in report.facts:
        yield report.facts
        return
    for job in report.jobs:
        yield job.facts


def _entries(facts: dict[str, object]) -> Iterator[tuple[str, _Folded]]:
    """(attribute, who says the same of it); nothing of what a saved report makes up."""
    try:
        state = convert(facts.get(NODE_STATE, {}), dict[str, list[_Folded]])
    except ValidationError:
        return
    known = all_attributes()
    for attribute, entries in state.items():
        if attribute in known:
            yield from ((attribute, entry) for entry in entries)


def _rows(attribute: str, folded: _Folded, asked: NodesAsked) -> Iterator[Said]:
    entry = all_attributes()[attribute]
    names = [name for name in folded.parts if name]
    row = Said(
        attribute=attribute,
        title=entry.title,
        parts=cut(f"{entry.part} {fold(names)}", _WORDS_CHARS) if names else "",
        value=cut(f"{folded.value}{f' {entry.unit}' if entry.unit else ''}", _WORDS_CHARS),
        nodes=cut(folded.nodes, _WORDS_CHARS),
    )
    if asked.match.lower() in f"{row.attribute} {row.title} {row.parts}".lower():
        yield row
