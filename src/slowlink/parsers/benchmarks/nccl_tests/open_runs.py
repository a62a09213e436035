"""Which of the runs that are under way a line belongs to.

One program at a time is the rule. A build without MPI under mpirun is the exception: N programs write complete outputs
into one stream, line by line in any order. Preamble lines then go to the youngest run that still lacks them, rows to
the run whose sweep they continue, footers to a run that came to its last size.
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.model.source import Line
from slowlink.parsers.benchmarks.nccl_tests.footer import FooterLine
from slowlink.parsers.benchmarks.nccl_tests.preamble import Mark, PreambleLine
from slowlink.parsers.benchmarks.nccl_tests.run import RunBuilder
from slowlink.parsers.benchmarks.nccl_tests.shapes import caption_of, is_break
from slowlink.parsers.benchmarks.nccl_tests.sizes import next_size, number

_MOST_OPEN = 256
_TRIM = 16
"""Bytes per rank that the sizes of most collectives are trimmed to whole multiples of."""


class OpenRuns:
    """All runs of one stream, and those that can still take lines, the most recently active last."""

    def __init__(self) -> None:
        self.all: list[RunBuilder] = []
        self.active: list[RunBuilder] = []

    def start(self, line: Line) -> RunBuilder:
        ref = line.ref()
        run = RunBuilder(header=ref, stream=line.stream, caption=caption_of(line.before), end=ref)
        run.last_before = line.before
        self.all.append(run)
        self.active = [*self.active, run][-_MOST_OPEN:]
        return run

    def touch(self, run: RunBuilder, line: Line) -> None:
        """The run got this line: it is the most recent one now."""
        run.touch(line)
        if self.active and self.active[-1] is not run:
            self.active = [*(other for other in self.active if other is not run), run]

    def latest(self) -> RunBuilder | None:
        return self.active[-1] if self.active else None

    def alone(self, run: RunBuilder) -> bool:
        """No other program writes a table into this stream now."""
        return not any(other.open_for_rows for other in self.active if other is not run)

    def _newest(self, runs: Iterable[RunBuilder]) -> RunBuilder | None:
        return next(iter(runs), None)

    def for_preamble(self, part: PreambleLine) -> RunBuilder | None:
        """The youngest run in its preamble that lacks this line; None: a new run begins."""
        backwards = reversed(self.active)
        if part.mark is Mark.NOTICE:
            return self._newest(self.active[::-1])
        if part.device is not None:
            rank = part.device.rank
            return self._newest(run for run in backwards if run.in_preamble and rank not in run.ranks)
        return self._newest(
            run for run in backwards if run.in_preamble and not any(mark >= part.mark for mark in run.marks)
        )

    def for_header(self, line: Line) -> RunBuilder | None:
        """The youngest run that has a preamble and no table yet; None: a table without preamble."""
        for run in self.active:
            if run.open_for_rows and run.rows and _broken_off(run, line):
                run.closed = True
        return self._newest(run for run in reversed(self.active) if run.in_preamble)

    def for_row(self, line: Line, size: int) -> RunBuilder | None:
        """The run whose sweep goes on with ``size``; None when no table is open here."""
        candidates = []
        for run in self.active:
            if not run.open_for_rows:
                continue
            if _broken_off(run, line) and (not _headed(run) or not _goes_on(run, size)):
                run.closed = True
            else:
                candidates.append(run)
        if len(candidates) <= 1:
            return candidates[0] if candidates else None
        return max(enumerate(candidates), key=lambda item: (*_continuation(item[1], size), item[0]))[1]

    def for_footer(self, part: FooterLine) -> RunBuilder | None:
        """The run that this footer ends; None when there is none."""
        backwards = list(reversed(self.active))
        if part.kind == "concluded":
            ended = [run for run in backwards if not run.concluded and (run.average or run.bounds)]
            same = [run for run in ended if run.program == part.program]
            under_way = [run for run in backwards if not run.concluded and run.layout is not None]
            return self._newest([*same, *ended, *under_way])
        if part.kind == "average":
            bounded = [run for run in backwards if run.bounds and not run.average]
            if bounded:
                return bounded[-1] if all(run.rows for run in bounded) else bounded[0]
        waiting = [run for run in backwards if not (run.average or run.bounds or run.concluded)]
        with_rows = [run for run in waiting if run.rows]
        at_end = [run for run in with_rows if run.unreached() is None]
        return self._newest([*at_end, *with_rows, *(run for run in waiting if run.layout), *waiting])


def _headed(run: RunBuilder) -> bool:
    return run.layout is not None and run.layout.printed


def _broken_off(run: RunBuilder, line: Line) -> bool:
    if line.before.strip() == run.last_before.strip() or not line.before.strip():
        return False
    return is_break(line.before) or not _headed(run)


def _goes_on(run: RunBuilder, size: int) -> bool:
    return not run.rows or size > run.rows[-1].size


def _continuation(run: RunBuilder, size: int) -> tuple[int, int]:
    """How well ``size`` goes on with the sweep: (2, 0) the next size, (1, last size) a larger one, (0, 0) neither."""
    first = number(run.parameters, "minBytes")
    if not run.rows:
        return (2, 0) if first is None or size <= first else (1, 0)
    last = run.rows[-1].size
    if last == 0:
        # Sizes are trimmed to whole 16-byte pieces per rank: several requested sizes may print as 0.
        asked = _asked(run, first)
        if size == 0:
            return (2, 0) if asked < _TRIM * max(1, len(run.devices)) else (0, 0)
        return (2, 0) if size <= asked else (1, 0)
    expected = next_size(run.parameters, last)
    if abs(size - expected) <= expected // 100:
        return (2, 0)
    return (1, min(last, size)) if size > last else (0, 0)


def _asked(run: RunBuilder, first: int | None) -> int:
    step = number(run.parameters, "step")
    if first is None or step is None or run.parameters["step"].endswith("(bytes)"):
        return 0
    asked: int = first * step ** min(len(run.rows), 40)
    return asked
