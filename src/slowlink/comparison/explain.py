"""Which change explains the change of the measurements.

Two reports are two observations: that something changed beside the bandwidth is no proof that it changed the bandwidth.
A root cause that appeared, and that explains low bandwidth by what it is, is likely; anything else is possible. Each
explanation names the test that settles it: set the one thing back, and measure again. A change that a cause speaks of
is not told a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.catalog.causes import cause as cause_entry
from slowlink.catalog.nccl_env import variable
from slowlink.comparison.job import is_effect
from slowlink.comparison.node_state import NodeChanges
from slowlink.model.comparison import Explanation, JobChange, Outcome, StateChange
from slowlink.model.report import Diagnosis, Report
from slowlink.nodes import expand_or_none, fold

_SLOW = frozenset({"busbw-below-expected", "bandwidth-unstable"})
"""Symptoms that the loss itself is: what explains them explains it."""
_LEAST_MATTERS = 2
_MOST = 6
_RANK = {"certain": 0, "likely": 0, "possible": 1}


def explanations(
    outcome: Outcome,
    diagnosed: Sequence[Diagnosis],
    report: Report,
    nodes: NodeChanges,
    job: Sequence[JobChange],
) -> tuple[Explanation, ...]:
    """The most probable first; empty when the measurements are the same or cannot be compared.

    ``diagnosed``: what ``report``, the slower one, suffers from and the other does not.
    """
    if outcome not in ("slower", "faster"):
        return ()
    causes = [each for each in diagnosed if not cause_entry(each.cause).is_symptom and each.severity != "info"]
    told = sorted((_of_cause(each, report, outcome) for each in causes), key=lambda each: _RANK[each.confidence])
    state = [change for change in nodes.changes if not any(_speaks_of(each, change) for each in causes)]
    set_by_hand = [change for change in job if not any(change.name in each.message for each in causes)]
    found = [*told, *_by_state(state), *_by_nodes(nodes), *_by_job(set_by_hand)]
    return tuple([*found, *([] if told else _by_effect(job))][:_MOST])


def _of_cause(diagnosis: Diagnosis, report: Report, outcome: Outcome) -> Explanation:
    effects = {effect for each in report.findings if each.cause == diagnosis.cause for effect in each.explains}
    direct = not _SLOW.isdisjoint({*effects, *diagnosis.explains})
    sure = direct and diagnosis.confidence != "possible"
    if outcome == "faster":
        # Nobody brings a fault back to prove what it cost.
        return Explanation(f"gone: {diagnosis.message}", "likely" if sure else "possible", "Keep it so; watch for it.")
    remedy = diagnosis.remedy[0].text if diagnosis.remedy else "Mend it"
    test = remedy if "easure" in remedy else f"{remedy.rstrip('.')}, and measure again."
    return Explanation(diagnosis.message, "likely" if sure else "possible", test)


def _speaks_of(diagnosis: Diagnosis, change: StateChange) -> bool:
    """Is the change what the cause was found in? It names the nodes, and the attribute or the part."""
    named = {suspect.name for suspect in diagnosis.suspects if suspect.kind == "node"}
    said = diagnosis.message.casefold()
    parts = {suspect.name for suspect in diagnosis.suspects if suspect.kind == change.attribute}
    of_part = bool(parts) and not parts.isdisjoint(_names(change.parts.partition(" ")[2]))
    return named.issuperset(_names(change.nodes)) and (change.title.casefold() in said or of_part)


def _names(folded: str) -> list[str]:
    names = expand_or_none(folded)
    return [folded] if names is None else names


def _by_state(changes: Sequence[StateChange]) -> Iterator[Explanation]:
    for change in changes:
        if change.matters >= _LEAST_MATTERS:
            yield Explanation(change.in_words, "possible", f"{_way_back(change)}, or measure without it.")


def _way_back(change: StateChange) -> str:
    """Nobody can set back what a node is made of, or the state that a link is in."""
    if change.kind == "setting":
        return f"Set it back on {change.nodes}"
    if change.kind == "version":
        return f"Install {change.old} again on {change.nodes}"
    return f"Find out why on {change.nodes} (lspci, dmesg)"


def _by_nodes(nodes: NodeChanges) -> Iterator[Explanation]:
    if nodes.nodes_added and nodes.nodes_gone:
        added, gone = fold(nodes.nodes_added), fold(nodes.nodes_gone)
        yield Explanation(f"{added} in place of {gone}", "possible", f"Measure without {added}.")


def _by_job(job: Sequence[JobChange]) -> Iterator[Explanation]:
    for change in job:
        known = variable(change.name)
        if not is_effect(change) and (known is None or known.area != "debug" or known.harm):
            yield Explanation(change.in_words, "possible", f"Measure again with {_as_it_was(change)}.")


def _as_it_was(change: JobChange) -> str:
    return f"{change.name}={change.old}" if change.old and change.name.isupper() else f"{change.name} as it was"


def _by_effect(job: Sequence[JobChange]) -> Iterator[Explanation]:
    """What the library chose or found is no choice of the user's: it says where to look, where no cause is known."""
    for change in job:
        if is_effect(change):
            yield Explanation(
                change.in_words,
                "possible",
                "Find out why the library found it otherwise: compare NCCL_DEBUG=INFO of both.",
            )
