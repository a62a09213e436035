"""Prints scores as tables of plain text, with the goals beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from accuracy_field import FieldScore
from accuracy_labels import DEFAULT_KINDS
from accuracy_score import Score

COLUMNS = (
    "kind",
    "samples",
    "decidable",
    "first cause",
    "anywhere",
    "verdict",
    "alarms",
    "must not",
    "facts",
    "crashes",
    "s",
)


def print_table(scores: Sequence[Score]) -> None:
    """One row a kind, one for all of them, and the goals when all kinds that they are for are there."""
    kinds = list(dict.fromkeys(score.kind for score in scores))
    rows = [_row(kind, [score for score in scores if score.kind == kind]) for kind in kinds]
    rows.append(_row("all", scores))
    apart = [score for score in scores if is_kept_apart(score.path)]
    if apart and len(apart) < len(scores):
        rows.append(_row("read", [score for score in scores if not is_kept_apart(score.path)]))
        rows.append(_row("kept apart", apart))
    if set(kinds) == set(DEFAULT_KINDS):
        rows.append(("goal", "", "", ">= 85 %", "", "", "0", "0", ">= 98 %", "0", ""))
    _print_rows(COLUMNS, rows)


def is_kept_apart(path: str) -> bool:
    """Is this sample of the half that nobody reads while working? Half of them are, whatever is added later: those
    whose path has a SHA-256 that begins with an odd digit."""
    return int(hashlib.sha256(path.encode()).hexdigest()[0], 16) % 2 == 1


def _row(name: str, scores: Sequence[Score]) -> tuple[str, ...]:
    decidable = [score for score in scores if score.first_cause is not None]
    return (
        name,
        str(len(scores)),
        str(len(decidable)),
        _share(sum(1 for score in decidable if score.first_cause), len(decidable)),
        _share(sum(1 for score in decidable if score.cause_anywhere), len(decidable)),
        _share(sum(1 for score in scores if score.verdict_right), len(scores)),
        str(sum(len(score.false_alarms) for score in scores)),
        str(sum(len(score.must_not) for score in scores)),
        _share(sum(score.facts_right for score in scores), sum(score.facts_total for score in scores)),
        str(sum(1 for score in scores if score.crash)),
        f"{sum(score.seconds for score in scores):.1f}",
    )


def _share(right: int, total: int) -> str:
    return f"{right}/{total} {100 * right / total:.1f} %" if total else "-"


def print_field(reports: Sequence[FieldScore]) -> None:
    """One row a field report."""
    if not reports:
        return
    rows = [
        (
            report.article,
            f"{report.verdict} {'right' if report.verdict_right else 'WRONG'}",
            "-" if report.first_cause is None else "right" if report.first_cause else "WRONG",
            f"{len(report.symptoms_found)}/{report.symptoms_total}",
            str(len(report.must_not)),
            _share(report.facts_right, report.facts_total),
            _share(report.state_right, report.state_total),
        )
        for report in reports
    ]
    print()
    _print_rows(("field report", "verdict", "first cause", "symptoms", "must not", "facts", "node state"), rows)


def print_misses(scores: Sequence[Score], reports: Sequence[FieldScore]) -> None:
    """Every sample with something missed, and what."""
    for score in scores:
        lines = list(_misses(score))
        if lines:
            print(f"\n{score.path}: {score.verdict} [{', '.join(score.causes)}] {score.seconds:.1f} s")
            print("\n".join(f"  {line}" for line in lines))
    for report in reports:
        print(f"\n{report.article}: {report.verdict} [{', '.join(report.causes)}]")
        print("\n".join(f"  fact: {line}" for line in report.missed))


def _misses(score: Score) -> list[str]:
    lines = []
    if score.crash:
        lines.append(f"CRASH: {score.crash}")
    elif not score.verdict_right:
        lines.append(f"verdict: {score.verdict}")
    if score.first_cause is False:
        lines.append(f"first cause: {score.causes[0] if score.causes else 'none'}")
    lines += [f"false alarm: {cause}" for cause in score.false_alarms]
    lines += [f"must not: {cause}" for cause in score.must_not]
    return lines + [f"fact: {fact}" for fact in score.facts_missed]


def _print_rows(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in (header, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
