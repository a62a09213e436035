"""What a report shows, in which words and in which order; the terminal, HTML and Markdown only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.report import (
    Diagnosis,
    Evidence,
    Finding,
    InputSummary,
    Outcome,
    Remedy,
    Report,
    Suspect,
)
from slowlink.report.difference_rows import DifferenceRow, difference_rows
from slowlink.report.folding import fold_names, fold_repeats, shape_of, short_sets
from slowlink.report.key_facts import proofs, split_facts
from slowlink.report.ladder import LadderView, ladder_view
from slowlink.report.presented import presented, shared_directory
from slowlink.report.sweep_rows import SweepRow, sweep_rows
from slowlink.report.wording import CONFIDENCES, LAYERS, VERDICTS, count, found_by, where

_MAX_SAMPLES = 3
NOTHING_KNOWN = "nothing recognised"
"""Kinds of an input in which no parser found anything."""
_WORST_FIRST = ("broken", "degraded", "inconclusive", "healthy")


class EvidenceLine(Struct, frozen=True):
    """One line of proof, standing for all lines of its shape."""

    place: str
    """``job.log:41``; the source alone where it has no lines."""
    text: str
    observed: str
    expected: str
    alike: str
    """``and 7 lines like it, up to line 63``; "" when it stands for itself."""

    @property
    def comparison(self) -> str:
        """``observed 9.4 GB/s, expected 36-40 GB/s``, as far as both are known."""
        parts = (("observed", self.observed), ("expected", self.expected))
        return ", ".join(f"{word} {value}" for word, value in parts if value)


class Step(Struct, frozen=True):
    """One thing to do."""

    text: str
    commands: tuple[str, ...]
    snippet: tuple[str, ...] = ()
    """Lines for a file."""


class Explained(Struct, frozen=True):
    """A symptom that follows from a root cause."""

    cause: str
    text: str


class DiagnosisView(Struct, frozen=True):
    """One root cause with its proof and what to do."""

    cause: str
    found_by: str
    """``found by port-rate-differs``; "" where the rule has the name of the cause."""
    title: str
    message: str
    """"" where the headline says the same."""
    nodes: str
    """``82 of 512 nodes``, ``all 512 nodes``; "" where it is no more than one, or nobody says which."""
    severity: str
    confidence: str
    confidence_words: str
    layer: str
    job: str
    """"" where the input is one job."""
    where: str
    evidence: tuple[EvidenceLine, ...]
    explains: tuple[Explained, ...]
    steps: tuple[Step, ...]
    references: tuple[str, ...]


class JobView(Struct, frozen=True):
    """One job of a heap as a row of the table that leads."""

    verdict: str
    verdict_word: str
    label: str
    headline: str
    facts: tuple[tuple[str, str], ...]
    """Key facts that do not hold for all jobs."""


class InputView(Struct, frozen=True):
    """What became of one input's lines."""

    name: str
    """The path without the directory that all inputs share."""
    path: str
    kinds: str
    accounting: str
    unread: int
    lines: int
    samples: tuple[str, ...]
    problem: str
    is_copy: bool = False
    """Its content was counted with another input."""


class OutcomesView(Struct, frozen=True):
    """What the rules did, in few words."""

    summary: str
    found: tuple[str, ...]
    passed: tuple[str, ...]
    """With where its cause was found, should another rule have found it; skipped rules likewise."""
    skipped: tuple[tuple[str, tuple[str, ...]], ...]
    """(reason, the rules it stopped)."""
    broken: tuple[tuple[str, str], ...]
    """(rule, reason): a defect of slowlink, never of the cluster."""


