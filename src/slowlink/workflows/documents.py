"""A report of documents: what they only describe is possible at most, and nothing is healthy beside it.

That a passage describes is a reading of words. So its causes are told, as possible; and where one of them would cost
anything, what was measured elsewhere proves nothing: it may be the log of a sick job after all.
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
    """``report`` of what happened, with what ``described`` says of what may happen."""
    diagnoses = tuple(map(_softened, described.diagnoses))
    findings = tuple(map(_softened, described.findings))
    doubted = report.verdict == "healthy" and any(found.severity != "info" for found in described.diagnoses)
    alone = report.verdict == "inconclusive" and not report.findings
    if alone or doubted:
        said = f"inconclusive: {_said(described.diagnoses, report, passages)}"
        report = replace(report, verdict="inconclusive", headline=said)
    return replace(
        report,
        diagnoses=ranked((*report.diagnoses, *diagnoses)),
        findings=(*report.findings, *findings),
        outcomes=described.outcomes if alone else report.outcomes,
        sweeps=(*report.sweeps, *described.sweeps),
        expectations=(*report.expectations, *described.expectations),
        facts={**described.facts, **report.facts, "proofs": report.facts.get("proofs", [])},
    )


def _softened(claim: AnyClaim) -> AnyClaim:
    return replace(
        claim,
        message=f"this document describes, and does not report: {claim.message}",
        severity="warning" if claim.severity in _GRAVE else claim.severity,
        confidence="possible",
    )


def _said(described: Sequence[Claim], report: Report, passages: Sequence[Passage]) -> str:
    """What is described, by which words, and what would settle it."""
    lines = ((evidence.source, evidence.line) for found in described for evidence in found.evidence)
    line = next(lines, None)
    by = next((each for each in passages if line is not None and _holds(each, *line)), passages[0])
    what = described[0].message if described else "how it looks"
    beside = f"; beside it: {report.headline.removeprefix('healthy: ')}" if report.verdict == "healthy" else ""
    where = f'{by.ref.source}:{by.ref.line}: "{by.why}"'
    return f"this document describes and does not report ({where}): {what}; give the log itself{beside}"


def _holds(passage: Passage, source: str, line: int) -> bool:
    return passage.ref.source == source and passage.ref.line <= line <= passage.last
