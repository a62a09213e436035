"""Whether a node has less processors than work, by whatever tells it, and who takes them.

Three things tell that tasks wait: more of them are ready than there are processors, the load is above their number, and
the kernel says how long some waited (PSI). Each has a harmless reading: a moment, tasks that wait for a disk, a limit
of a container. Where processors are never idle beside one of them, or two agree, they are short.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_node, by_part
from slowlink.model.facts import Of, Readings
from slowlink.model.state import Reading
from slowlink.parting import by_key
from slowlink.rules.evidence.messages import listed

_RUNNING, _LOAD, _COUNT = "tasks-running", "load-average", "cpu-count"
_IDLE, _PRESSURE = "cpu-idle", "pressure-cpu-some"
ProcessorUse = Annotated[Readings, Of(_IDLE, _RUNNING, _LOAD, _PRESSURE, _COUNT)]
Takers = Annotated[Readings, Of("process-user", "process-count", "process-share", "job-user")]
_MOST_TAKERS = 3
_SYSTEM = {"root", "daemon", "nobody", "message+", "systemd+", "munge", "slurm", "chrony"}
"""Users whose programs come with the system."""


class Limits(Struct, frozen=True):
    """From where on processors are short."""

    idle: float
    """Percent of the time; what is less is next to never."""
    times: float
    """Tasks for each processor."""
    waiting: float
    """Percent of the last minute in which some task waited."""
    load: float
    """Where nobody says how many processors there are, and they are never idle."""


class Want(Struct, frozen=True):
    """What is known of one node whose tasks wait."""

    node: str
    words: str
    readings: tuple[Reading, ...]
    sure: bool
    """Do two signs agree?"""


def wants(use: Readings, limits: Limits) -> list[Want]:
    """The nodes on which tasks wait for processors."""
    found = (_want(node, _middles(readings), limits) for node, readings in by_node(use.all).items())
    return [want for want in found if want is not None]


def _middles(readings: Iterable[Reading]) -> Mapping[str, Reading]:
    """Attribute -> the reading that stands for all of one node: the last that is no less telling than most."""
    series: dict[str, list[Reading]] = {}
    for reading in readings:
        if not isinstance(reading.value, str | bool) and not reading.part.name:
            series.setdefault(reading.attribute, []).append(reading)
    return {name: _nearest(each) for name, each in series.items()}


def _nearest(series: Sequence[Reading]) -> Reading:
    middle = median(float(reading.value) for reading in series)
    return min(reversed(series), key=lambda reading: abs(float(reading.value) - middle))


def _want(node: str, known: Mapping[str, Reading], limits: Limits) -> Want | None:
    values = {name: float(reading.value) for name, reading in known.items()}
    processors, idle = values.get(_COUNT, 0.0), values.get(_IDLE)
    most = limits.times * processors
    waiting = [name for name in (_RUNNING, _LOAD) if processors and values.get(name, 0.0) > most]
    if values.get(_PRESSURE, 0.0) >= limits.waiting:
        waiting.append(_PRESSURE)
    busy = idle is not None and idle <= limits.idle
    if busy and not processors and not waiting and values.get(_LOAD, 0.0) >= limits.load:
        told = [_LOAD, _IDLE]
        words = listed([_WORDS[name].format(values[name]) for name in told])
        return Want(node, f"no processor is left: {words}", tuple(known[name] for name in told), sure=False)
    if not waiting or (idle is not None and not busy and waiting == [_LOAD]):
        return None  # a load beside idle processors is that of disks
    told = [*waiting, *([_IDLE] if busy else [])]
    sure = busy or (_PRESSURE in waiting and len(waiting) > 1)
    words = listed([_WORDS[name].format(values[name]) for name in told])
    of = f", of which there are {processors:.0f}" if processors else ""
    return Want(node, f"tasks wait for processors{of}: {words}", tuple(known[name] for name in told), sure)


_WORDS = {
    _RUNNING: "{:.0f} are ready to run",
    _LOAD: "the load is {:.0f}",
    _PRESSURE: "some waited {:.0f} % of the last minute",
    _IDLE: "the processors were idle {:.1f} % of the time",
}


def owners_of(who: Readings | None) -> set[str]:
    """The users in the list of jobs."""
    return {str(reading.value) for reading in (who.all if who is not None else ()) if reading.attribute == "job-user"}


def shared(here: Sequence[Reading]) -> bool:
    """Do programs of two people or more run there? Those of the system itself are nobody's."""
    return len({user for user, _ in _groups(here)} - _SYSTEM) > 1


def takers(here: Sequence[Reading], owners: set[str]) -> tuple[str, tuple[Reading, ...]]:
    """Whose programs take the processors of a node, in words, with the lines that show it; users without a job are
    told so where the list of jobs has one of those that are seen there. ``here``: what that node says of them."""
    groups = _groups(here)
    users = {user for user, _ in groups}
    foreign = users - owners if users & owners else set()
    order = sorted(groups, key=lambda key: (key[0] in foreign, groups[key][0]), reverse=True)[:_MOST_TAKERS]
    words = [_taker(user, program, groups[user, program][0], user in foreign) for user, program in order]
    lines = tuple(reading for key in order for reading in groups[key][1][:1])
    return (f"; {listed(words)} {'takes' if len(words) == 1 else 'take'} them" if words else ""), lines


def _taker(user: str, program: str, number: int, foreign: bool) -> str:
    what = f"{number} x {program}" if number > 1 else program
    return f"{what} of {user}{' (who has no job in the list)' if foreign else ''}"


def _groups(here: Sequence[Reading]) -> dict[tuple[str, str], tuple[int, list[Reading]]]:
    """(user, program) -> how many processes, and their readings: as somebody counted them, else as they are listed."""
    tallies = [reading for reading in here if reading.attribute == "process-count"]
    if tallies:
        return {_pair(each.part.name): (int(each.value), [each]) for each in tallies}
    users = [reading for reading in here if reading.attribute == "process-user"]
    named = {part: str(series[-1].value) for (_, part), series in by_part(users).items()}
    shares = {r.part: r for r in here if r.attribute == "process-share" and r.part in named}
    of_each = by_key(shares.values(), lambda r: (named[r.part], r.part.name.rpartition(" ")[0]))
    return {key: (len(found), found) for key, found in of_each.items()}


def _pair(name: str) -> tuple[str, str]:
    user, _, program = name.partition(" ")
    return user, program
