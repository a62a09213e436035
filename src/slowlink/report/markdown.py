"""The report as GitHub-flavoured Markdown, for issues and tickets."""

from __future__ import annotations

import re

from slowlink.exits import DEFAULT_FAIL_ON
from slowlink.model.report import Report
from slowlink.patterns import regex
from slowlink.report.ladder import COLUMNS
from slowlink.report.view import DiagnosisView, EvidenceLine, View, build_view
from slowlink.report.wording import some_rules

FORMAT = "markdown"

MARK = "<!-- written by slowlink -->"
"""Begins each document: no reader sees it, and slowlink takes it for no log (``parsers/context/written_report.py``)."""

_SPECIAL = regex(r"([\\`*_{}\[\]|~$])")
_LINE_START = regex(r"^(\s*)(#|>|[-+]\s|=|([0-9]{1,9})([.)])(?=\s|$))")
_MENTION = regex(r"([@#])(?=\w)")
_WWW = regex(r"(?i:\bwww)(?=\.)")
_TICKS = regex(r"`+")
_LINK = regex(r"https?://[^\s<>()\[\]`\"'|\\]+")
_ID = regex(r"[\w.-]+")
_MAX_EVIDENCE = 20


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no mention of users or issues."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _SPECIAL.sub(r"\\\1", text)
    text = _LINE_START.sub(_quote_start, text)
    # GitHub turns @name, #12 and www.x into notifications and links; an empty comment keeps the two apart.
    text = _WWW.sub(r"\g<0><!-- -->", text)
    return _MENTION.sub(r"\1<!-- -->", text).replace("://", ":<!-- -->//")


def _quote_start(match: re.Match[str]) -> str:
    space, mark, digits, point = match.groups()
    return f"{space}{digits}\\{point}" if digits else f"{space}\\{mark}"


def code(name: str) -> str:
    """An id as code; a text that is no id is escaped instead, since code has no escapes."""
    return f"`{name}`" if _ID.fullmatch(name) else escaped(name)


def fenced(lines: list[str], language: str) -> list[str]:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = DEFAULT_FAIL_ON
) -> str:
    """Markdown in the order of the view."""
    del color, width, fail_on
    view = build_view(report)
    lines = [MARK, f"## {view.verdict_word}: {escaped(view.headline)}", "", *_jobs(view), *_ladder(view)]
    for number, diagnosis in enumerate(view.diagnoses, 1):
        lines += _diagnosis(diagnosis, f"{number}. " if len(view.diagnoses) > 1 else "")
    if view.proofs:
        lines += ["### Shown to be right", "", *(f"* {escaped(proof)}" for proof in view.proofs), ""]
    if view.others:
        lines += ["### Also found", ""]
        for diagnosis in view.others:
            lines += _diagnosis(diagnosis, "")
    lines += _differences(view) + _sweeps(view) + _facts(view) + _inputs(view) + _outcomes(view)
    return "\n".join(lines).rstrip("\n") + f"\n\n<sub>slowlink {escaped(view.version)}</sub>\n"


def _diagnosis(diagnosis: DiagnosisView, number: str) -> list[str]:
    lines = [f"### {number}{escaped(diagnosis.title)}", ""]
    found = f" ({escaped(diagnosis.found_by)})" if diagnosis.found_by else ""
    sure = f"{code(diagnosis.cause)}{found}, {diagnosis.severity}, {diagnosis.confidence_words}"
    if diagnosis.message:
        lines += [escaped(diagnosis.message), ""]
    if diagnosis.job:
        lines.append(f"* Job: {escaped(diagnosis.job)}")
    lines.append(f"* Cause: {sure}")
    if diagnosis.where:
        lines.append(f"* Where: {escaped(diagnosis.where)}")
    for explained in diagnosis.explains:
        said = f": {escaped(explained.text)}" if explained.text else ""
        lines.append(f"* Explains {code(explained.cause)}{said}")
    lines.append("")
    if diagnosis.evidence:
        lines += ["Evidence:", "", *fenced(_evidence(diagnosis.evidence), "text"), ""]
    if diagnosis.steps:
        lines += ["What to do:", ""]
        for index, step in enumerate(diagnosis.steps, 1):
            lines += [f"{index}. {escaped(step.text)}", ""]
            if step.commands:
                lines += [f"   {line}" for line in fenced(list(step.commands), "sh")] + [""]
            if step.snippet:
                lines += [f"   {line}" for line in fenced(list(step.snippet), "yaml")] + [""]
    if diagnosis.references:
        lines += ["References: " + ", ".join(map(_reference, diagnosis.references)), ""]
    return lines


