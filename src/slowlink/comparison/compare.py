"""Two reports to one answer: what became slower, what changed, and which change explains it."""

from __future__ import annotations

from msgspec.structs import replace

from slowlink import __version__
from slowlink.comparison.explain import explanations
from slowlink.comparison.job import job_changes
from slowlink.comparison.measured import Tolerances, benchmarks_in_words, measured_changes
from slowlink.comparison.node_state import node_changes, nodes_named
from slowlink.comparison.unread import what_was_not_read
from slowlink.comparison.words import headline
from slowlink.model.comparison import SCHEMA, Comparison, MeasuredChange, Outcome, Side
from slowlink.model.report import Diagnosis, Report
from slowlink.nodes import fold


def compare(
    old: Report, new: Report, *, names: tuple[str, str] = ("old", "new"), tolerances: Tolerances | None = None
) -> Comparison:
    """Pure. ``names`` are what the two are called in words."""
    measured = measured_changes(old, new, tolerances or Tolerances())
    nodes = node_changes(old, new)
    job = job_changes(old, new)
    appeared, gone = _only_in(new, old), _only_in(old, new)
    outcome = _outcome(measured)
    diagnosed, sick = (gone, old) if outcome == "faster" else (appeared, new)
    found = Comparison(
        schema=SCHEMA,
        slowlink=__version__,
        outcome=outcome,
        headline="",
        old=_side(names[0], old),
        new=_side(names[1], new),
        measured=measured,
        explanations=explanations(outcome, diagnosed, sick, nodes, job),
        appeared=appeared,
        gone=gone,
        state=nodes.changes,
        job=job,
        nodes_gone=fold(nodes.nodes_gone),
        nodes_silent=fold(nodes.nodes_silent),
        nodes_added=fold(nodes.nodes_added),
    )
    return replace(found, headline=headline(found))


def _side(name: str, report: Report) -> Side:
    measured = benchmarks_in_words(report)
    return Side(name, report.verdict, report.headline, nodes_named(report), measured, what_was_not_read(report))


def _outcome(measured: tuple[MeasuredChange, ...]) -> Outcome:
    """Slower wins over faster: somebody's benchmark lost."""
    for outcome in ("slower", "faster", "same"):
        if any(change.outcome == outcome for change in measured):
            return outcome
    return "incomparable"


def _only_in(one: Report, other: Report) -> tuple[Diagnosis, ...]:
    """Root causes that the other report does not have, with these suspects."""
    known = {(d.cause, frozenset(d.suspects)) for d in other.diagnoses}
    return tuple(d for d in one.diagnoses if (d.cause, frozenset(d.suspects)) not in known)
