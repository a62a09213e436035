"""Which addresses of NCCL's RAS slowlink asked on a node, and how that ended (``collectors/job/nccl-ras.sh``)::

    slowlink-ras 1795000000 localhost:28028 by python3
    slowlink-ras end localhost:28028 answered
    slowlink-ras 1795000001 localhost:29000 by python3
    slowlink-ras end localhost:29000 absent: nothing listens there

Between the first two stands the answer of RAS, which ``nccl.ras`` reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.hang import RasAsked
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_ASKED = Limit(10_000, "addresses of RAS")
_MARK = "slowlink-ras "
_ADDRESS = r"(?P<address>[\w.:%-]{1,220}:\d{1,5})"
_BEGIN = regex(rf"{_MARK}(?P<at>\d{{1,12}}) {_ADDRESS} by [\w-]{{1,20}}")
_END = regex(
    rf"{_MARK}end {_ADDRESS} (?P<outcome>answered|cut|silent|foreign|absent|unasked)(?:: (?P<detail>[^\n]{{0,250}}))?"
)


class RasQuestion:
    """Gives one ``RasAsked`` for each address that was asked."""

    kind: ClassVar[str] = "ras-asked"
    literals: ClassVar[Literals] = Literals((f"\n{_MARK}",))

    def __init__(self) -> None:
        self._found: list[RasAsked] = []

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(_MARK)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.rstrip()
        if begin := _BEGIN.fullmatch(text):
            if MAX_ASKED.has_room(len(self._found)):
                self._found.append(
                    RasAsked(
                        begin["address"], float(begin["at"]), "", "", line.ref(), None, line.host or line.place or None
                    )
                )
        elif end := _END.fullmatch(text):
            # An answer may hold such a line only by malice; what ends is the question that was begun last.
            asked = self._found[-1] if self._found else None
            if asked is None or asked.address != end["address"]:
                return Use.NOT_MINE
            self._found[-1] = replace(asked, outcome=end["outcome"], detail=end["detail"] or "", last_line=line.no)
        else:
            return Use.NOT_MINE
        return Use.USED

    def finish(self) -> Iterable[RasAsked]:
        return self._found


PARSER = RasQuestion
