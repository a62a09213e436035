"""How many processes each user has of each program, as pipelines behind ``ps`` count them::

    $ ps -eo user,comm --no-headers | sort | uniq -c | sort -rn | head -3
        288 bob      star
          8 mia      python
    $ ps -eo user,comm,pcpu | awk '$3>20{n[$1" "$2]++} END{for(k in n) print n[k],k}'
    288 bob star

Only rows directly below such a question are read: a number and two words may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_ASKED = regex(
    r".{0,200}\bps \S{0,12} ?(?:-o )?user(?::\d{1,3})?,(?:comm|cmd|args|ucmd)\b[^|]{0,120}\|.{0,300}\b(?:uniq -c|awk )"
)
_ROW = regex(
    r"\s{0,12}(?P<count>\d{1,7})\s{1,8}(?P<user>[a-z_][\w.+-]{0,31})\s{1,40}(?P<program>[\w./+:-]{1,60})\s{0,8}"
)


class ProcessCounts:
    """Remembers that the question was asked."""

    kind: ClassVar[str] = "process-counts"
    literals: ClassVar[Literals] = Literals(("uniq -c", "awk "))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._last: int | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return "user" in text and _ASKED.match(text) is not None

    @property
    def greedy(self) -> bool:
        return self._last is not None

    def feed(self, line: Line) -> Use:
        row = _ROW.fullmatch(line.text) if self._last == line.no - 1 else None
        if row is not None:
            self._last = line.no
            part = Part("process", f"{row['user']} {row['program'].rpartition('/')[2]}")
            if MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading("process-count", part, int(row["count"]), line))
            return Use.USED
        self._last = line.no if self.wants(line.text) else None
        return Use.NOT_MINE  # the question is a command, too

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = ProcessCounts
