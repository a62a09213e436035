"""Which change explains the change of the measurements.

Two reports are two observations: that something changed beside the bandwidth is no proof that it changed the bandwidth.
A root cause that appeared, and that explains low bandwidth by what it is, is likely; anything else is possible. Each
explanation names the test that settles it: set the one thing back, and measure again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.catalog.causes import cause as cause_entry
from slowlink.comparison.job import is_effect
from slowlink.comparison.node_state import NodeChanges
from slowlink.comparison.words import change_in_words
from slowlink.model.comparison import Explanation, JobChange, Outcome, StateChange
from slowlink.model.report import Diagnosis

_SLOW = frozenset({"busbw-below-expected", "bandwidth-unstable", "straggler-node", "straggler-gpu", "straggler-nic"})
_LEAST_MATTERS = 2
_MOST = 6


def explanations(
    outcome: Outcome,
    appeared: Sequence[Diagnosis],
    gone: Sequence[Diagnosis],
    nodes: NodeChanges,
    job: Sequence[JobChange],
) -> tuple[Explanation, ...]:
    """The most probable first; empty when the measurements are the same or cannot be compared."""
    if outcome not in ("slower", "faster"):
        return ()
    diagnosed = appeared if outcome == "slower" else gone
    told = list(_by_diagnosis(diagnosed, outcome))
    untold = [change for change in job if not any(change.name in each.text for each in told)]
    found = [*told, *_by_state(nodes.changes), *_by_nodes(nodes), *_by_job(untold)]
    if any(each.confidence != "possible" for each in found):
        return tuple(found[:_MOST])
    return tuple([*found, *_by_effect(job)][:_MOST])


def _by_diagnosis(diagnoses: Sequence[Diagnosis], outcome: Outcome) -> Iterator[Explanation]:
    for diagnosis in diagnoses:
        if cause_entry(diagnosis.cause).is_symptom or diagnosis.severity == "info":
            continue
        direct = not _SLOW.isdisjoint(diagnosis.explains)
        what = diagnosis.message if outcome == "slower" else f"gone: {diagnosis.message}"
        remedy = diagnosis.remedy[0].text if diagnosis.remedy else "Mend it"
        test = remedy if "easure" in remedy else f"{remedy.rstrip('.')}, and measure again."
        yield Explanation(what, "likely" if direct else "possible", test)


def _by_state(changes: Sequence[StateChange]) -> Iterator[Explanation]:
    for change in changes:
        if change.matters >= _LEAST_MATTERS:
            yield Explanation(
                change_in_words(change), "possible", f"Set it back on {change.nodes}, or measure without these nodes."
            )


def _by_nodes(nodes: NodeChanges) -> Iterator[Explanation]:
    if nodes.nodes_added and nodes.nodes_gone:
        few = len(nodes.nodes_added)
        yield Explanation(
            f"{few} {'node is' if few == 1 else 'nodes are'} new in place of others",
            "possible",
            "Measure without the new nodes.",
        )


def _by_job(job: Sequence[JobChange]) -> Iterator[Explanation]:
    for change in job:
        if not is_effect(change):
            text = f"{change.name}: {change.old or 'not set'} -> {change.new or 'not set'}"
            yield Explanation(text, "possible", f"Measure again with {change.name} as it was.")


def _by_effect(job: Sequence[JobChange]) -> Iterator[Explanation]:
    """What the library chose or found is no choice of the user's: it says where to look, where no cause is known."""
    for change in job:
        if is_effect(change):
            yield Explanation(
                f"{change.name}: {change.old} -> {change.new}",
                "possible",
                "Find out why the library found it otherwise: compare NCCL_DEBUG=INFO of both.",
            )
