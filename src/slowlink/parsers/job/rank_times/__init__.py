"""What the parts of a step took on each rank, in reports with a row a rank and in tables with a column for it.

::

    rank  0 host gpu07  data  1.8  fwd  148.9  bwd  297.3  allreduce  167.2

    rank,step,host,fwd_ms,bwd_ms,allreduce_ms
    0,50,gpu07,148.9,297.3,167.2

Lines that name the step as well as the rank are a loop's (``own_loops``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.gates import Gate
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line
from slowlink.parsers.job.rank_times import rows, tables
from slowlink.parsers.job.steps.ranks import RankSteps


class RankTimes:
    """The times of the ranks of one stream."""

    kind: ClassVar[str] = "rank-times"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(("rank", ":\n", "\n0", "\n|"), fold=True)
    last_resort: ClassVar[int] = 6
    """After loops that name the step in each line."""

    def __init__(self) -> None:
        self._ranks = RankSteps()
        self._tables = tables.Tables(self._ranks)
        self._rows = rows.Rows(self._ranks)

    @staticmethod
    def gate() -> Gate:
        return (*rows.GATE, *tables.GATE)

    @staticmethod
    def wants(text: str) -> bool:
        return rows.wants(text) or tables.wants(text)

    @property
    def greedy(self) -> bool:
        return self._tables.is_open

    def feed(self, line: Line) -> Use:
        if is_library_line(line.text):
            return Use.NOT_MINE
        use = self._tables.feed(line)
        return use if use is not Use.NOT_MINE else self._rows.feed(line)

    def finish(self) -> Iterable[JobEvent]:
        return self._ranks.events()


PARSER = RankTimes
