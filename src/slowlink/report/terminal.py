"""The report for a person at a terminal: the headline first, then the proof and what to do."""

from __future__ import annotations

import os
import shutil
import sys
from io import StringIO
from typing import TYPE_CHECKING

from slowlink.exits import DEFAULT_FAIL_ON
from slowlink.model.report import Report
from slowlink.report.escape import terminal_safe
from slowlink.report.sweep_rows import SweepRow
from slowlink.report.view import DiagnosisView, EvidenceLine, InputView, View, build_view, short_headline
from slowlink.report.wording import VERDICTS, count, some_rules

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

FORMAT = "terminal"

_MIN_WIDTH, _MAX_WIDTH, _PIPE_WIDTH = 60, 200, 100
_LABEL_WIDTH = 9
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
_VERDICT_STYLE = {"healthy": "green", "degraded": "yellow", "broken": "red", "inconclusive": "magenta"}
_SEVERITY_STYLE = {"info": "cyan", "warning": "yellow", "error": "red", "critical": "bold red"}
_STATE_STYLE = {"below": "red", "within": "green", "above": "green", "unknown": ""}


def _wants_color() -> bool:
    """A terminal that was not told otherwise (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _columns(width: int | None) -> int:
    if width is None:
        width = shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns
    return max(_MIN_WIDTH, min(_MAX_WIDTH, width))


def headline(report: Report) -> str:
    """The whole answer in one line, for quiet mode: ``DEGRADED: node07: GPUDirect RDMA is off ...``."""
    verdict = VERDICTS.get(report.verdict, report.verdict)
    return terminal_safe(f"{verdict}: {short_headline(report)}")


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = DEFAULT_FAIL_ON
) -> str:
    """The report for a terminal of 60 to 200 columns; without colour it is plain text."""
    del fail_on
    from rich.console import Console

    color = _wants_color() if color is None else color
    console = Console(
        file=StringIO(),
        width=_columns(width),
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
        _environ={},
    )
    with console.capture() as capture:
        _print_view(console, build_view(report))
    return "\n".join(line.rstrip() for line in capture.get().rstrip().split("\n")) + "\n"


def _print_view(console: Console, view: View) -> None:
    _print_headline(console, view)
    _print_jobs(console, view)
    shown = view.diagnoses[:_MAX_OF_JOBS] if view.jobs else view.diagnoses
    for number, diagnosis in enumerate(shown, 1):
        _print_diagnosis(console, diagnosis, f"{number}. " if len(view.diagnoses) > 1 else "")
    if len(shown) < len(view.diagnoses):
        rest = len(view.diagnoses) - len(shown)
        _indented(console, _text(f"and {rest} more causes (all of them with --format html)", "dim"), 0)
    if view.proofs:
        _section(console, "Shown to be right")
        for proof in view.proofs:
            _indented(console, _text(proof))
    if view.others:
        _section(console, "Also found")
        for diagnosis in view.others:
            _print_diagnosis(console, diagnosis, "")
    _print_differences(console, view)
    _print_sweeps(console, view)
    _print_facts(console, view)
    _print_inputs(console, view)
    _print_outcomes(console, view)


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style, overflow="fold")


def _section(console: Console, title: str) -> None:
    console.print()
    console.print(_text(title, "bold"))


def _row(console: Console, label: str, content: RenderableType) -> None:
    """The label on the left, the content wrapped within its own column."""
    from rich.padding import Padding
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=_LABEL_WIDTH, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(_text(label, "dim"), content)
    console.print(Padding(grid, (0, 0, 0, 2)))


def _indented(console: Console, text: Text, columns: int = 2) -> None:
    from rich.padding import Padding

    console.print(Padding(text, (0, 0, 0, columns)))


def _command(console: Console, command: str) -> None:
    # Never wrapped by us: a command that is copied must stay one line.
    indent = " " * (_LABEL_WIDTH + 4)
    console.print(_text(f"{indent}$ {command}", "cyan"), soft_wrap=True)


def _print_headline(console: Console, view: View) -> None:
    from rich.table import Table

    style = _VERDICT_STYLE.get(view.verdict, "")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(_text(view.verdict_word, f"bold {style}".strip()), _text(view.headline, "bold"))
    console.print(grid)


def _print_jobs(console: Console, view: View) -> None:
    """The table that leads where the input holds several jobs."""
    from rich.padding import Padding
    from rich.table import Table

    if not view.jobs:
        return
    _section(console, f"Jobs: {len(view.jobs)}")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for job in view.jobs[:_MAX_JOBS]:
        grid.add_row(_text(job.verdict_word, _VERDICT_STYLE.get(job.verdict, "")), _text(job.label, "bold"))
        grid.add_row(_text(""), _text(job.headline))
    console.print(Padding(grid, (0, 0, 0, 2)))
    rest = len(view.jobs) - _MAX_JOBS
    if rest > 0:
        _indented(console, _text(f"and {rest} more (all of them with --format html)", "dim"))


def _print_diagnosis(console: Console, diagnosis: DiagnosisView, number: str) -> None:
    from rich.text import Text

    console.print()
    head = Text.assemble(
        (number, "bold"),
        (diagnosis.title, "bold"),
        f"  [{', '.join(filter(None, (diagnosis.cause, diagnosis.found_by)))}]  ",
        (diagnosis.severity, _SEVERITY_STYLE.get(diagnosis.severity, "")),
        f", {diagnosis.confidence}",
        overflow="fold",
    )
    console.print(head)
    if diagnosis.job:
        _row(console, "job", _text(diagnosis.job))
    if diagnosis.message:
        _row(console, "what", _text(diagnosis.message))
    if diagnosis.where:
        _row(console, "where", _text(diagnosis.where))
    _row(console, "how sure", _text(diagnosis.confidence_words))
    _print_evidence(console, diagnosis.evidence)
    for index, explained in enumerate(diagnosis.explains):
        text = f"{explained.cause}: {explained.text}" if explained.text else explained.cause
        _row(console, "" if index else "explains", _text(text))
    for index, step in enumerate(diagnosis.steps):
        _row(console, "" if index else "do", _text(step.text))
        for command in step.commands:
            _command(console, command)
    for index, reference in enumerate(diagnosis.references):
        _row(console, "" if index else "see", _text(reference, "dim"))


def _print_evidence(console: Console, evidence: tuple[EvidenceLine, ...]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    for index, line in enumerate(evidence[:_MAX_EVIDENCE]):
        content = Text.assemble((line.place, "cyan"), "  ", line.text, overflow="fold")
        _row(console, "" if index else "evidence", content)
        remark = "; ".join(part for part in (line.comparison, line.alike) if part)
        if remark:
            _row(console, "", Padding(_text(remark, "dim"), (0, 0, 0, 2)))
    rest = len(evidence) - _MAX_EVIDENCE
    if rest > 0:
        _row(console, "", _text(f"and {rest} more kinds of line (all of them with --format html)", "dim"))


def _print_differences(console: Console, view: View) -> None:
    if not view.differences:
        return
    _section(console, "Nodes that differ")
    for row in view.differences[:_MAX_DIFFERENCES]:
        text = _text(f"{row.what}  ")
        text.append("; ".join((*row.others, row.most)), "dim")
        _indented(console, text)
    rest = len(view.differences) - _MAX_DIFFERENCES
    if rest > 0:
        _indented(console, _text(f"and {rest} more (all of them with --format html)", "dim"))


def _print_sweeps(console: Console, view: View) -> None:
    if not view.sweeps:
        return
    _section(console, "Measured (bus bandwidth in GB/s)")
    shown = view.sweeps
    if len(shown) > _MAX_SWEEPS:
        shown = tuple(sorted(shown, key=lambda row: row.state != "below"))[:_MAX_SWEEPS]
    if console.width < _TABLE_WIDTH:
        for row in shown:
            _indented(console, _sweep_sentence(row))
    else:
        _print_sweep_table(console, shown, one_file=len(view.inputs) == 1)
    if len(shown) < len(view.sweeps):
        rest = len(view.sweeps) - len(shown)
        _indented(console, _text(f"and {rest} more (all of them with --format html)", "dim"))
    for note, names in view.notes:
        _indented(console, _text(f"{names}: {note}"))
    for basis in view.bases[:_MAX_BASES]:
        _indented(console, _text(f"expected: {basis}", "dim"))
    if len(view.bases) > _MAX_BASES:
        rest = len(view.bases) - _MAX_BASES
        _indented(console, _text(f"and {rest} more derivations (all of them with --format html)", "dim"))


def _sweep_sentence(row: SweepRow) -> Text:
    text = _text(f"{row.name}  {row.collective}, {row.ranks} ranks on {row.nodes} nodes, {row.sizes}: peak ")
    text.append(row.peak, _STATE_STYLE[row.state])
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
            *(_text(cell) for cell in cells),
            _text(row.peak, _STATE_STYLE[row.state]),
            _text(row.at_size),
            _text(row.expected or "unknown"),
            _text(row.share or "-"),
        )
    console.print(Padding(table, (0, 0, 0, 2)))


def _print_facts(console: Console, view: View) -> None:
    from rich.text import Text

    each = [("", view.facts), *((job.label, job.facts) for job in view.jobs[:_MAX_JOBS])]
    told = [(label, facts) for label, facts in each if facts]
    if not told:
        return
    _section(console, "Known from the input")
    for label, facts in told:
        parts = [Text.assemble((f"{name}=", "dim"), value) for name, value in facts]
        _indented(console, Text("  ").join([_text(f"{label}:", "bold"), *parts] if label else parts))


def _print_inputs(console: Console, view: View) -> None:
    _section(console, "Read")
    if not view.inputs:
        _indented(console, _text("nothing"))
    if len(view.inputs) > _MAX_INPUTS:
        _print_many_inputs(console, view.inputs)
        return
    for item in view.inputs:
        _indented(console, _text(f"{item.path}  ({item.kinds})  {item.accounting}"))
        if item.problem:
            _indented(console, _text(item.problem, "red"), 4)
        for sample in item.samples:
            _indented(console, _text(f"unread: {sample}", "dim"), 4)


def _print_many_inputs(console: Console, inputs: tuple[InputView, ...]) -> None:
    """Their sum, those that could not be read to the end, and a few of the lines that nobody knew."""
    lines, unread = sum(item.lines for item in inputs), sum(item.unread for item in inputs)
    copies = sum(item.is_copy for item in inputs)
    text = f"{len(inputs)} inputs (each of them with --format html), {lines:,} lines, {unread:,} unread"
    _indented(console, _text(text + (f", {count(copies, 'copy')} of others counted once" if copies else "")))
    troubled = [item for item in inputs if item.problem]
    for item in troubled[:_MAX_INPUTS]:
        _indented(console, _text(f"{item.path}: {item.problem}", "red"), 4)
    if len(troubled) > _MAX_INPUTS:
        _indented(console, _text(f"and {len(troubled) - _MAX_INPUTS} more with a problem", "red"), 4)
    # A line's number stands before its text; equal lines of many nodes are shown once.
    samples = {sample.partition(": ")[2]: (item, sample) for item in inputs for sample in item.samples}
    for item, sample in list(samples.values())[:_MAX_UNREAD]:
        _indented(console, _text(f"unread: {item.name}:{sample}", "dim"), 4)


def _print_outcomes(console: Console, view: View) -> None:
    _section(console, f"Rules: {view.outcomes.summary}")
    for reason, rules in view.outcomes.skipped[:_MAX_REASONS]:
        _indented(console, _text(f"skipped, {reason}: {some_rules(rules)}", "dim"))
    more = view.outcomes.skipped[_MAX_REASONS:]
    if more:
        count = sum(len(rules) for _, rules in more)
        text = f"skipped, {len(more)} more reasons of {count} rules (all of them with --format html)"
        _indented(console, _text(text, "dim"))
    for rule, reason in view.outcomes.broken:
        text = f"broken (a defect of slowlink, not of the cluster), {rule}: {reason}"
        _indented(console, _text(text, "red"))
