"""What thresholds stand on: inputs that were read to their end, of something that did not fail.

A table that holds says nothing of the one in the part that is missing, nor of a job that ended with wrong results.
"""

from __future__ import annotations

from msgspec.structs import replace

from slowlink import exits
from slowlink.comparison.unread import what_was_not_read
from slowlink.model.report import Diagnosis, Report
from slowlink.workflows.gates import Gate, Judged

_NOT_HEARD = ("run-interrupted", "nodes-unanswered", "output-truncated")
"""Causes that say that something which was to be read is not there."""


def with_grounds(judged: Judged, report: Report) -> Judged:
    """``judged`` with a gate for each ground; without them no threshold passes. Unchanged where none was asked for."""
    if not judged.has_thresholds:
        return judged
    grounds = (_everything_was_read(report), _nothing_is_broken(report))
    missing = [ground.name for ground in grounds if not ground.passed]
    gates = tuple(_doubted(gate, missing) if missing else gate for gate in judged.gates)
    return replace(judged, gates=(*gates, *grounds))


def _doubted(gate: Gate, missing: list[str]) -> Gate:
    if not gate.threshold or not gate.passed:
        return gate
    return replace(gate, status=exits.INCONCLUSIVE, message=f"{gate.message}, but not: {', '.join(missing)}")


def what_was_not_heard(report: Report) -> str:
    """What is missing of that which was to be read, with the reason; "" where nothing is."""
    unheard = [each.message for each in report.diagnoses if _is_unheard(each)]
    return what_was_not_read(report) or next(iter(unheard), "")


def _everything_was_read(report: Report) -> Gate:
    if why := what_was_not_heard(report):
        return Gate("everything was read", exits.INCONCLUSIVE, why)
    count = len(report.inputs)
    return Gate("everything was read", exits.HEALTHY, f"{count} input{'' if count == 1 else 's'} to the end")


def _is_unheard(diagnosis: Diagnosis) -> bool:
    """Less than a warning is a remark: what it misses is not counted on."""
    told = any(cause in (diagnosis.cause, *diagnosis.explains) for cause in _NOT_HEARD)
    return told and diagnosis.severity != "info"


def _nothing_is_broken(report: Report) -> Gate:
    if report.verdict == "broken":
        return Gate("nothing is broken", exits.FINDINGS, report.headline)
    return Gate("nothing is broken", exits.HEALTHY, "what was read failed nowhere")
