"""What is seen while a benchmark runs: a table that grows on a terminal, plain lines elsewhere. On standard error."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING

from slowlink.model.plan import Ended
from slowlink.units import brief, format_size
from slowlink.workflows.launches.interface import About
from slowlink.workflows.live import LiveRow

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from slowlink.expect.busbw import Prediction

_ROWS_SHOWN, _NOTES_SHOWN = 24, 8


class PlainView:
    """One line a row: for logs and pipes."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stderr

    def shown(self) -> AbstractContextManager[object]:
        """Nothing to put up."""
        return nullcontext()

    def launched(self, number: int, total: int, about: About) -> None:
        self._say(f"{about.title}{launch_words(number, total)}{band_words(about.expected)}")

    def row(self, number: int, row: LiveRow) -> None:  # noqa: ARG002  (the watcher's signature)
        size, time_us, busbw, wrong = cells(row)
        self._say(
            f"  {size:>9}  {time_us:>12} us  {busbw:>10} GB/s{'  wrong: ' + wrong if wrong not in ('', '0') else ''}"
        )

    def node_ended(self, node: str, row: LiveRow | None, ended: Ended) -> None:
        self._say(f"  {node_words(node, row, ended)}")

    def noticed(self, words: str) -> None:
        self._say(f"  {words}")

    def ended(self, number: int, ended: Ended) -> None:  # noqa: ARG002
        self._say(f"  {end_words(ended)}")

    def _say(self, text: str) -> None:
        from slowlink.report.escape import terminal_safe

        print(terminal_safe(text), file=self._stream, flush=True)


class TableView:
    """A live table with progress, for a terminal."""

    def __init__(self) -> None:
        self._about = About("", 1)
        self._rows: list[LiveRow] = []
        self._nodes: list[str] = []
        self._notes: list[str] = []
        self._launch = ""
        self._end = ""
        self._live: Live | None = None

    def shown(self) -> AbstractContextManager[object]:
        """Shown as long as this context is open; what stands there at its end stays."""
        from rich.console import Console
        from rich.live import Live

        self._live = Live(self._render(), console=Console(stderr=True), refresh_per_second=8)
        return self._live

    def launched(self, number: int, total: int, about: About) -> None:
        self._about, self._rows, self._nodes, self._notes, self._end = about, [], [], [], ""
        self._launch = launch_words(number, total)
        self._update()

    def row(self, number: int, row: LiveRow) -> None:  # noqa: ARG002
        self._rows.append(row)
        self._update()

    def node_ended(self, node: str, row: LiveRow | None, ended: Ended) -> None:
        self._nodes.append(node_words(node, row, ended))
        self._update()

    def noticed(self, words: str) -> None:
        self._notes.append(words)
        self._update()

    def ended(self, number: int, ended: Ended) -> None:  # noqa: ARG002
        self._end = end_words(ended)
        self._update()

    def _update(self) -> None:
        if self._live is not None:
            self._live.update(self._render())

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        head = Text(f"{self._about.title}{self._launch}{band_words(self._about.expected)}", "bold")
        if self._nodes:
            return Group(head, *map(Text, self._nodes[-_ROWS_SHOWN:]), Text(f"{len(self._nodes)} nodes  {self._end}"))
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", title_justify="left")
        for name in ("size", "time us", "busbw GB/s", "wrong"):
            table.add_column(name, justify="right", no_wrap=True)
        for row in self._rows[-_ROWS_SHOWN:]:
            size, time_us, busbw, wrong = cells(row)
            table.add_row(size, time_us, Text(busbw, self._style(row)), Text(wrong, "red" if wrong != "0" else ""))
        done = Text(f"{len(self._rows)} of {self._about.sizes} sizes  {self._end}")
        bar = ProgressBar(total=max(self._about.sizes, 1), completed=len(self._rows), width=40)
        return Group(head, table, bar, done, *(Text(words, "red") for words in self._notes[-_NOTES_SHOWN:]))

    def _style(self, row: LiveRow) -> str:
        expected = self._about.expected
        if expected is None or row.busbw_gbs is None:
            return ""
        # Small sizes are below the band by nature: only a value inside it is worth a colour.
        return "green" if row.busbw_gbs >= expected.warn else ""


def cells(row: LiveRow) -> tuple[str, str, str, str]:
    """Size, time, busbw, wrong as text; empty where nothing was measured."""
    return (
        format_size(row.size_bytes),
        "" if row.time_us is None else f"{row.time_us:.2f}",
        "" if row.busbw_gbs is None else _hundredths(row.busbw_gbs),
        "" if row.wrong is None else f"{row.wrong:g}",
    )


def _hundredths(gbs: float) -> str:
    """As benchmarks print it, in hundredths; what took time and rounds to none of them is not nothing."""
    return "<0.01" if 0 <= gbs < 0.005 else f"{gbs:.2f}"


def node_words(node: str, row: LiveRow | None, ended: Ended) -> str:
    """What a node that measured by itself has to say: ``gpu07: 481.2 GB/s at 8G``."""
    if row is None or row.busbw_gbs is None or ended.reason != "exited":
        return f"{node}: {end_words(ended)}"
    return f"{node}: {row.busbw_gbs:.4g} GB/s at {format_size(row.size_bytes)}"


def launch_words(number: int, total: int) -> str:
    """ ", launch 2 of 5"; nothing where there is one."""
    return f", launch {number} of {total}" if total > 1 else ""


def band_words(expected: Prediction | None) -> str:
    """The band to expect at large sizes."""
    if expected is None:
        return ""
    band = expected.expected
    return f"; expect about {brief(band.value)} GB/s at large sizes ({brief(band.low)} to {brief(band.high)})"


def end_words(ended: Ended) -> str:
    """How a launch ended, in one line."""
    if ended.reason == "exited":
        how = "done" if ended.status == 0 else f"exit status {ended.status}" if ended.signal is None else "killed"
        return f"{how} after {ended.seconds:.1f} s"
    words = {"timeout": "time limit", "silent": "fell silent", "standing": "stood still", "not-started": "not started"}
    detail = f": {ended.detail}" if ended.detail else ""
    return f"{words.get(ended.reason, ended.reason)} after {ended.seconds:.1f} s{detail}"
