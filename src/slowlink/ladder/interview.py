"""Which experiment of the maintainers' interview separates the causes that remain best, and what its outcome leaves.

A cause predicts one outcome of an experiment, or none. Before the first, all causes that the ladder leaves are alike
likely. The information of an experiment is the expected decrease of the entropy of the causes (Lindley, "On a measure
of the information provided by an experiment", 1956); a cause that predicts nothing is spread over all outcomes. What
came rules out each cause that predicted something else; those that predicted nothing stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log2

from slowlink.catalog.interview import LOSS, Question

LEAST_BITS = 0.05
"""An experiment that tells less is not worth a launch."""


def remaining(causes: Iterable[str], seen: Mapping[str, str], asked: Mapping[str, Question], symptom: str) -> list[str]:
    """The causes that fit all outcomes. ``seen``: experiment -> outcome."""
    return [cause for cause in causes if all(_fits(asked[name], symptom, cause, out) for name, out in seen.items())]


def _fits(question: Question, symptom: str, cause: str, outcome: str) -> bool:
    return question.predictions[symptom].get(cause, outcome) == outcome


def information(question: Question, causes: Sequence[str], symptom: str) -> float:
    """Bits that the outcome is expected to tell about which of ``causes`` it is."""
    if len(causes) < 2:
        return 0.0
    outcomes = question.outcomes(symptom)
    predicted = question.predictions[symptom]
    gained = log2(len(causes))
    for outcome in outcomes:
        weights = [_weight(predicted.get(cause), outcome, len(outcomes)) for cause in causes]
        total = sum(weights)
        gained -= total / len(causes) * _entropy([weight / total for weight in weights if weight]) if total else 0.0
    return max(0.0, gained)


def _weight(predicted: str | None, outcome: str, outcomes: int) -> float:
    if predicted is None:
        return 1 / outcomes
    return 1.0 if predicted == outcome else 0.0


def _entropy(shares: Sequence[float]) -> float:
    return -sum(share * log2(share) for share in shares)


def best_question(
    causes: Sequence[str], possible: Iterable[Question], symptom: str, launches: Mapping[str, int] | None = None
) -> Question | None:
    """The one that tells most for each of its launches (1, where ``launches`` does not say); of equals the first. None
    where none tells anything."""
    count = launches or {}
    best: tuple[float, Question] | None = None
    for question in possible:
        bits = information(question, causes, symptom)
        worth = bits / count.get(question.id, 1)
        if bits >= LEAST_BITS and (best is None or worth > best[0] + 1e-9):
            best = (worth, question)
    return best[1] if best is not None else None


def outcome_of(symptom: str, base_gbs: float | None, values: Sequence[float | None], *, each_hca: bool) -> str:
    """What came. ``values``: GB/s, one for each launch, None where one did not finish. "" where nothing can be said."""
    if not values:
        return ""
    if symptom != LOSS:
        return "hangs" if any(value is None for value in values) else "finishes"
    known = [value for value in values if value]
    if len(known) < len(values):
        return ""
    if each_hca:
        return "uneven" if min(known) < (1 - _DIFFERS) * max(known) else "even"
    if not base_gbs:
        return ""
    ratio = known[0] / base_gbs
    return "better" if ratio > 1 + _DIFFERS else "worse" if ratio < 1 - _DIFFERS else "same"


_DIFFERS = 0.05
"""Launches of one measurement differ by 0.1 to 3 % (docs/physics.md, "Run-to-run variation")."""