class View(Struct, frozen=True):
    """The whole page."""

    verdict: str
    verdict_word: str
    headline: str
    version: str
    jobs: tuple[JobView, ...]
    """The worst first; empty where the input is one job."""
    diagnoses: tuple[DiagnosisView, ...]
    others: tuple[DiagnosisView, ...]
    """Findings that no diagnosis holds or explains."""
    proofs: tuple[str, ...]
    """What was shown to be right, in sentences."""
    differences: tuple[DifferenceRow, ...]
    """How nodes differ from one another, what matters most first."""
    sweeps: tuple[SweepRow, ...]
    bases: tuple[str, ...]
    """The sentences that derive what was expected of the sweeps."""
    notes: tuple[tuple[str, str], ...]
    """(what is to be said of sweeps, which ones)."""
    facts: tuple[tuple[str, str], ...]
    more_facts: tuple[tuple[str, str], ...]
    inputs: tuple[InputView, ...]
    outcomes: OutcomesView
    ladder: LadderView | None = None
    """Of a bundle that ``slowlink check`` made."""


def build_view(report: Report) -> View:
    """The view of a report. Every string in it is safe to show (see ``escape``)."""
    return view_of(presented(report))


def view_of(clean: Report) -> View:
    """The view of a report that is as it may be shown already (``presented``)."""
    headline = short_headline(clean)
    key_facts, more_facts = split_facts(clean.facts)
    diagnoses = _fold_equal(clean.diagnoses)
    known = {
        (diagnosis.job, cause) for diagnosis in clean.diagnoses for cause in (diagnosis.cause, *diagnosis.explains)
    }
    unknown = (finding for finding in clean.findings if (finding.job, finding.cause) not in known)
    others = _fold_equal([Diagnosis.of(finding) for finding in unknown])
    sweeps = sweep_rows(clean)
    directory = shared_directory(item.path for item in clean.inputs)
    return View(
        verdict=clean.verdict,
        verdict_word=VERDICTS.get(clean.verdict, clean.verdict),
        headline=headline,
        version=clean.slowlink,
        jobs=_jobs(clean),
        diagnoses=tuple(_diagnosis(diagnosis, clean, headline) for diagnosis in diagnoses),
        others=tuple(_diagnosis(diagnosis, clean, headline) for diagnosis in others),
        proofs=proofs(clean.facts),
        differences=difference_rows(clean),
        sweeps=sweeps,
        bases=tuple(dict.fromkeys(row.basis for row in sweeps if row.basis)),
        notes=_notes(sweeps),
        facts=key_facts,
        more_facts=more_facts,
        inputs=tuple(_input(item, directory) for item in clean.inputs),
        outcomes=_outcomes(clean.outcomes, clean.findings),
        ladder=ladder_view(clean.ladder),
    )


def short_headline(report: Report) -> str:
    """The headline without the verdict, which is shown beside it, and with long sets of nodes as their number."""
    return short_sets(report.headline.removeprefix(f"{report.verdict}: "), nodes_in_all(report))


def nodes_in_all(report: Report) -> int:
    """How many nodes there are, as far as the input tells; 0 where it does not."""
    asked, ran = report.facts.get("state_nodes"), report.facts.get("nnodes")
    return max(len(asked) if isinstance(asked, (list, tuple)) else 0, ran if isinstance(ran, int) else 0)


def _jobs(report: Report) -> tuple[JobView, ...]:
    first = {label: number for number, label in enumerate(dict.fromkeys(item.job for item in report.diagnoses))}
    jobs = sorted(report.jobs, key=lambda job: (_WORST_FIRST.index(job.verdict), first.get(job.label, len(first))))
    return tuple(
        JobView(
            verdict=job.verdict,
            verdict_word=VERDICTS.get(job.verdict, job.verdict),
            label=job.label,
            headline=job.headline,
            facts=tuple(fact for fact in split_facts(job.facts)[0] if fact[0] not in report.facts),
        )
        for job in jobs
    )


def _notes(sweeps: Sequence[SweepRow]) -> tuple[tuple[str, str], ...]:
    names: dict[str, list[str]] = {}
    for row in sweeps:
        for note in row.notes:
            names.setdefault(note, []).append(row.name)
    return tuple((note, fold_names(rows)) for note, rows in names.items())


