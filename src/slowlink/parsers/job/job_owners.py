"""Whose jobs Slurm runs: the columns JOBID and USER of ``squeue``, in any format::

    JOBID USER NAME CPUS TRES_PER_NODE
    4712 mia gpt-13b 64 gres:gpu:8

The states and reasons of the same table are read by ``slurm_jobs.py``, where it has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.header_table import Columns, columns_of
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_ROW = regex(r"\s{0,40}\d{1,12}(?:_(?:\d{1,9}|\[\S{1,80}\]))?(?:\+\d{1,6})?\s{1,40}\S.{0,400}")


class JobOwners:
    """Follows a table from its heading to the first line of another form."""

    kind: ClassVar[str] = "job-owners"
    literals: ClassVar[Literals] = Literals(("JOBID",))

    def __init__(self) -> None:
        self._columns: Columns | None = None
        self._last = 0
        self._alone = False
        """Has the table no column that slurm_jobs.py reads?"""
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return "JOBID" in text and columns_of(text, ("JOBID", "USER")) is not None

    @property
    def greedy(self) -> bool:
        return self._columns is not None

    def feed(self, line: Line) -> Use:
        header = columns_of(line.text, ("JOBID", "USER")) if self.wants(line.text) else None
        if header is not None:
            self._columns, self._last = header, line.no
            self._alone = not {"ST", "STATE"} & set(header.names)
            return Use.USED if self._alone else Use.NOT_MINE
        row = self._columns is not None and line.no == self._last + 1 and _ROW.fullmatch(line.text) is not None
        if not row or self._columns is None:
            self._columns = None
            return Use.NOT_MINE
        self._last = line.no
        cells = self._columns.cells(line.text)
        if cells.get("USER") and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("job-user", Part("job", cells["JOBID"]), cells["USER"], line))
        return Use.USED if self._alone else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = JobOwners
