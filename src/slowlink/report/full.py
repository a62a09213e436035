"""All of a report for a person at a terminal: the headline first, then the proof, what to do, and all that was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slowlink.exits import DEFAULT_FAIL_ON
from slowlink.model.report import Report
from slowlink.report.console import (
    SEVERITY_STYLE,
    STATE_STYLE,
    VERDICT_STYLE,
    indented,
    labelled,
    pasted,
    printed,
    quoted,
    section,
    styled,
)
from slowlink.report.ladder_text import print_ladder
from slowlink.report.sweep_rows import SweepRow
from slowlink.report.view import DiagnosisView, EvidenceLine, InputView, View, build_view
from slowlink.report.wording import count, some_rules

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

FORMAT = "full"

_MAX_EVIDENCE = 8
_MAX_BASES = 3
_MAX_DIFFERENCES = 12
_MAX_INPUTS = 10
_MAX_REASONS = 6
_MAX_UNREAD = 5
_MAX_JOBS = 20
_MAX_OF_JOBS = 10
"""Causes of several jobs that are shown whole; the table of jobs has the others in a line."""
_MAX_SWEEPS = 20
"""More sweeps than this are not listed; those below their band come first then."""
_TABLE_WIDTH = 96
"""Below this the sweeps are sentences, since a table would lose columns."""


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = DEFAULT_FAIL_ON
) -> str:
    """The report for a terminal of 60 to 200 columns; without colour it is plain text."""
    del fail_on
    view = build_view(report)
    return printed(lambda console: _print_view(console, view), color, width)


def _print_view(console: Console, view: View) -> None:
    _print_headline(console, view)
    _print_jobs(console, view)
    print_ladder(console, view.ladder)
    shown = view.diagnoses[:_MAX_OF_JOBS] if view.jobs else view.diagnoses
    for number, diagnosis in enumerate(shown, 1):
        _print_diagnosis(console, diagnosis, f"{number}. " if len(view.diagnoses) > 1 else "")
    if len(shown) < len(view.diagnoses):
        rest = len(view.diagnoses) - len(shown)
        indented(console, styled(f"and {rest} more causes (all of them with --format html)", "dim"), 0)
    if view.proofs:
        section(console, "Shown to be right")
        for proof in view.proofs:
            indented(console, styled(proof))
    if view.others:
        section(console, "Also found")
        for diagnosis in view.others:
            _print_diagnosis(console, diagnosis, "")
    _print_differences(console, view)
    _print_sweeps(console, view)
    _print_facts(console, view)
    _print_inputs(console, view)
    _print_outcomes(console, view)


def _print_headline(console: Console, view: View) -> None:
    from rich.table import Table

    style = VERDICT_STYLE.get(view.verdict, "")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(styled(view.verdict_word, f"bold {style}".strip()), styled(view.headline, "bold"))
    console.print(grid)


def _print_jobs(console: Console, view: View) -> None:
    """The table that leads where the input holds several jobs."""
    from rich.padding import Padding
    from rich.table import Table

    if not view.jobs:
        return
    section(console, f"Jobs: {len(view.jobs)}")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for job in view.jobs[:_MAX_JOBS]:
        grid.add_row(styled(job.verdict_word, VERDICT_STYLE.get(job.verdict, "")), styled(job.label, "bold"))
        grid.add_row(styled(""), styled(job.headline))
    console.print(Padding(grid, (0, 0, 0, 2)))
    rest = len(view.jobs) - _MAX_JOBS
    if rest > 0:
        indented(console, styled(f"and {rest} more (all of them with --format html)", "dim"))


def _print_diagnosis(console: Console, diagnosis: DiagnosisView, number: str) -> None:
    from rich.text import Text

    console.print()
    head = Text.assemble(
        (number, "bold"),
        (diagnosis.title, "bold"),
        f"  [{', '.join(filter(None, (diagnosis.cause, diagnosis.found_by)))}]  ",
        (diagnosis.severity, SEVERITY_STYLE.get(diagnosis.severity, "")),
        f", {diagnosis.confidence}",
        overflow="fold",
    )
    console.print(head)
    if diagnosis.job:
        labelled(console, "job", styled(diagnosis.job))
    if diagnosis.message:
        labelled(console, "what", styled(diagnosis.message))
    if diagnosis.where:
        labelled(console, "where", styled(diagnosis.where))
    labelled(console, "how sure", styled(diagnosis.confidence_words))
    _print_evidence(console, diagnosis.evidence)
    for index, explained in enumerate(diagnosis.explains):
        text = f"{explained.cause}: {explained.text}" if explained.text else explained.cause
        labelled(console, "" if index else "explains", styled(text))
    for index, step in enumerate(diagnosis.steps):
        labelled(console, "" if index else "do", styled(step.text))
        for command in step.commands:
            pasted(console, command)
        quoted(console, step.snippet)
    for index, reference in enumerate(diagnosis.references):
        labelled(console, "" if index else "see", styled(reference, "dim"))


def _print_evidence(console: Console, evidence: tuple[EvidenceLine, ...]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    for index, line in enumerate(evidence[:_MAX_EVIDENCE]):
        content = Text.assemble((line.place, "cyan"), "  ", line.text, overflow="fold")
        labelled(console, "" if index else "evidence", content)
        remark = "; ".join(part for part in (line.comparison, line.alike) if part)
        if remark:
            labelled(console, "", Padding(styled(remark, "dim"), (0, 0, 0, 2)))
    rest = len(evidence) - _MAX_EVIDENCE
    if rest > 0:
        labelled(console, "", styled(f"and {rest} more kinds of line (all of them with --format html)", "dim"))


def _print_differences(console: Console, view: View) -> None:
    if not view.differences:
        return
    section(console, "Nodes that differ")
    for row in view.differences[:_MAX_DIFFERENCES]:
        text = styled(f"{row.what}  ")
        text.append("; ".join((*row.others, row.most)), "dim")
        indented(console, text)
    rest = len(view.differences) - _MAX_DIFFERENCES
    if rest > 0:
        indented(console, styled(f"and {rest} more (all of them with --format html)", "dim"))


def _print_sweeps(console: Console, view: View) -> None:
    if not view.sweeps:
        return
    section(console, "Measured (bus bandwidth in GB/s)")
    shown = view.sweeps
    if len(shown) > _MAX_SWEEPS:
        shown = tuple(sorted(shown, key=lambda row: row.state != "below"))[:_MAX_SWEEPS]
    if console.width < _TABLE_WIDTH:
        for row in shown:
            indented(console, _sweep_sentence(row))
    else:
        _print_sweep_table(console, shown, one_file=len(view.inputs) == 1)
    if len(shown) < len(view.sweeps):
        rest = len(view.sweeps) - len(shown)
        indented(console, styled(f"and {rest} more (all of them with --format html)", "dim"))
    for note, names in view.notes:
        indented(console, styled(f"{names}: {note}"))
    for basis in view.bases[:_MAX_BASES]:
        indented(console, styled(f"expected: {basis}", "dim"))
    if len(view.bases) > _MAX_BASES:
        rest = len(view.bases) - _MAX_BASES
        indented(console, styled(f"and {rest} more derivations (all of them with --format html)", "dim"))


def _sweep_sentence(row: SweepRow) -> Text:
    text = styled(f"{row.name}  {row.collective}, {row.ranks} ranks on {row.nodes} nodes, {row.sizes}: peak ")
    text.append(row.peak, STATE_STYLE[row.state])
    text.append(f" at {row.at_size}, expected {row.expected or 'unknown'}")
    return text.append(f", {row.share} of the bound" if row.share else "")


def _print_sweep_table(console: Console, rows: tuple[SweepRow, ...], *, one_file: bool) -> None:
    from rich.padding import Padding
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for name in ("where", "collective"):
        table.add_column(name, min_width=10, overflow="fold")
    for name in ("ranks", "nodes", "sizes", "peak", "at", "expected", "of bound"):
        table.add_column(name, justify="left" if name == "sizes" else "right", no_wrap=True)
    for row in rows:
        cells = [row.line if one_file else row.name, row.collective, row.ranks, row.nodes, row.sizes]
        table.add_row(
            *(styled(cell) for cell in cells),
            styled(row.peak, STATE_STYLE[row.state]),
            styled(row.at_size),
            styled(row.expected or "unknown"),
            styled(row.share or "-"),
        )
    console.print(Padding(table, (0, 0, 0, 2)))


def _print_facts(console: Console, view: View) -> None:
    from rich.text import Text

    each = [("", view.facts), *((job.label, job.facts) for job in view.jobs[:_MAX_JOBS])]
    told = [(label, facts) for label, facts in each if facts]
    if not told:
        return
    section(console, "Known from the input")
    for label, facts in told:
        parts = [Text.assemble((f"{name}=", "dim"), value) for name, value in facts]
        indented(console, Text("  ").join([styled(f"{label}:", "bold"), *parts] if label else parts))


def _print_inputs(console: Console, view: View) -> None:
    section(console, "Read")
    if not view.inputs:
        indented(console, styled("nothing"))
    if len(view.inputs) > _MAX_INPUTS:
        _print_many_inputs(console, view.inputs)
        return
    for item in view.inputs:
        indented(console, styled(f"{item.path}  ({item.kinds})  {item.accounting}"))
        if item.problem:
            indented(console, styled(item.problem, "red"), 4)
        for sample in item.samples:
            indented(console, styled(f"unread: {sample}", "dim"), 4)


def _print_many_inputs(console: Console, inputs: tuple[InputView, ...]) -> None:
    """Their sum, those that could not be read to the end, and a few of the lines that nobody knew."""
    lines, unread = sum(item.lines for item in inputs), sum(item.unread for item in inputs)
    copies = sum(item.is_copy for item in inputs)
    text = f"{len(inputs)} inputs (each of them with --format html), {lines:,} lines, {unread:,} unread"
    indented(console, styled(text + (f", {count(copies, 'copy')} of others counted once" if copies else "")))
    troubled = [item for item in inputs if item.problem]
    for item in troubled[:_MAX_INPUTS]:
        indented(console, styled(f"{item.path}: {item.problem}", "red"), 4)
    if len(troubled) > _MAX_INPUTS:
        indented(console, styled(f"and {len(troubled) - _MAX_INPUTS} more with a problem", "red"), 4)
    # A line's number stands before its text; equal lines of many nodes are shown once.
    samples = {sample.partition(": ")[2]: (item, sample) for item in inputs for sample in item.samples}
    for item, sample in list(samples.values())[:_MAX_UNREAD]:
        indented(console, styled(f"unread: {item.name}:{sample}", "dim"), 4)


def _print_outcomes(console: Console, view: View) -> None:
    section(console, f"Rules: {view.outcomes.summary}")
    for reason, rules in view.outcomes.skipped[:_MAX_REASONS]:
        indented(console, styled(f"skipped, {reason}: {some_rules(rules)}", "dim"))
    more = view.outcomes.skipped[_MAX_REASONS:]
    if more:
        count = sum(len(rules) for _, rules in more)
        text = f"skipped, {len(more)} more reasons of {count} rules (all of them with --format html)"
        indented(console, styled(text, "dim"))
    for rule, reason in view.outcomes.broken:
        text = f"broken (a defect of slowlink, not of the cluster), {rule}: {reason}"
        indented(console, styled(text, "red"))
