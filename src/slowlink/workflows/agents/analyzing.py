"""The tool ``analyze``: a report on a screen, and what it rests on where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from slowlink.errors import SlowlinkError
from slowlink.model.agents import Analysis, AnalyzeAsked, FoundCause, JobFound, Quoted, ToDo
from slowlink.model.report import Confidence, Report, Severity, Verdict
from slowlink.report.escape import cleaned
from slowlink.report.terminal import rest_rows
from slowlink.report.view import DiagnosisView, EvidenceLine, View, build_view
from slowlink.workflows.agents.outgoing import cut
from slowlink.workflows.agents.pages import page
from slowlink.workflows.agents.reports import Readable, hardware_of

_CAUSES, _CAUSES_OF_JOBS, _JOBS, _NAMED = 3, 1, 10, 20
_EVIDENCE, _EVIDENCE_WHOLE, _STEPS, _STEPS_WHOLE, _EXPLAINS = 3, 30, 3, 12, 20
_LINE_CHARS, _LINE_CHARS_WHOLE, _WORDS_CHARS = 300, 2_000, 1_200


def analyzed(asked: AnalyzeAsked, readable: Readable) -> Analysis:
    """Raises SlowlinkError for a path that may not be read, or unless exactly one of path and text is given."""
    if (asked.path is None) == (asked.text is None):
        raise SlowlinkError("give either a path or a text", slug="one-input")
    hardware = hardware_of(asked, asked.nodes)
    if asked.path is not None:
        report = readable.report_at(asked.path, hardware)
    else:
        report = readable.report_on(asked.text or "", hardware)
    return _PARTS[asked.show](report, build_view(report), asked)


def _summary(_report: Report, view: View, _asked: AnalyzeAsked) -> Analysis:
    every = view.diagnoses or view.others
    shown = every[: _CAUSES_OF_JOBS if view.jobs else _CAUSES]
    rest = [each for each in (*view.diagnoses, *view.others) if each not in shown]
    rows = [f"{label}: {text}" if label else text for label, text in rest_rows(view, shown) if label != "also"]
    causes = tuple(_cause(each, _EVIDENCE, _STEPS, _LINE_CHARS) for each in shown)
    left_out = (
        ("more causes: show=causes", len(rest)),
        ("more lines of proof: show=evidence", sum(each.evidence_left_out for each in causes)),
        ("more jobs: one of them alone, by its path", max(0, len(view.jobs) - _JOBS)),
    )
    return Analysis(
        verdict=cast("Verdict", view.verdict),
        headline=cut(view.headline, _WORDS_CHARS),
        causes=causes,
        also=tuple(dict.fromkeys(each.cause for each in rest))[:_NAMED],
        jobs=_jobs(view),
        rows=tuple(cut(row, _WORDS_CHARS) for row in rows),
        total=len(view.diagnoses) + len(view.others),
        left_out="; ".join(f"{number:,} {words}" for words, number in left_out if number),
    )


def _causes(_report: Report, view: View, asked: AnalyzeAsked) -> Analysis:
    every = [
        _cause(each, _EVIDENCE_WHOLE, _STEPS_WHOLE, _LINE_CHARS_WHOLE)
        for each in (*view.diagnoses, *view.others)
        if asked.cause in ("", each.cause)
    ]
    causes, go_on = page(every, asked.skip)
    more = sum(each.evidence_left_out for each in causes)
    left_out = f"{more:,} more lines of proof: show=evidence" if more else ""
    return _answer(view, causes=causes, total=len(every), go_on=go_on, left_out=left_out)


def _evidence(report: Report, view: View, asked: AnalyzeAsked) -> Analysis:
    clean = cleaned(report)
    every = {
        (claim.cause, line.source, line.line, line.text): line
        for claim in (*clean.diagnoses, *clean.findings)
        if asked.cause in ("", claim.cause)
        for line in claim.evidence
    }
    lines = [
        Quoted(
            place=f"{source}:{number}" if number else source,
            text=cut(text.strip(), _LINE_CHARS_WHOLE),
            observed=line.observed,
            expected=line.expected,
            cause=cause,
        )
        for (cause, source, number, text), line in every.items()
    ]
    shown, go_on = page(lines, asked.skip)
    return _answer(view, evidence=shown, total=len(lines), go_on=go_on)


def _measured(_report: Report, view: View, asked: AnalyzeAsked) -> Analysis:
    rows = [
        f"{row.name}: {row.collective} on {row.ranks} ranks, {row.nodes} nodes ({row.engine}), {row.sizes}: "
        f"peak {row.peak} GB/s at {row.at_size}; expected {row.expected or 'unknown'}"
        + (f" ({row.share} of the bound, {row.state})" if row.share else "")
        + "".join(f"; {note}" for note in row.notes)
        + (f"; basis: {row.basis}" if row.basis else "")
        for row in view.sweeps
    ]
    return _rows(view, rows, asked)


def _inputs(_report: Report, view: View, asked: AnalyzeAsked) -> Analysis:
    rows = [
        f"{item.path}: {item.kinds}; {item.accounting}"
        + (f"; problem: {item.problem}" if item.problem else "")
        + "".join(f"; unread line {cut(sample, _LINE_CHARS)}" for sample in item.samples)
        for item in view.inputs
    ]
    return _rows(view, rows, asked)


def _rules(_report: Report, view: View, asked: AnalyzeAsked) -> Analysis:
    outcomes = view.outcomes
    broken = [f"broken, a defect of slowlink: {rule}: {reason}" for rule, reason in outcomes.broken]
    skipped = [f"skipped: {reason}: {', '.join(rules)}" for reason, rules in outcomes.skipped]
    passed = [f"passed: {', '.join(outcomes.passed)}"] if outcomes.passed else []
    return _rows(view, [*broken, *skipped, *passed], asked)


def _rows(view: View, every: Sequence[str], asked: AnalyzeAsked) -> Analysis:
    rows, go_on = page([cut(row, _LINE_CHARS_WHOLE) for row in every], asked.skip)
    return _answer(view, rows=rows, total=len(every), go_on=go_on)


def _answer(
    view: View,
    *,
    total: int,
    go_on: int | None,
    causes: tuple[FoundCause, ...] = (),
    evidence: tuple[Quoted, ...] = (),
    rows: tuple[str, ...] = (),
    left_out: str = "",
) -> Analysis:
    return Analysis(
        verdict=cast("Verdict", view.verdict),
        headline=cut(view.headline, _WORDS_CHARS),
        causes=causes,
        evidence=evidence,
        rows=rows,
        total=total,
        go_on=go_on,
        left_out=left_out,
    )


def _jobs(view: View) -> tuple[JobFound, ...]:
    return tuple(
        JobFound(cut(job.label, _LINE_CHARS), cast("Verdict", job.verdict), cut(job.headline, _LINE_CHARS))
        for job in view.jobs[:_JOBS]
    )


def _cause(each: DiagnosisView, most_lines: int, most_steps: int, line_chars: int) -> FoundCause:
    return FoundCause(
        cause=each.cause,
        title=each.title,
        message=cut(each.message, _WORDS_CHARS),
        severity=cast("Severity", each.severity),
        confidence=cast("Confidence", each.confidence),
        layer=each.layer,
        where=cut(each.where, _WORDS_CHARS),
        job=cut(each.job, _LINE_CHARS),
        evidence=tuple(_quoted(line, line_chars) for line in each.evidence[:most_lines]),
        evidence_left_out=max(0, len(each.evidence) - most_lines),
        explains=tuple(explained.cause for explained in each.explains[:_EXPLAINS]),
        to_do=tuple(ToDo(cut(step.text, _WORDS_CHARS), step.commands[:most_steps]) for step in each.steps[:most_steps]),
    )


def _quoted(line: EvidenceLine, most: int) -> Quoted:
    return Quoted(line.place, cut(line.text, most), cut(line.observed, most), cut(line.expected, most), line.alike)


_PARTS: Mapping[str, Callable[[Report, View, AnalyzeAsked], Analysis]] = {
    "summary": _summary,
    "causes": _causes,
    "evidence": _evidence,
    "measured": _measured,
    "inputs": _inputs,
    "rules": _rules,
}
