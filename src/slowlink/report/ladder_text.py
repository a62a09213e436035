"""The waterfall at a terminal of 60 columns and more: columns of numbers, then who it is."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from slowlink.report.console import pasted, styled
from slowlink.report.ladder import COLUMNS, LadderRow, LadderView

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"ok": "green", "degraded": "yellow", "broken": "red"}
_WORD, _TITLE, _NUMBER, _LOST = 10, 22, 8, 6
_DETAIL_LINES, _NOTE_LINES = 2, 2


def print_ladder(console: Console, view: LadderView | None) -> None:
    """Nothing where there is no ladder."""
    if view is None:
        return
    console.print()
    for line in textwrap.wrap(view.headline, console.width - 2):
        console.print(styled(line, "bold"))
    heads = "".join(f"{name:>{_NUMBER}}" for name in ("allowed", *COLUMNS[2:4])) + f"{COLUMNS[4]:>{_LOST}}"
    console.print(styled(f"  {'':{_WORD}}{'GB/s':{_TITLE}}{heads}", "dim"))
    for row in view.rows:
        _print_row(console, row)
    for word, line in view.absent:
        _print_wrapped(console, f"  {word:{_WORD}}", line, "dim")
    for number, line in enumerate(view.interview):
        _print_wrapped(console, f"  {'' if number else 'interview':{_WORD}}", line, "")
    if view.command:
        pasted(console, view.command)


def _print_row(console: Console, row: LadderRow) -> None:
    below, usual, least, lost = row.numbers
    start = f"{row.title:{_TITLE}}"
    numbers = "".join(f"{value:>{_NUMBER}}" for value in (below, usual, least)) + f"{lost:>{_LOST}}"
    used = 2 + _WORD + _TITLE + 3 * _NUMBER + _LOST + 2
    line = styled("  ").append_text(styled(f"{row.word:{_WORD}}", _STYLES.get(row.state, "")))
    room = console.width - used
    note = row.note
    beside = "" if not any(row.numbers) else note if len(note) <= room else ""
    console.print(
        line.append_text(styled(f"{start}{numbers}  {beside}".rstrip() if any(row.numbers) else start.rstrip()))
    )
    below_it = [note] if note and not beside else []
    for text in (*below_it, *row.details):
        _print_wrapped(
            console, " " * (_WORD + 4), text, "dim" if text == note and row.state in ("ok", "measured") else ""
        )


def _print_wrapped(console: Console, start: str, text: str, style: str) -> None:
    room = console.width - len(start)
    for number, line in enumerate(textwrap.wrap(text, room, max_lines=4, placeholder=" ...", break_on_hyphens=False)):
        console.print(styled((" " * len(start) if number else start) + line, style))
