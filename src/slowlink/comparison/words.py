"""A comparison in words."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.comparison import Explanation, JobChange, MeasuredChange, Outcome, StateChange
from slowlink.model.report import Diagnosis
from slowlink.units import format_size


def change_in_words(change: StateChange) -> str:
    """``node[07,12]: gpu [0-7]: persistence mode: on -> off``."""
    unit = f" {change.unit}" if change.unit else ""
    what = (f"{change.parts}: " if change.parts else "") + change.title
    return f"{change.nodes}: {what}: {change.old}{unit} -> {change.new}{unit}"


def measured_in_words(change: MeasuredChange) -> str:
    """``all_reduce on 16 ranks: 391 -> 167 GB/s (-57 %) from 512 MiB to 8 GiB``."""
    sizes = f"from {format_size(change.sizes[0])} to {format_size(change.sizes[-1])}"
    if len(change.sizes) == 1:
        sizes = f"at {format_size(change.sizes[0])}"
    return (
        f"{change.collective} on {change.nranks} ranks: {change.old:.4g} -> {change.new:.4g} {change.unit} "
        f"({100 * (change.ratio - 1):+.0f} %) {sizes}"
    )


def headline(
    outcome: Outcome,
    measured: Sequence[MeasuredChange],
    explained: Sequence[Explanation],
    state: Sequence[StateChange],
    job: Sequence[JobChange],
    appeared: Sequence[Diagnosis],
) -> str:
    """One sentence: the change of the measurement and what most probably explains it."""
    if outcome in ("slower", "faster"):
        lead = next(change for change in measured if change.outcome == outcome)
        why = f"; {_why(explained)}" if explained else "; nothing that is known of the nodes or the job changed"
        return f"{outcome}: {measured_in_words(lead)}{why}"
    changed = len(state) + len(job)
    beside = f"{_counted(changed, 'change')} of nodes or job" if changed else "no change of nodes or job"
    new = f"; new: {appeared[0].message}" if appeared else ""
    if outcome == "same":
        return f"the same within what is ordinary: {measured_in_words(measured[0])}; {beside}{new}"
    return f"{beside}{new}; no benchmark was run in both"


def _why(explained: Sequence[Explanation]) -> str:
    lead, *others = explained
    sure = "likely because" if lead.confidence != "possible" else "possibly because"
    more = f" (or {_counted(len(others), 'other change')})" if others else ""
    return f"{sure} {lead.text}{more}"


def _counted(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"
