"""The whole run: agree, print the header, measure each size, print each row, say how it ended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

from slowlink import exits
from slowlink.probe import table
from slowlink.probe.backend import PLACEMENTS, Backend
from slowlink.probe.iterations_file import IterationsFile
from slowlink.probe.measure import Measured, measure
from slowlink.probe.options import Options
from slowlink.probe.shapes import Shape, shapes
from slowlink.probe.world import RankSeen, meet

EXIT_WRONG = exits.FINDINGS


def sweep(backend: Backend, options: Options, out: TextIO) -> int:
    """Measure everything; rank 0 prints. Gives the exit status, the same on every rank."""
    ranks = meet(backend)
    first = backend.rank == 0
    report = _Report(backend, options, ranks, out) if first else None
    if report is not None:
        report.begin()
    itemsize = backend.itemsize(options.datatype) or 1
    offered = backend.placements(options.collective)
    clocks = [rank.clock for rank in ranks]
    failed = False
    for shape in shapes(options, itemsize, backend.nranks):
        sides = [measure(backend, options, clocks, shape, p) if p in offered else None for p in PLACEMENTS]
        failed = failed or any(side is not None and side.wrong for side in sides)
        if report is not None:
            report.add(shape, sides)
    if report is not None:
        report.end()
    return EXIT_WRONG if failed else exits.HEALTHY


class _Report:
    """What rank 0 prints and writes."""

    def __init__(self, backend: Backend, options: Options, ranks: Sequence[RankSeen], out: TextIO) -> None:
        self._backend, self._options, self._ranks, self._out = backend, options, ranks, out
        self._run = os.urandom(6).hex()
        self._file = IterationsFile(options.output, self._run) if options.output else None
        self._busbw_gbs: list[float] = []
        self._failed_checks = 0

    def begin(self) -> None:
        if self._file is not None:
            self._file.begin(self._options, self._backend.library, self._ranks)
        self._say(table.header(self._options, self._backend.library, self._run, self._ranks))

    def add(self, shape: Shape, sides: Sequence[Measured | None]) -> None:  # noqa: ARG002
        nranks = self._backend.nranks
        self._say(table.row(self._options, nranks, sides))
        for side in sides:
            if side is None:
                continue
            self._busbw_gbs.append(table.bandwidths(self._options, nranks, side)[1])
            self._failed_checks += bool(side.wrong)
            if self._file is not None:
                self._file.add(self._options, nranks, side)

    def end(self) -> None:
        if self._file is not None:
            self._file.end(self._failed_checks, self._busbw_gbs)
        self._say(table.footer(self._failed_checks, self._busbw_gbs))

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)
