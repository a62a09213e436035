"""Rows of a bandwidth test whose heading is gone (``| tail -1``, ``| grep '^ 1048576'``)::

     1048576    467789           0.00               392.41             0.046779

Five numbers may be anything. They are such a row where size times message rate is the average, in Gb/s or in 2^20
bytes a second, as exactly as its digits tell. A larger size on the next line goes on with the run; else a run begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.model.benchmark import BARE, TURN, PerftestRun
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.perftest.builder import RunBuilder
from slowlink.parsers.benchmarks.perftest.loops import Told, read_command, read_loop
from slowlink.parsers.benchmarks.perftest.table import Columns, integer, number, rate_gbit, read_row, to_gbit
from slowlink.parsers.forms.limit import Limit

MAX_RUNS = Limit(20_000, "rows of perftest without a heading")
_NAMES = ("#bytes", "#iterations", "BW peak", "BW average", "MsgRate")
_UNITS = ("Gb/s", "MiB/s")
_VAGUE = 0.02
"""Half a unit of the message rate's last digit over the rate: with fewer digits, numbers agree by chance."""
_FINEST = 0.0001
"""Both are rounded from what the program measured; that, too, has an end."""


def bare_columns(cells: Sequence[str]) -> Columns | None:
    """The columns of a row of cells that agrees with itself; None for any other."""
    if len(cells) != len(_NAMES) or not integer(cells[0]) or not integer(cells[1]):
        return None
    peak, average, rate = (number(cell) for cell in cells[2:])
    if peak is None or not average or not rate or average < 1 or (peak and peak < 0.99 * average):
        return None
    size = int(cells[0])
    told = rate_gbit(size, rate)
    if _half_unit(cells[4]) > _VAGUE * rate:
        return None
    for unit in _UNITS:
        slack = rate_gbit(size, _half_unit(cells[4])) + to_gbit(_half_unit(cells[3]), unit) + _FINEST * told
        if abs(to_gbit(average, unit) - told) <= slack:
            return Columns(_NAMES, unit)
    return None


def _half_unit(text: str) -> float:
    """Half a unit of the last digit that is printed."""
    digits = len(text.partition(".")[2])
    return 0.5 * 10.0**-digits


class BareRuns:
    """Runs of rows without heading, in the order of the loop above them."""

    def __init__(self) -> None:
        self._runs: list[tuple[RunBuilder, int, Told | None]] = []
        """Each with the number of its loop."""
        self._loop: tuple[str, tuple[str, ...]] = ("", ())
        self._told: Told | None = None
        self._loops = 0
        self._last = 0

    def hear(self, text: str) -> bool:
        """Take a loop, or a command of perftest; False where the line is neither."""
        loop = read_loop(text)
        if loop is not None:
            self._loop, self._told = loop[:2], None
            text = loop[2]
        told = read_command(text, *self._loop) if "_bw" in text else None
        if loop is not None or (told is not None and not self._loop[0]):
            self._loops += 1
        if told is not None:
            self._told = told
            if loop is not None:
                self._loop = ("", ())  # it ends on its own line
        return told is not None

    def row(self, line: Line) -> bool:
        """Take a row; False where it does not show that it is one."""
        cells = line.text.split()
        columns = bare_columns(cells)
        row = read_row(cells, columns, line.ref()) if columns is not None else None
        if columns is None or row is None:
            return False
        run = self._runs[-1][0] if self._runs else None
        goes_on = run is not None and line.no == self._last + 1 and run.columns == columns
        self._last = line.no
        if run is not None and goes_on and row.size_bytes > run.rows[-1].size_bytes:
            run.rows.append(row)
        elif MAX_RUNS.has_room(len(self._runs)):
            begun = RunBuilder(line.ref(), line.stream, None, line.host, columns=columns, rows=[row], ruled=True)
            self._runs.append((begun, self._loops, self._told))
        return True

    def finish(self) -> list[PerftestRun]:
        """All runs; those of a loop that printed one for each of its words know which is whose."""
        of_loop: dict[int, list[int]] = {}
        for number_of_run, (_, loop, _) in enumerate(self._runs):
            of_loop.setdefault(loop, []).append(number_of_run)
        found = []
        for at, (builder, loop, told) in enumerate(self._runs):
            mates = of_loop[loop]
            turn = mates.index(at) if told is not None and len(mates) == len(told.turns) else None
            found.append(_built(builder, told, turn))
        return found


def _built(builder: RunBuilder, told: Told | None, turn: int | None) -> PerftestRun:
    run = replace(builder.build(), without_heading=True)
    if told is None:
        return replace(run, parameters={BARE: "not known"})
    each = len(told.devices) > 1
    device = told.devices[turn] if each and turn is not None else told.devices[0] if len(told.devices) == 1 else None
    return replace(
        run,
        test=told.test,
        bidirectional=told.both_ways,
        qps=int(told.qps) if told.qps else None,
        gpu_memory=told.gpu_memory or run.gpu_memory,
        device=device,
        parameters={TURN: told.turns[turn]} if turn is not None and not each else {},
    )
