"""On how many nodes the ranks of a job run, as its allocation says, or the answer of each rank to ``hostname``::

    [user@head ~]$ salloc -N2 --ntasks-per-node=1
    [user@node01 ~]$ srun hostname
    node01
    node02

What is started afterwards without options of its own runs in the same places.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.context.commands.lead import strip_lead
from slowlink.parsers.context.commands.options import Launch, read_launch
from slowlink.parsers.context.commands.programs import base_name, is_launcher
from slowlink.parsers.context.commands.words import split
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

KIND, ORIGIN = "rank-places", "shell"
MOST_PLACES, MOST_ANSWERS = Limit(2_000, "placements"), Limit(100_000, "answers of ranks")
_ALLOCATES, _ASKS = "salloc", "hostname"
_NAME = regex(r"\s{0,8}(?P<name>[A-Za-z][\w.-]{0,100})\s{0,8}")


class RankPlaces:
    """Allocations and answers of one stream."""

    kind: ClassVar[str] = "rank-places"
    literals: ClassVar[Literals] = Literals((f"{_ALLOCATES} -", f" {_ASKS}"))

    def __init__(self) -> None:
        self._events: list[JobEvent] = []
        self._asked: tuple[Launch, Ref] | None = None
        self._answers: list[str] = []
        self._next = 0
        """The line in which the next rank would answer."""

    @classmethod
    def wants(cls, text: str) -> bool:
        return cls.literals.in_(text)

    @property
    def greedy(self) -> bool:
        return self._asked is not None

    def feed(self, line: Line) -> Use:
        name = _NAME.fullmatch(line.text) if self._asked is not None and line.no == self._next else None
        if name is not None and MOST_ANSWERS.has_room(len(self._answers)):
            self._answers.append(name["name"])
            self._next += 1
            return Use.USED
        self._close()
        lead = strip_lead(line.text)
        commands = split(lead[1]) if lead is not None and self.wants(line.text) else []
        if len(commands) == 1:
            self._begin(commands[0], line)
        return Use.NOT_MINE  # it is a command, too

    def _begin(self, words: list[str], line: Line) -> None:
        by = base_name(words[0])
        if by == _ALLOCATES:
            allocated = read_launch(["srun", *words[1:]])
            if allocated.nodes is not None:
                self._add(by, allocated.nodes, allocated.total_ranks, line.ref())
        elif is_launcher(words[0]):
            launch = read_launch(words)
            if launch.argv == (_ASKS,) and not launch.host_list:
                self._asked, self._next = (launch, line.ref()), line.no + 1

    def _close(self) -> None:
        if self._asked is not None and self._answers:
            launch, ref = self._asked
            ranks = len(self._answers)
            if launch.total_ranks in (None, ranks):
                self._add(launch.launcher or "", len({*self._answers}), ranks, ref)
        self._asked, self._answers = None, []

    def _add(self, by: str, nodes: int, ranks: int | None, ref: Ref) -> None:
        if MOST_PLACES.has_room(len(self._events)):
            groups = {"by": by, "nodes": str(nodes), "ranks": "" if ranks is None else str(ranks)}
            self._events.append(JobEvent(KIND, ORIGIN, ref.text.strip(), groups, ref))

    def finish(self) -> Iterable[JobEvent]:
        self._close()
        return self._events


PARSER = RankPlaces
