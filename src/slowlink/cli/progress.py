"""A bar on standard error while inputs are read: only on a terminal, and only for what takes longer than a moment. And
how many nodes have answered."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from slowlink.inputs.progress import Progress, bytes_below

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_MOMENT_S = 2.0
_EVERY_S = 0.1


class _Shown(Progress):
    """Bytes, rate and remaining time, from two seconds on."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._paths = paths
        self._bar: Bar | None = None
        self._began_s = self._next_s = time.monotonic()

    def moved(self) -> None:
        now = time.monotonic()
        if now < self._next_s or now - self._began_s < _MOMENT_S:
            return
        self._next_s = now + _EVERY_S
        if self._bar is None:
            self._bar = _bar()
            self._bar.add_task("read", total=bytes_below(self._paths))
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=self.passed)
        self._bar.refresh()

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("reading"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TextColumn("Ctrl-C: what was read so far"),
    )
    # Without a thread of its own: reading forks processes, which is safe only with one thread.
    return Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)


class NodesHeard:
    """How many nodes have answered, on a terminal."""

    def __init__(self, total: int) -> None:
        self._total, self._count, self._shown = total, 0, sys.stderr.isatty()

    def heard(self, answer: object) -> None:  # noqa: ARG002  (every answer counts alike)
        self._count += 1
        if self._shown:
            click.echo(f"\r# {self._count} of {self._total} nodes", err=True, nl=False)

    def clear(self) -> None:
        if self._shown and self._count:
            click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def shown_progress(paths: Sequence[str]) -> Iterator[Progress]:
    """Counts what is read of ``paths``, and shows it where somebody looks."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    shown = _Shown(paths)
    try:
        yield shown
    finally:
        shown.end()
