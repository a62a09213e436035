"""From the text of whole jobs to what one rule says of them, through the real pipeline."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace
from text_findings import remedy_of

from slowlink.catalog.given import given_hardware
from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.report import Finding, Outcome
from slowlink.parsers.reading.read import read
from slowlink.report.not_collected import reason
from slowlink.rules.engine import discover, run
from slowlink.rules.evidence.findings import Proof


class Said(Struct, frozen=True):
    """What one rule made of an input."""

    findings: tuple[Finding, ...]
    proofs: tuple[Proof, ...]
    outcome: Outcome


def check(rule: str, text: str, *more: str, system: str | None = None, nics: str | None = None) -> Said:
    """Runs ``rule`` over one source for each text. A rule that breaks fails the test."""
    inputs = [Input(f"job{n or ''}.log", None, [one.encode()]) for n, one in enumerate((text, *more))]
    facts = assemble(read(inputs, workers=1), given_hardware(system=system, nics=nics))
    expected = assemble_expectations(facts)
    checked = run(facts, expected or None, rules=[each for each in discover() if each.id == rule])
    (outcome,) = checked.outcomes
    assert outcome.outcome != "broken", outcome.reason
    if outcome.outcome == "skipped":
        outcome = replace(outcome, reason=reason(checked.absences[rule]))
    return Said(checked.findings, checked.proofs, outcome)


def findings(rule: str, text: str, *more: str, system: str | None = None, nics: str | None = None) -> list[object]:
    """Every finding of ``rule``, as ``whole`` shows it."""
    return [whole(each) for each in check(rule, text, *more, system=system, nics=nics).findings]


def remedies(
    rule: str, text: str, *more: str, system: str | None = None, nics: str | None = None
) -> list[list[tuple[str, str]]]:
    """The whole remedy of each finding of ``rule``: what to do in words, and the command for it or ""."""
    return [remedy_of(each) for each in check(rule, text, *more, system=system, nics=nics).findings]


def skipped(rule: str, text: str) -> str:
    """Why the rule could not run."""
    outcome = check(rule, text).outcome
    assert outcome.outcome == "skipped"
    return outcome.reason


def whole(found: Finding) -> dict[str, object]:
    """A finding as plain values; evidence as line number and what was seen there against what should be."""
    evidence = [(e.line, " / ".join(part for part in (e.observed, e.expected) if part)) for e in found.evidence]
    return {
        "cause": found.cause,
        "message": found.message,
        "how": f"{found.severity}, {found.confidence}",
        "suspects": [f"{s.kind} {s.name}" for s in found.suspects],
        "evidence": evidence,
        "explains": list(found.explains),
    }


def lines_at(text: str, found: Finding) -> list[str]:
    """The input's own lines at the evidence's numbers: what a reader finds there."""
    lines = text.splitlines()
    return [lines[e.line - 1] for e in found.evidence]
