"""What rules yield, and the short way to write it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowlink.catalog.causes import cause as cause_entry
from slowlink.model.report import Confidence, Evidence, Finding, Remedy, Severity, Suspect
from slowlink.model.source import Ref


@dataclass(frozen=True, slots=True)
class Proof:
    """Something that was measured or seen and is as it should be: what a healthy verdict rests on."""

    message: str
    evidence: tuple[Evidence, ...] = ()
    weight: int = 1
    """Which proof leads the headline: 3 a collective against its bound, 2 a link, 1 a completed start-up or
    sound devices, 0 a setting that is right, or nodes that are alike: worth saying, and no health by itself."""
    conditional: bool = False
    """Holds only under an assumption that the message states."""
    leads: bool = False
    """Goes first among proofs of its weight: what a reader asks for first (GPUs, ports)."""


def line_evidence(ref: Ref, observed: str = "", expected: str = "") -> Evidence:
    """One input line as evidence."""
    return Evidence(source=ref.source, line=ref.line, text=ref.text, observed=observed, expected=expected)


def lines_evidence(refs: Iterable[Ref], most: int = 3) -> tuple[Evidence, ...]:
    """The first ``most`` distinct lines as evidence."""
    seen: dict[tuple[str, int], Evidence] = {}
    for ref in refs:
        if len(seen) >= most:
            break
        seen.setdefault((ref.source, ref.line), line_evidence(ref))
    return tuple(seen.values())


def suspects(kind: str, names: Iterable[str | None]) -> tuple[Suspect, ...]:
    """Distinct suspects of one kind, in order; unknown names are left out."""
    return tuple(Suspect(kind, name) for name in dict.fromkeys(names) if name)


def finding(
    cause: str,
    message: str,
    *,
    severity: Severity,
    confidence: Confidence,
    evidence: Sequence[Evidence] = (),
    suspects: Sequence[Suspect] = (),
    explains: Sequence[str] = (),
    remedy: Sequence[tuple[str, str]] = (),
    references: Sequence[str] = (),
) -> Finding:
    """A finding with the title and layer of its cause. ``remedy`` is (words, command) pairs; the command may be ""."""
    entry = cause_entry(cause)
    return Finding(
        cause=cause,
        title=entry.title,
        message=message,
        layer=entry.layer,
        severity=severity,
        confidence=confidence,
        suspects=tuple(suspects),
        evidence=tuple(evidence),
        explains=tuple(explains),
        remedy=tuple(Remedy(text, command) for text, command in remedy),
        references=tuple(references),
    )
