"""The answer for a person at a terminal, on one screen: the verdict, the cause, the lines that prove it, and the fix.

Everything else is counted, and said where to find: ``full`` has it all (``--verbose``), and so have files.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.exits import DEFAULT_FAIL_ON
from slowlink.model.report import Report
from slowlink.patterns import regex
from slowlink.report.console import (
    LABEL_WIDTH,
    SEVERITY_STYLE,
    VERDICT_STYLE,
    labelled,
    pasted,
    printed,
    quoted,
    styled,
    terminal_rows,
)
from slowlink.report.escape import terminal_safe
from slowlink.report.ladder_text import print_ladder
from slowlink.report.view import NOTHING_KNOWN, DiagnosisView, EvidenceLine, View, build_view, short_headline
from slowlink.report.wording import VERDICTS, count

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = "terminal"

_CAUSES = 3
"""Causes that are shown with their proof; the others are named."""
_JOBS = 6
_EVIDENCE, _EVIDENCE_OF_MANY = 3, 1
"""Lines of proof of the only cause, and of each of several."""
_STEPS, _STEPS_OF_MANY = 2, 1
_MESSAGE_LINES, _HEADLINE_LINES, _ROW_LINES, _PROBLEMS = 3, 4, 2, 3
_SWEEPS = 2
_BLANKS = regex(r"\s{2,400}")
_MORE = "all of it: --verbose, or -o report.html"


def headline(report: Report) -> str:
    """The whole answer in one line, for quiet mode: ``DEGRADED: node07: GPUDirect RDMA is off ...``."""
    verdict = VERDICTS.get(report.verdict, report.verdict)
    return terminal_safe(f"{verdict}: {short_headline(report)}")


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = DEFAULT_FAIL_ON
) -> str:
    """The report for a terminal of 60 to 200 columns; without colour it is plain text. On a low terminal the only cause
    shows fewer lines of proof: the headline must not scroll away."""
    del fail_on
    view = build_view(report)
    rows = terminal_rows() if width is None else None
    for proofs in range(_EVIDENCE, 0, -1):
        text = printed(partial(_print_view, view=view, proofs=proofs), color, width)
        if rows is None or text.count("\n") < rows:
            break
    return text


def _print_view(console: Console, view: View, proofs: int) -> None:
    _print_headline(console, view)
    _print_jobs(console, view)
    print_ladder(console, view.ladder)
    shown = (view.diagnoses or view.others)[: 1 if view.jobs else _CAUSES]
    for number, diagnosis in enumerate(shown, 1):
        _print_diagnosis(console, view, diagnosis, number if len(view.diagnoses) > 1 else 0, proofs)
    console.print()
    _print_rest(console, view, shown)


def _print_headline(console: Console, view: View) -> None:
    """What and where in bold; what it explains stands below."""
    word = view.verdict_word
    first, *behind = view.headline.split("; ")
    room = console.width - len(word) - 2
    lines = _wrapped(first, room, _HEADLINE_LINES) or [""]  # a saved report may say nothing
    bold = styled(lines[0], "bold")
    head = styled(f"{word}  ", f"bold {VERDICT_STYLE.get(view.verdict, '')}".strip())
    console.print(head.append_text(bold))
    for line in lines[1:]:
        console.print(styled(" " * (len(word) + 2) + line, "bold"))
    for line in _wrapped("; ".join(behind), room, _MESSAGE_LINES):
        console.print(styled(" " * (len(word) + 2) + line))


def _print_jobs(console: Console, view: View) -> None:
    if not view.jobs:
        return
    console.print()
    for job in view.jobs[:_JOBS]:
        text = f"{job.verdict_word:<12}  {job.label}: {job.headline}"
        console.print(styled(_cut(text, console.width), VERDICT_STYLE.get(job.verdict, "")))
    rest = len(view.jobs) - _JOBS
    if rest > 0:
        console.print(styled(f"and {rest} more jobs", "dim"))


def _print_diagnosis(console: Console, view: View, diagnosis: DiagnosisView, number: int, proofs: int) -> None:
    """``number``: 0 for the only one, which shows so many ``proofs``."""
    console.print()
    head = styled(f"{number}. {diagnosis.title}" if number else diagnosis.title, "bold")
    head.append(f"  [{diagnosis.cause}]  ", "not bold")
    head.append(diagnosis.severity, SEVERITY_STYLE.get(diagnosis.severity, ""))
    head.append(f", {diagnosis.confidence}{', ' if diagnosis.nodes else ''}{diagnosis.nodes}", "not bold")
    console.print(head)
    room = console.width - LABEL_WIDTH - 4
    message = "" if diagnosis.message in view.headline else diagnosis.message
    for line in _wrapped(message, console.width - 2, _MESSAGE_LINES):
        console.print(styled(f"  {line}"))
    for index, proof in enumerate(diagnosis.evidence[: _EVIDENCE_OF_MANY if number else proofs]):
        for at, part in enumerate(_wrapped(_quoted(view, proof), room, _ROW_LINES)):
            labelled(console, "" if index or at else "evidence", styled(part))
        if compared := _compared(proof):
            labelled(console, "", styled(_cut(f"  {compared}", room), "dim"))
    for index, step in enumerate(diagnosis.steps[: _STEPS_OF_MANY if number else _STEPS]):
        for at, line in enumerate(_wrapped(step.text, room, _ROW_LINES)):
            labelled(console, "" if index or at else "do", styled(line))
        for command in step.commands[:_ROW_LINES]:
            pasted(console, command)
        quoted(console, step.snippet)


def _quoted(view: View, line: EvidenceLine) -> str:
    """Where it stands, which of one input is its number, and the line without the blanks of its columns."""
    number = line.place.rpartition(":")[2]
    place = f"line {number}" if len(view.inputs) == 1 and number.isdecimal() else line.place
    return f"{place}: {_BLANKS.sub(' ', line.text.strip())}"


def _compared(line: EvidenceLine) -> str:
    """Without how the expected was derived, which stands in the full report."""
    return replace(line, expected=line.expected.partition(": ")[0]).comparison


def rest_rows(view: View, shown: Sequence[DiagnosisView]) -> tuple[tuple[str, str], ...]:
    """(label, one line) for each of what else is known besides the causes ``shown``."""
    others = [*view.diagnoses, *view.others]
    left = {diagnosis.cause: _fewer_words(diagnosis.nodes) for diagnosis in reversed(others) if diagnosis not in shown}
    rest = [f"{cause} ({nodes})" if nodes else cause for cause, nodes in reversed(left.items())]
    rows = (
        ("also", ", ".join(rest)),
        ("right", "; ".join(proof for proof in view.proofs if proof not in view.headline)),
        ("measured", _measured(view)),
        ("not used", _not_used(view)),
        ("nodes", f"{count(len(view.differences), 'difference')} between nodes" if view.differences else ""),
        ("read", _read(view)),
        *(("", problem) for problem in _problems(view)),
        ("missing", _missing(view)),
    )
    return tuple(row for row in rows if row[1])


def _fewer_words(nodes: str) -> str:
    """``82 nodes`` of ``82 of 512 nodes``."""
    number, of, _ = nodes.partition(" of ")
    return f"{number} nodes" if of else nodes


def _print_rest(console: Console, view: View, shown: Sequence[DiagnosisView]) -> None:
    room = console.width - LABEL_WIDTH - 4
    for label, text in (*rest_rows(view, shown), ("more", _MORE)):
        for at, line in enumerate(_wrapped(text, room, _ROW_LINES)):
            labelled(console, "" if at else label, styled(line, "dim" if label in ("missing", "more") else ""))


def _not_used(view: View) -> str:
    """Rows whose numbers cannot be right: whoever reads only this page must not take them for measured."""
    told = [note for row in view.sweeps for note in row.notes if "not used" in note]
    more = f"; and in {count(len(told) - 1, 'more table')}" if len(told) > 1 else ""
    return f"{told[0]}{more}" if told else ""


def _measured(view: View) -> str:
    """Unless the headline says it."""
    rows = sorted(view.sweeps, key=lambda row: row.state != "below")
    if len(rows) == 1 and f"{rows[0].peak} GB/s" in view.headline:
        return ""
    told = [
        f"{row.collective} on {row.ranks} ranks: {row.peak} GB/s at {row.at_size}, expected {row.expected or 'unknown'}"
        + (f" ({row.share} of the bound)" if row.share else "")
        for row in rows[:_SWEEPS]
    ]
    return "; ".join(told) + (f"; and {len(rows) - _SWEEPS} more" if len(rows) > _SWEEPS else "")


def _read(view: View) -> str:
    lines, unread = sum(item.lines for item in view.inputs), sum(item.unread for item in view.inputs)
    if not view.inputs:
        return "nothing"
    names = view.inputs[0].name if len(view.inputs) == 1 else count(len(view.inputs), "input")
    first = next((sample for item in view.inputs for sample in item.samples), "")
    quoted = f" (line {first})" if first and view.verdict == "inconclusive" else ""
    unknown = f", {unread:,} that nobody here knows{quoted}"
    return f"{names}: {lines:,} lines" + (unknown if unread else "")


def _problems(view: View) -> list[str]:
    troubled = [f"{item.name}: {item.problem}" for item in view.inputs if item.problem]
    rest = len(troubled) - _PROBLEMS
    return [*troubled[:_PROBLEMS], *([f"and {rest} more with a problem"] if rest > 0 else [])]


def _missing(view: View) -> str:
    """What most of the rules that were skipped would have looked at."""
    known = any(item.lines or item.kinds != NOTHING_KNOWN for item in view.inputs)
    if not view.outcomes.skipped or view.jobs or not known:
        return ""
    return max(view.outcomes.skipped, key=lambda each: len(each[1]))[0]


def _wrapped(text: str, width: int, most: int) -> list[str]:
    return textwrap.wrap(text, width, max_lines=most, placeholder=" ...", break_on_hyphens=False) if text else []


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."
