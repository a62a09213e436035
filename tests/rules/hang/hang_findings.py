"""From dumps of a small job, or answers of RAS, to what one rule says, through the real parsers."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hang_jobs import Dump
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.report import Finding
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import Checked, discover, run


def of_texts(rule: str, *texts: tuple[str, str]) -> Checked:
    """What this rule says of these (name, text). A rule that breaks fails the test."""
    inputs = [Input(name, None, [text.encode()]) for name, text in texts]
    checked = run(assemble(read(inputs, workers=1)), None, rules=[each for each in discover() if each.id == rule])
    assert [outcome.reason for outcome in checked.outcomes if outcome.outcome == "broken"] == []
    assert len(checked.outcomes) == 1, f"no rule {rule}"
    return checked


def of_jobs(rule: str, *jobs: Mapping[int, Dump], more: str = "") -> tuple[Finding, ...]:
    """What this rule finds in the dumps of each job; each in a folder of its own, as JSON."""
    texts = [
        (f"dumps{number}/rank_{rank}.json", json.dumps({"rank": rank, "dump": content}))
        for number, dumps in enumerate(jobs)
        for rank, content in dumps.items()
    ]
    return of_texts(rule, *texts, ("job.log", more)).findings


def said(findings: tuple[Finding, ...]) -> list[tuple[str, str, str, str, list[str]]]:
    """(cause, severity, confidence, message, suspects) of each finding."""
    return [
        (f.cause, f.severity, f.confidence, f.message, [f"{s.kind} {s.name}" for s in f.suspects]) for f in findings
    ]