def _names(suspects: Iterable[Suspect]) -> list[str]:
    return [suspect.name for suspect in suspects]


def _fold_equal(diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Join diagnoses that say the same of different suspects, in the order of the first of each."""
    groups: dict[object, list[Diagnosis]] = {}
    for diagnosis in diagnoses:
        said = shape_of(diagnosis.message, _names(diagnosis.suspects))
        kinds = tuple(sorted({suspect.kind for suspect in diagnosis.suspects}))
        key = (diagnosis.job, diagnosis.cause, diagnosis.severity, diagnosis.confidence, kinds, said)
        groups.setdefault(key, []).append(diagnosis)
    return [_joined(group) for group in groups.values()]


def _joined(group: list[Diagnosis]) -> Diagnosis:
    first = group[0]
    if len(group) == 1:
        return first
    suspects = tuple(dict.fromkeys(suspect for item in group for suspect in item.suspects))
    message = first.message
    if len(first.suspects) == 1 and first.suspects[0].name:
        # Only one name stands in the message, so the folded names can take its place.
        message = message.replace(first.suspects[0].name, fold_names(_names(suspects)))
    rest = [suspect for suspect in suspects if suspect not in first.suspects]
    remedy = first.remedy
    if any(item.remedy != first.remedy for item in group) and rest:
        remedy = (*remedy, Remedy(f"The same on {where(tuple(rest))}."))
    return replace(
        first,
        message=message,
        suspects=suspects,
        evidence=tuple(line for item in group for line in item.evidence),
        explains=tuple(dict.fromkeys(cause for item in group for cause in item.explains)),
        remedy=remedy,
        rules=tuple(dict.fromkeys(rule for item in group for rule in item.rules)),
    )


def _diagnosis(diagnosis: Diagnosis, report: Report, headline: str) -> DiagnosisView:
    total = nodes_in_all(report)
    message = short_sets(diagnosis.message, total)
    said_above = message.rstrip(".") == headline.rstrip(".")
    explained = ((cause, _said_of(cause, diagnosis.job, report.findings)) for cause in diagnosis.explains)
    return DiagnosisView(
        cause=diagnosis.cause,
        found_by=found_by(diagnosis.cause, diagnosis.rules),
        title=diagnosis.title,
        message="" if said_above else message,
        nodes=_nodes(diagnosis, total),
        severity=diagnosis.severity,
        confidence=diagnosis.confidence,
        confidence_words=CONFIDENCES.get(diagnosis.confidence, diagnosis.confidence),
        layer=LAYERS.get(diagnosis.layer, diagnosis.layer),
        job=diagnosis.job,
        where=where(diagnosis.suspects),
        evidence=evidence_lines(diagnosis.evidence, _names(diagnosis.suspects)),
        explains=tuple(Explained(cause, short_sets(text, total)) for cause, text in explained),
        steps=tuple(_step(remedy) for remedy in diagnosis.remedy),
        references=diagnosis.references,
    )


def _nodes(diagnosis: Diagnosis, total: int) -> str:
    named = len({suspect.name for suspect in diagnosis.suspects if suspect.kind == "node"})
    if named < 2:
        return ""
    if named == total:
        return f"all {total} nodes" if total > 2 else "both nodes"
    return f"{named} of {total} nodes" if named < total else f"{named} nodes"


def _said_of(cause: str, job: str, findings: Sequence[Finding]) -> str:
    """What the findings say of an explained cause; "" when no rule found it."""
    of_it = (finding for finding in findings if (finding.job, finding.cause) == (job, cause))
    messages = [finding.message or finding.title for finding in of_it]
    if not messages:
        return ""
    more = len(messages) - 1
    return messages[0] + (f" (and {count(more, 'finding')} like it)" if more else "")


def _step(remedy: Remedy) -> Step:
    commands = tuple(line for line in remedy.command.split("\n") if line.strip())
    return Step(remedy.text, commands, tuple(remedy.snippet.split("\n")) if remedy.snippet else ())


def _place(evidence: Evidence) -> str:
    return f"{evidence.source}:{evidence.line}" if evidence.line else evidence.source


def evidence_lines(lines: Sequence[Evidence], names: Sequence[str]) -> tuple[EvidenceLine, ...]:
    """Evidence with equal lines folded; ``names`` are the suspects, in which equal lines may differ."""
    keys = [(shape_of(line.text, names), line.observed, line.expected) for line in lines]
    shown = []
    for repeat in fold_repeats(keys):
        line = lines[repeat.first]
        alike = ""
        if repeat.times > 1:
            last = lines[repeat.last]
            place = f"line {last.line}" if last.source == line.source else _place(last)
            alike = f"and {count(repeat.times - 1, 'line')} like it, up to {place}"
        shown.append(EvidenceLine(_place(line), line.text.strip(), line.observed, line.expected, alike))
    return tuple(shown)


def _accounting(item: InputSummary) -> str:
    """What became of its lines; a binary format has none."""
    if item.copy_of is not None:
        return f"a copy of {item.copy_of}, counted once"
    if item.kinds and not item.lines:
        return f"{count(item.bytes, 'byte')}, no text"
    inside = "; some in texts that it holds" if item.unread_samples and not item.unread else ""
    return f"{count(item.lines, 'line')}: {item.used:,} used, {item.ignored:,} ignored, {item.unread:,} unread{inside}"


def _input(item: InputSummary, directory: str) -> InputView:
    return InputView(
        name=item.path.removeprefix(directory),
        path=item.path,
        kinds=", ".join(item.kinds) or NOTHING_KNOWN,
        accounting=_accounting(item),
        unread=item.unread if item.copy_of is None else 0,
        lines=item.lines if item.copy_of is None else 0,
        samples=item.unread_samples[:_MAX_SAMPLES] if item.copy_of is None else (),
        problem=item.problem or "",
        is_copy=item.copy_of is not None,
    )


def found_elsewhere(rule: str, findings: Iterable[Finding]) -> str:
    """``cause found by port-rate-differs``: a rule can be skipped, or pass, while others find the cause of its name."""
    others = dict.fromkeys(finding.rule for finding in findings if finding.cause == rule)
    said = found_by(rule, tuple(other for other in others if other not in ("", rule)))
    return f"cause {said}" if said else ""


def _rule_name(rule: str, findings: Sequence[Finding]) -> str:
    elsewhere = found_elsewhere(rule, findings)
    return f"{rule} ({elsewhere})" if elsewhere else rule


def _skipped(outcomes: Sequence[Outcome], findings: Sequence[Finding]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Short reports cut the reasons and the rules of each: first comes what other rules found, then what stops most."""
    reasons: dict[str, dict[str, bool]] = {}
    for outcome in outcomes:
        rules = reasons.setdefault(outcome.reason or "no reason given", {})
        rules[_rule_name(outcome.rule, findings)] = bool(found_elsewhere(outcome.rule, findings))
    ranked = sorted(reasons.items(), key=lambda item: (not any(item[1].values()), -len(item[1])))
    return tuple((reason, tuple(sorted(rules, key=lambda rule: not rules[rule]))) for reason, rules in ranked)


def _outcomes(outcomes: Sequence[Outcome], findings: Sequence[Finding]) -> OutcomesView:
    by_kind: dict[str, list[Outcome]] = {"passed": [], "found": [], "skipped": [], "broken": []}
    for outcome in outcomes:
        by_kind.setdefault(outcome.outcome, []).append(outcome)
    return OutcomesView(
        summary=", ".join(f"{len(items)} {kind}" for kind, items in by_kind.items()),
        found=tuple(outcome.rule for outcome in by_kind["found"]),
        passed=tuple(_rule_name(outcome.rule, findings) for outcome in by_kind["passed"]),
        skipped=_skipped(by_kind["skipped"], findings),
        broken=tuple((outcome.rule, outcome.reason) for outcome in by_kind["broken"]),
    )
