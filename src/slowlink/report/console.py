"""What is printed at a terminal, by Rich: its width and colours, rows with a label, lines that are not wrapped."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_MIN_WIDTH, _MAX_WIDTH, _PIPE_WIDTH = 60, 200, 100
LABEL_WIDTH = 9
VERDICT_STYLE = {"healthy": "green", "degraded": "yellow", "broken": "red", "inconclusive": "magenta"}
SEVERITY_STYLE = {"info": "cyan", "warning": "yellow", "error": "red", "critical": "bold red"}
STATE_STYLE = {"below": "red", "within": "green", "above": "green", "unknown": ""}


def _wants_color() -> bool:
    """A terminal that was not told otherwise (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _columns(width: int | None) -> int:
    if width is None:
        width = shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns
    return max(_MIN_WIDTH, min(_MAX_WIDTH, width))


def terminal_rows() -> int | None:
    """How many lines the terminal shows at once; None where nobody looks at one."""
    return shutil.get_terminal_size().lines if sys.stdout.isatty() else None


def printed(print_all: Callable[[Console], None], color: bool | None, width: int | None) -> str:
    """What ``print_all`` prints, for a terminal of 60 to 200 columns; without colour it is plain text. None asks the
    terminal itself."""
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
        print_all(console)
    return "\n".join(line.rstrip() for line in capture.get().rstrip().split("\n")) + "\n"


def styled(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style, overflow="fold")


def section(console: Console, title: str) -> None:
    console.print()
    console.print(styled(title, "bold"))


def labelled(console: Console, label: str, content: RenderableType) -> None:
    """The label on the left, the content wrapped within its own column."""
    from rich.padding import Padding
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=LABEL_WIDTH, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(styled(label, "dim"), content)
    console.print(Padding(grid, (0, 0, 0, 2)))


def indented(console: Console, text: Text, columns: int = 2) -> None:
    from rich.padding import Padding

    console.print(Padding(text, (0, 0, 0, columns)))


def pasted(console: Console, command: str) -> None:
    """A command; never wrapped by us: what is copied must stay one line."""
    indent = " " * (LABEL_WIDTH + 4)
    console.print(styled(f"{indent}$ {command}", "cyan"), soft_wrap=True)


def quoted(console: Console, lines: Sequence[str]) -> None:
    """Lines for a file, as they stand there."""
    indent = " " * (LABEL_WIDTH + 4)
    for line in lines:
        console.print(styled(f"{indent}{line}", "cyan"), soft_wrap=True)
