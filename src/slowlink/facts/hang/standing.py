"""Which ranks of a run stand still, by what their processes do: stopped, gone, held in the kernel, or idle while others
work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from slowlink.facts.readings import by_node, node_of
from slowlink.model.state import Part, Reading

ATTRIBUTES = ("rank-number", "rank-state", "rank-cpu", "rank-waits-in", "process-name")
How = Literal["stopped", "ended", "in-kernel", "idle"]
_STATES: dict[str, How] = {
    "T": "stopped",
    "t": "stopped",
    "Z": "ended",
    "X": "ended",
    "D": "in-kernel",
}
"""``/proc/PID/stat``, third field (proc(5)): T by a signal, t by a debugger, Z a zombie, D uninterruptible."""
_GONE = "gone"
"""It ended in the seconds of this look: no later one of its node shows it."""
_IDLE, _BUSY = 10.0, 50.0
"""Percent of a core: an MPI rank in a collective spins, so one that sleeps meanwhile is not in it."""
_FEWEST_BUSY = 2
_LATER_S = 5.0
"""A look at another node is a later one when so much lies between: a round takes seconds, and clocks differ."""


class Standing(Struct, frozen=True):
    """A rank that does not go on."""

    node: str
    rank: int | None
    """None for a process that its user named and no launcher numbered."""
    pid: str
    name: str
    how: How
    where: str
    """In the kernel; "" where that is not known."""
    state: Reading
    before: int
    """Looks before this one, in a row, which saw the same."""

    @property
    def words(self) -> str:
        """``rank 3 on node03 (process 4711, python3) is stopped``."""
        who = f"rank {self.rank}" if self.rank is not None else "a process of the run"
        return f"{who} on {self.node} (process {self.pid}, {self.name}) {_DOES[self.how]}{self._place()}"

    def _place(self) -> str:
        return f" ({self.where})" if self.how == "in-kernel" and self.where else ""


_DOES: dict[How, str] = {
    "stopped": "is stopped by a signal or a debugger",
    "ended": "has ended",
    "in-kernel": "waits in the kernel for a device or a file server",
    "idle": "does nothing, while others work",
}


def standing(readings: Iterable[Reading]) -> list[Standing]:
    """Ranks that stood still when they were last looked at: stopped and ended ones first. ``readings``: those of
    ``ATTRIBUTES``, of all nodes, each with its time.

    A run comes to its end while it is looked at, too, and then its ranks end one after another. So a rank that has
    ended holds up nobody as long as no other was seen after it.
    """
    found: list[Standing] = []
    looks = {node: _Looks(seen) for node, seen in by_node(readings).items()}
    alive = max((look.alive_at for look in looks.values()), default=0.0)
    works = [look.cpu(part) for look in looks.values() for part in look.parts]
    busy = [share for share in works if share is not None and share >= _BUSY]
    for look in looks.values():
        for part in look.parts:
            how = look.how(part)
            if how is None and len(busy) >= _FEWEST_BUSY and 2 * len(busy) > len(works) and look.sleeps(part):
                how = "idle"
            if how == "ended" and not alive:
                continue
            if how is not None and not look.rank_works(part):
                found.append(look.standing(part, how))
        found += [look.standing(part, "ended") for part in look.gone_before(alive)]
    return sorted(found, key=lambda each: (list(_DOES).index(each.how), -1 if each.rank is None else each.rank))


class _Looks:
    """The processes of one node, as they were seen last."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._series: dict[tuple[Part, str], list[Reading]] = {}
        for reading in sorted(readings, key=lambda each: each.at or 0.0):
            self._series.setdefault((reading.part, reading.attribute), []).append(reading)
        last = max((reading.at or 0.0 for reading in readings), default=0.0)
        states = {part: series[-1] for (part, attribute), series in self._series.items() if attribute == "rank-state"}
        self.parts = [part for part, state in states.items() if (state.at or 0.0) == last and state.value != _GONE]
        self._gone = {part: state.at or 0.0 for part, state in states.items() if state.value == _GONE}
        self.alive_at = max((last for part in self.parts if self.how(part) != "ended"), default=0.0)
        """When a process that had not ended was seen last; 0: in the last look there was none."""

    def gone_before(self, alive: float) -> Iterator[Part]:
        """What ended in a look, of a rank of which nothing is left, a while before others were seen ``alive``. Of a
        rank's processes the last: those before it are shells around it."""
        ranks = {self._value(part, "rank-number") for part in self.parts} - {None}
        last: dict[object, Part] = {}
        for part, at in self._gone.items():
            rank = self._value(part, "rank-number")
            if at + _LATER_S <= alive and rank not in ranks:
                last[part if rank is None else rank] = part
        yield from last.values()

    def _last(self, part: Part, attribute: str) -> Reading | None:
        """Of the last look: what was read before, and not then, is not so any more."""
        series = self._series.get((part, attribute))
        now = self._series[part, "rank-state"][-1].at
        return series[-1] if series and series[-1].at == now else None

    def cpu(self, part: Part) -> float | None:
        found = self._last(part, "rank-cpu")
        return None if found is None else float(found.value)

    def how(self, part: Part) -> How | None:
        return _STATES.get(str(self._series[part, "rank-state"][-1].value))

    def sleeps(self, part: Part) -> bool:
        """In this look and in those before it."""
        series = self._series.get((part, "rank-cpu"), [])
        return bool(series) and all(float(reading.value) < _IDLE for reading in series[-2:])

    def rank_works(self, part: Part) -> bool:
        """A rank may have several processes: a shell that waits for the program, a worker that has ended."""
        rank = self._last(part, "rank-number")
        if rank is None or self.how(part) == "stopped":
            return False
        same = [each for each in self.parts if each != part and self._value(each, "rank-number") == rank.value]
        return any(self.how(each) is None and (self.cpu(each) or 0.0) >= _IDLE for each in same)

    def _value(self, part: Part, attribute: str) -> object:
        found = self._last(part, attribute)
        return None if found is None else found.value

    def standing(self, part: Part, how: How) -> Standing:
        states = self._series[part, "rank-state"]
        same = 1 if states[-1].value == _GONE else 0
        for reading in reversed(states[:-1]):
            if _STATES.get(str(reading.value)) != _STATES.get(str(states[-1].value)):
                break
            same += 1
        rank = self._value(part, "rank-number")
        return Standing(
            node=node_of(states[-1]),
            rank=int(str(rank)) if rank is not None else None,
            pid=part.name,
            name=str(self._value(part, "process-name") or "?"),
            how=how,
            where=str(self._value(part, "rank-waits-in") or ""),
            state=states[-1],
            before=same,
        )
