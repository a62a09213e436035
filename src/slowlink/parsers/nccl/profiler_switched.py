"""The profiler of a running job, switched on and off by RAS (``samplers/nccl-profiler.sh``)::

    slowlink-profiler begins localhost:28028 mask coll,kernelch
    slowlink-profiler ready
    slowlink-profiler off localhost:28028 mask none: OK

A node that says nothing of the end may have left it on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

KIND = "nccl-profiler"
_MARK = "slowlink-profiler "
_LINE = regex(
    rf"{_MARK}(?P<what>begins|refused|off) (?P<address>[][\w.:%-]{{1,220}}:\d{{1,5}}) (?P<rest>[^\n]{{0,300}})"
)


class ProfilerSwitched:
    """Gives one ``Observation``: ``off``, ``refused``, or ``left-on`` where nothing says that it is off again."""

    kind: ClassVar[str] = KIND
    literals: ClassVar[Literals] = Literals((f"\n{_MARK}",))

    def __init__(self) -> None:
        self._begun: Observation | None = None
        self._became = "left-on"

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(_MARK)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _LINE.fullmatch(line.text.rstrip())
        if found is None:
            return Use.IGNORED
        if found["what"] == "begins":
            host = line.host or line.place or None
            self._begun, self._became = Observation(KIND, found["address"], "", host, line.ref()), "left-on"
        elif found["what"] == "refused":
            self._became = "refused"
        elif found["rest"].endswith(": OK"):
            self._became = "off"
        return Use.USED

    def finish(self) -> Iterable[Observation]:
        if self._begun is not None:
            begun = self._begun
            yield Observation(KIND, begun.subject, self._became, begun.host, begun.ref)


PARSER = ProfilerSwitched
