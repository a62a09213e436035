"""The short way to write what a check found."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.catalog.causes import cause as cause_entry
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Workload
from slowlink.model.report import Confidence, Evidence, Finding, Remedy, Severity, Suspect

_MOST_SHOWN = 200


def finding(
    cause: str,
    workload: Workload,
    message: str,
    *,
    severity: Severity,
    confidence: Confidence,
    at: Sequence[tuple[Spot, str, str]],
    do: str,
    snippet: str = "",
    references: Sequence[str] = (),
) -> Finding:
    """``message``: what, and what it costs. ``at``: places, each with what stands there and what should; a line that
    is not there is shown by what should hold it; the first is where the fault is. ``snippet``: the fix as YAML."""
    entry = cause_entry(cause)
    return Finding(
        cause=cause,
        title=entry.title,
        message=f"{workload.title}: {message}",
        layer=entry.layer,
        severity=severity,
        confidence=confidence,
        suspects=(Suspect("setting", f"{at[0][0].path} (document {workload.document})"),),
        evidence=tuple(
            Evidence(spot.source.name, spot.line, spot.source.line(spot.line), seen[:_MOST_SHOWN], wanted)
            for spot, seen, wanted in at
        ),
        remedy=(Remedy(do, snippet=snippet),),
        references=tuple(references),
    )
