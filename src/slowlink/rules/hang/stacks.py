"""Stacks of processes that were dumped while a job stood still (py-spy), beside what RAS says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from slowlink.catalog.programs.python_frames import Work, work_of
from slowlink.model.facts import Observations
from slowlink.model.hang import RasProcess
from slowlink.model.job import Observation

_STACK = "python-stack"
_WAITS = ("collective", "lock")
"""What a rank does that waits for others: it may be behind by a moment, and not hold them up."""


def all_stacks(observations: Observations | None) -> Sequence[Observation]:
    """The last stack of each process of each node."""
    seen = observations.all if observations is not None else ()
    return list({(each.host, each.subject): each for each in seen if each.kind == _STACK}.values())


def stacks_by_process(observations: Observations | None) -> Mapping[int, Observation]:
    """Process -> its last stack."""
    return {int(each.subject): each for each in all_stacks(observations) if each.subject.isdecimal()}


def stacks_of(members: Iterable[RasProcess], stacks: Mapping[int, Observation]) -> list[Observation]:
    """The stacks of these processes, as far as they were dumped."""
    return [stacks[process.pid] for process in members if process.pid is not None and process.pid in stacks]


def keeps_away(seen: Sequence[Observation]) -> bool:
    """Do they show the processes at other work, which keeps them from a collective?"""
    work = _work(seen)
    return work is not None and work.name not in _WAITS


def waits(seen: Sequence[Observation]) -> bool:
    """Do they show the processes in a collective?"""
    work = _work(seen)
    return work is not None and work.name == "collective"


def doing(seen: Sequence[Observation]) -> str:
    """What the processes do, and the innermost frame of the first; "" without a stack."""
    if not seen:
        return ""
    work, first = _work(seen), seen[0]
    does = work.words if work is not None else "stands"
    return f"the main thread of process {first.subject} {does} in {first.value.split(' < ')[0]}"


def _work(seen: Sequence[Observation]) -> Work | None:
    """What all of these stacks show; None where they differ or say nothing."""
    works = {work_of(each.value.split(" < ")) for each in seen}
    return works.pop() if len(works) == 1 else None
