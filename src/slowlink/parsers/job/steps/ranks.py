"""The parts of a step on each rank, where a loop prints them with the rank.

::

    [rank 5] step 100: compute 1.64s allreduce 0.09s total 1.73s
    rank=5 step=100 fwd_time=0.41s bwd_time=0.83s

Where it prints them for each node instead, with no rank, the nodes are kept apart in the same way::

    step 1200 node gpu07 fwd+bwd 413.5 ms allreduce wait 159.0 ms

Steps of ranks that wait for one another are equally long; their parts are not. The part in which a rank waits (a
collective, a barrier) is the longer the earlier it comes, so it is left out. A launcher's prefix parts the ranks into
streams of their own, so each gives what it took in the middle, and a rule compares them.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import quantiles
from typing import TypeVar

from msgspec import Struct, field

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.job.steps.parts import parts_in
from slowlink.parsers.job.steps.words import MOST_CHARACTERS, STEP_HINTS, counter_in
from slowlink.patterns import regex

KIND, KIND_OF_NODE, ORIGIN = "rank-step-part", "node-step-part", "training"
FEWEST_STEPS, _FEWEST_OF_NODE = 6, 3
_MOST_PARTS = Limit(32, "parts timed on one rank")
_MOST_SERIES = Limit(32_768, "parts timed on all ranks")
_MOST_STEPS = Limit(100_000, "timed lines of one rank")
_RANK = regex(r"(?i)(?:^|[\s\[(,|{\"'])(?:global[_ ])?rank[ _=:#\"']{0,4}(?P<rank>\d{1,6})(?!\w)")
_HOST = regex(
    r"(?i)(?<![\w-])(?:host(?:name)?|node(?:name)?)[\"']?(?: ?[:=] ?|\s{1,4})[\"']?"
    r"(?P<host>[A-Za-z][\w.-]{1,80}\w)(?![\w:])"
)
_WAITS = regex(
    r"(?i)comm|reduc|gather|scatter|all[_ -]?to[_ -]?all|a2a|wait|sync|barrier|nccl|idle|stall|bubble|recv|send"
)
TIME_OF_RANK = regex(r"\d ?(?:ms|s|sec|seconds)\b|(?i:_ms|_s|_sec|time)\b")


_Who = TypeVar("_Who", int, str)
_PARTS_OF_NODE = 2
"""Times that a line without a rank must give: one alone is that of the whole step."""


class _Series(Struct):
    """One part on one rank."""

    worst: Line
    most: float
    host: str | None
    in_seconds: bool
    """False where nothing names the unit: then the numbers only compare."""
    seconds: list[float] = field(default_factory=list)
    steps: int = 0
    """Of how many steps these are; more than there are numbers where each is an average."""


class RankSteps(Struct):
    """Collects the parts of one stream."""

    series: dict[int, dict[str, _Series]] = field(default_factory=dict)
    """Rank -> name of the part -> what it took."""
    nodes: dict[str, dict[str, _Series]] = field(default_factory=dict)
    """The same of nodes, of lines that name no rank."""
    _count: int = 0

    def note(self, line: Line) -> bool:
        """Take the parts of a step of one rank; False for any other line."""
        text = line.text[:MOST_CHARACTERS]
        rank = rank_of(line)
        host = host_of(line) if rank is None else None
        number = counter_in(text) if rank is not None or host is not None else None
        timed = [part for part in parts_in(text) if part.unit] if number is not None else []
        if rank is None and (host is None or len(timed) < _PARTS_OF_NODE):
            return False
        for part in timed:
            name = part.name.lower().rpartition(" ")[2]
            if rank is not None:
                self.add(rank, name, part.seconds, line)
            else:
                self._keep(self.nodes, host or "", name, part.seconds, line)
        return bool(timed)

    def add(self, rank: int, name: str, seconds: float, line: Line, *, in_seconds: bool = True, of: int = 1) -> None:
        """What one part of a step took on a rank (``of`` so many, as their average); nothing where ranks wait in it."""
        self._keep(self.series, rank, name, seconds, line, in_seconds=in_seconds, of=of)

    def _keep(
        self,
        all_of_it: dict[_Who, dict[str, _Series]],
        who: _Who,
        name: str,
        seconds: float,
        line: Line,
        *,
        in_seconds: bool = True,
        of: int = 1,
    ) -> None:
        if _WAITS.search(name):
            return
        own = all_of_it.get(who, {})
        series = own.get(name)
        if series is None:
            if not _MOST_PARTS.has_room(len(own)) or not _MOST_SERIES.has_room(self._count):
                return
            self._count += 1
            series = all_of_it.setdefault(who, own)[name] = _Series(line, seconds, host_of(line), in_seconds)
        if seconds > series.most:
            series.worst, series.most = line, seconds
        if _MOST_STEPS.has_room(len(series.seconds)):
            series.seconds.append(seconds)
            series.steps += of

    def events(self) -> Iterable[JobEvent]:
        """One event for each part on each rank."""
        for rank, parts in self.series.items():
            for name, series in parts.items():
                if series.steps >= FEWEST_STEPS:
                    yield _event(KIND, rank, name, series)
        for parts in self.nodes.values():
            for name, series in parts.items():
                if series.steps >= _FEWEST_OF_NODE:
                    yield _event(KIND_OF_NODE, None, name, series)


def rank_of(line: Line) -> int | None:
    """The rank that the launcher's prefix or the line itself names."""
    if line.rank is not None:
        return line.rank
    named = _RANK.search(line.text[:MOST_CHARACTERS])
    return int(named["rank"]) if named is not None else None


def names_node(text: str) -> bool:
    """Does the line itself name a node?"""
    return _HOST.search(text[:MOST_CHARACTERS]) is not None


def names_rank(text: str) -> bool:
    """Does the line itself name a rank? Blind to numbers."""
    return _RANK.search(text[:MOST_CHARACTERS]) is not None


def host_of(line: Line) -> str | None:
    """The node that the launcher's prefix or the line itself names."""
    if line.host is not None:
        return line.host
    named = _HOST.search(line.text[:MOST_CHARACTERS])
    return named["host"] if named is not None else None


def may_be_of_a_rank(lowered: str) -> bool:
    """May the line (in lower case) tell how long a part of a step took? The launcher's prefix may name the rank."""
    return any(hint in lowered for hint in STEP_HINTS) and TIME_OF_RANK.search(lowered) is not None


def _event(kind: str, rank: int | None, name: str, series: _Series) -> JobEvent:
    several = len(series.seconds) > 1
    low, middle, _ = quantiles(series.seconds, n=4) if several else series.seconds * 3
    ref = series.worst.ref()
    groups = {"part": name, "steps": str(series.steps), "low": repr(low), "middle": repr(middle)}
    groups |= {} if series.in_seconds else {"unit": "unknown"}
    groups |= {} if series.steps == len(series.seconds) else {"averages": str(len(series.seconds))}
    return JobEvent(kind, ORIGIN, ref.text.strip(), groups, ref, series.host, rank)
