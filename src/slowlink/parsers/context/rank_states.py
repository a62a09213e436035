"""What the ranks of a run do on a node while nothing is heard of them (``samplers/ranks.sh``)::

    slowlink-ranks 1795000000 over 2 s
    rank 3 pid 4711 python3 state T 0.0 % cpu at do_signal_stop
    rank 4 pid 4712 python3 gone

A process that was named by its user has ``-`` for a rank that nobody gave it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected, Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_LOOK = regex(r"slowlink-ranks (?P<at>\d{1,12}) over (?P<over>[\d.]{1,12}) s")
_RANK = regex(
    r"rank (?P<rank>\d{1,7}|-) pid (?P<pid>\d{1,10}) (?P<name>[\w.:+/-]{1,64}) "
    r"(?:state (?P<state>[A-Za-z]) (?P<cpu>\d{1,7}\.\d) % cpu at (?P<at>[\w.]{1,80}|-)|gone)"
)


class RankStates:
    """Gives a ``Collected`` with its time for each look, and readings of processes."""

    kind: ClassVar[str] = "rank-states"
    literals: ClassVar[Literals] = Literals(("\nslowlink-ranks ", "\nrank 0 pid ", "\nrank - pid "))

    def __init__(self) -> None:
        self._found: list[Collected | Reading] = []
        self._at: float | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith(("slowlink-ranks ", "rank ")) and any(each.fullmatch(text) for each in (_LOOK, _RANK))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        if match := _LOOK.fullmatch(line.text):
            self._at = float(match["at"])
            self._found.append(Collected("ranks", "ran", match["over"], line.ref(), line.host, self._at))
        elif match := _RANK.fullmatch(line.text):
            process = Part("process", match["pid"])
            values: dict[str, str | int | float | None] = {
                "rank-number": None if match["rank"] == "-" else int(match["rank"]),
                "rank-state": match["state"] or "gone",
                "rank-cpu": None if match["cpu"] is None else float(match["cpu"]),
                "rank-waits-in": None if match["at"] in (None, "-") else match["at"],
                "process-name": match["name"],
            }
            self._found += [reading(name, process, value, line, self._at)
                            for name, value in values.items() if value is not None]  # fmt: skip
        else:
            return Use.NOT_MINE
        return Use.USED

    def finish(self) -> Iterable[Collected | Reading]:
        return self._found


PARSER = RankStates
