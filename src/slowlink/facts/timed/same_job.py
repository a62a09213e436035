"""Windows of one communicator that may be of one job: each rank is the same process in all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from slowlink.facts.timed.processes import Key, key_of
from slowlink.model.timed_calls import TimedCalls

_Owner = tuple[int, Key]
"""A rank and its process."""


def jobs_of(together: Iterable[list[TimedCalls]]) -> list[list[list[TimedCalls]]]:
    """Each window goes to the first job that it fits, or begins one."""
    jobs = _Jobs()
    for window in together:
        jobs.add(window)
    return [job.windows for job in jobs.all]


class _Job:
    def __init__(self) -> None:
        self.windows: list[list[TimedCalls]] = []
        self.is_clear = True
        """Each of its ranks is one process, and each process one rank."""
        self._key_of: dict[int, Key] = {}
        self._rank_of: dict[Key, int] = {}

    def fits(self, owners: Iterable[_Owner]) -> bool:
        return self.is_clear and all(
            self._key_of.get(rank, key) == key and self._rank_of.get(key, rank) == rank for rank, key in owners
        )

    def take(self, owners: Iterable[_Owner], window: list[TimedCalls], *, is_clear: bool) -> None:
        self.is_clear &= is_clear
        self._key_of.update(owners)
        self._rank_of.update((key, rank) for rank, key in owners)
        self.windows.append(window)


class _Jobs:
    """A heap may hold traces of thousands of jobs with the same ranks: none is looked at for each of the others."""

    def __init__(self) -> None:
        self.all: list[_Job] = []
        self._with: dict[_Owner, set[int]] = defaultdict(set)
        self._behind: dict[int, dict[int, int]] = defaultdict(dict)
        """Rank -> number of each job that has it -> a later number, all between which have it, too."""

    def add(self, window: list[TimedCalls]) -> None:
        owners = frozenset((calls.rank, key_of(calls)) for calls in window)
        is_clear = len({rank for rank, _ in owners}) == len({key for _, key in owners}) == len(owners)
        number = self._first_for(owners) if is_clear else len(self.all)
        if number == len(self.all):
            self.all.append(_Job())
        self.all[number].take(owners, window, is_clear=is_clear)
        for owner in owners:
            self._with[owner].add(number)
            self._behind[owner[0]].setdefault(number, number + 1)

    def _first_for(self, owners: Collection[_Owner]) -> int:
        """The number of the first job that they fit: it has one of them, or none of their ranks."""
        known = {number for owner in owners for number in self._with[owner]}
        first = min((number for number in known if self.all[number].fits(owners)), default=len(self.all))
        most = max((rank for rank, _ in owners), key=lambda rank: len(self._behind[rank]))
        other = self._without(most, 0)
        while other < first and not self.all[other].fits(owners):
            other = self._without(most, other + 1)
        return min(first, other)

    def _without(self, rank: int, number: int) -> int:
        """The first job from this number on that has no such rank; as many as there are jobs where all have it."""
        behind = self._behind[rank]
        passed = []
        while number in behind:
            passed.append(number)
            number = behind[number]
        for each in passed:
            behind[each] = number
        return number
