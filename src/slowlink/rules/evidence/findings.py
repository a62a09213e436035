"""What rules yield, and the short way to write it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from slowlink.catalog.causes import cause as cause_entry
from slowlink.model.report import Confidence, Evidence, Finding, Remedy, Severity, Suspect
from slowlink.model.source import Ref
from slowlink.rules.evidence.commands import exported


class Proof(Struct, frozen=True):
    """Something that was measured or seen and is as it should be: a healthy verdict rests on these."""

    message: str
    evidence: tuple[Evidence, ...] = ()
    weight: int = 1
    """Which proof leads the headline: 3 a collective compared with its bound, 2 a link, 1 sound devices or a job that
    did its work. 0 is a setting that is right, a completed start-up, or nodes that are alike: worth saying, but nothing
    was measured, so it makes no job healthy."""
    leads: bool = False
    """Goes first among proofs of its weight, because readers ask for it first (GPUs, ports)."""
    measured: bool = False
    """Measurements that agree with one another; with a weight of 0 nothing says how high they should be."""
    doubted_by: tuple[str, ...] = ()
    """Causes that leave it open even where they are only noted: of sound parts alone nobody knows whether they are
    enough."""
    undecided: bool = False
    """Seen, and as it should be or not: nothing says which. Such a proof weighs 0 and is nowhere called right."""


class Step(NamedTuple):
    """One step of a remedy. Steps that several rules share have a name; a rule's own are plain pairs."""

    words: str
    command: str = ""
    """Shell, ready to copy; "" where no command does it."""


def line_evidence(ref: Ref, observed: str = "", expected: str = "") -> Evidence:
    """One input line as evidence, with what it shows and what it should show."""
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
    title: str = "",
) -> Finding:
    """A finding with the layer of its cause (``catalog/causes.toml``), and with the title of it where ``title`` brings
    none that fits better. ``explains`` are the causes that are mere symptoms where this one holds; ``remedy`` is steps,
    as ``Step`` or as a pair (words, command or "").

    Raises KeyError for an unknown cause.
    """
    entry = cause_entry(cause)
    return Finding(
        cause=cause,
        title=title or entry.title,
        message=message,
        layer=entry.layer,
        severity=severity,
        confidence=confidence,
        suspects=tuple(suspects),
        evidence=tuple(evidence),
        explains=tuple(explains),
        remedy=tuple(Remedy(text, exported(command)) for text, command in remedy),
        references=tuple(references),
    )
