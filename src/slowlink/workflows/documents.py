"""A report of documents: what they only describe is possible at most, and nothing is healthy beside it.

That a passage describes is a reading of words. So its causes are told, as possible; and where one of them would be
grave, what was measured elsewhere proves nothing: it may be the log of a sick job after all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from slowlink.model.report import Claim, Report, Severity
from slowlink.model.source import Passage
from slowlink.rules.diagnosis import ranked

_GRAVE: tuple[Severity, ...] = ("error", "critical")

AnyClaim = TypeVar("AnyClaim", bound=Claim)


def with_described(report: Report, described: Report, passages: Sequence[Passage]) -> Report:
    """``report`` of what happened, with what the findings of ``described`` say of what may happen."""
    grave = [found for found in described.diagnoses if found.severity in _GRAVE]
    proofs = described.verdict == "healthy"
    diagnoses = tuple(map(_softened, grave))
    doubted = report.verdict == "healthy" and bool(grave)
    alone = report.verdict == "inconclusive" and not report.diagnoses
    if doubted or (alone and (grave or proofs)):
        report = replace(report, verdict="inconclusive", headline=f"inconclusive: {_said(grave, report, passages)}")
    return replace(
        report,
        diagnoses=ranked((*report.diagnoses, *diagnoses)),
        findings=(*report.findings, *(_softened(found) for found in described.findings if found.severity in _GRAVE)),
    )


def _softened(claim: AnyClaim) -> AnyClaim:
    return replace(
        claim,
        message=f"this document describes, and does not report: {claim.message}",
        severity="warning",
        confidence="possible",
    )


def _said(grave: Sequence[Claim], report: Report, passages: Sequence[Passage]) -> str:
    """What is described, by which words, and what would settle it."""
    first = passages[0]
    if grave:
        line = next((evidence for found in grave for evidence in found.evidence), None)
        first = next((each for each in passages if line is not None and _holds(each, line.source, line.line)), first)
    what = grave[0].message if grave else "measurements"
    beside = f"; beside it: {report.headline.removeprefix('healthy: ')}" if report.verdict == "healthy" else ""
    return (
        f"this document describes failures and reports none ({first.ref.source}:{first.ref.line}: "
        f'"{first.why}"): {what}; give the log itself{beside}'
    )


def _holds(passage: Passage, source: str, line: int) -> bool:
    return passage.ref.source == source and passage.ref.line <= line <= passage.last