def _jobs(view: View) -> list[str]:
    if not view.jobs:
        return []
    rows: list[tuple[str, ...]] = [(job.verdict_word, job.label, job.headline) for job in view.jobs]
    return ["### Jobs", "", *_table(("Verdict", "Job", "Answer"), rows, frozenset())]


def _ladder(view: View) -> list[str]:
    if view.ladder is None:
        return []
    found = view.ladder
    rows: list[tuple[str, ...]] = [
        (row.word, row.title, *row.numbers, "; ".join((row.note, *row.details))) for row in found.rows
    ]
    lines = ["### Layers", "", escaped(found.headline), ""]
    lines += _table(("", *COLUMNS[:-1], "what"), rows, frozenset(COLUMNS[1:5]))
    lines += [f"* {word}: {escaped(line)}" for word, line in found.absent]
    lines += [f"* {escaped(line)}" for line in found.interview]
    return [*lines, "", *(fenced([found.command], "sh") if found.command else []), ""]


def _differences(view: View) -> list[str]:
    if not view.differences:
        return []
    rows = [
        f"| {escaped(row.what)} | {'; '.join(map(escaped, row.others))} | {escaped(row.most)} |"
        for row in view.differences
    ]
    return ["### Nodes that differ", "", "| what | few | most |", "|---|---|---|", *rows, ""]


def _reference(reference: str) -> str:
    return f"<{reference}>" if _LINK.fullmatch(reference) else escaped(reference)


def _evidence(evidence: tuple[EvidenceLine, ...]) -> list[str]:
    lines = []
    for line in evidence[:_MAX_EVIDENCE]:
        lines.append(f"{line.place}  {line.text}".rstrip())
        lines.extend(f"    {remark}" for remark in (line.comparison, line.alike) if remark)
    if len(evidence) > _MAX_EVIDENCE:
        lines.append(f"and {len(evidence) - _MAX_EVIDENCE} more kinds of line")
    return lines


def _table(headers: tuple[str, ...], rows: list[tuple[str, ...]], right: frozenset[str]) -> list[str]:
    rule = ("---:" if name in right else "---" for name in headers)
    body = ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows]
    return ["| " + " | ".join(headers) + " |", "| " + " | ".join(rule) + " |", *body, ""]


def _sweeps(view: View) -> list[str]:
    if not view.sweeps:
        return []
    headers = ("Where", "Collective", "Ranks", "Nodes", "Sizes", "Peak", "At", "Expected", "Of bound")
    rows: list[tuple[str, ...]] = [
        (
            row.name,
            row.collective,
            row.ranks,
            row.nodes,
            row.sizes,
            row.peak,
            row.at_size,
            row.expected or "unknown",
            row.share or "-",
        )
        for row in view.sweeps
    ]
    right = frozenset({"Ranks", "Nodes", "Peak", "At", "Expected", "Of bound"})
    lines = ["### Measured (bus bandwidth in GB/s)", "", *_table(headers, rows, right)]
    notes = [f"* {escaped(names)}: {escaped(note)}" for note, names in view.notes]
    notes += [f"* Expected: {escaped(basis)}" for basis in view.bases]
    return lines + ([*notes, ""] if notes else [])


def _facts(view: View) -> list[str]:
    of_jobs = [(job.label, job.facts) for job in view.jobs if job.facts]
    if not view.facts and not of_jobs:
        return []
    lines = ["### Known from the input", ""]
    if view.facts:
        lines += _table(("Fact", "Value"), list(view.facts), frozenset())
    for label, facts in of_jobs:
        lines += [f"{escaped(label)}:", "", *_table(("Fact", "Value"), list(facts), frozenset())]
    return lines


def _inputs(view: View) -> list[str]:
    lines = ["### Read", ""]
    if not view.inputs:
        return [*lines, "Nothing.", ""]
    samples = []
    for item in view.inputs:
        problem = f" {escaped(item.problem)}" if item.problem else ""
        lines.append(f"* {escaped(item.path)} ({escaped(item.kinds)}), {escaped(item.accounting)}{problem}")
        samples += [f"{item.name}  {sample}" for sample in item.samples]
    lines.append("")
    return lines + (["Unread, for instance:", "", *fenced(samples, "text"), ""] if samples else [])


def _outcomes(view: View) -> list[str]:
    lines = ["<details>", f"<summary>Rules: {view.outcomes.summary}</summary>", ""]
    lines += [f"* skipped, {escaped(reason)}: {escaped(some_rules(rules))}" for reason, rules in view.outcomes.skipped]
    lines += [
        f"* broken (a defect of slowlink, not of the cluster), {escaped(rule)}: {escaped(reason)}"
        for rule, reason in view.outcomes.broken
    ]
    return [*lines, "", "</details>", ""]
