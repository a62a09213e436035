"""Kernels of collectives, until it is known whose they are: a trace may tell that behind its events."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.job.kineto_trace.events import Arguments, Event

MOST_KERNELS = Limit(2_000_000, "kernels of collectives")
MOST_ALIKE = Limit(20_000, "groups and sizes of collectives")
_LARGEST_NUMBER = (1 << 32) - 1
_NOT_TOLD = -1


class Kernel(NamedTuple):
    """One, as it is needed in the end."""

    args: Arguments
    """With the number of any that is like it."""
    number: int | None
    dur: float
    ended: float
    """Microseconds of the trace's own clock."""
    line: int


class Kernels:
    """Some dozen bytes for each: what many have in common, with the list of their ranks, is kept once."""

    def __init__(self) -> None:
        self._alike: dict[tuple[object, ...], int] = {}
        self._args: list[Arguments] = []
        self._which, self._number, self._line = array("I"), array("q"), array("Q")
        self._dur, self._ended = array("d"), array("d")

    def __len__(self) -> int:
        return len(self._which)

    def add(self, event: Event, line: int) -> None:
        """What has no room is left out, and reported by the limits."""
        args = event.args
        if args.number is not None and not 0 <= args.number <= _LARGEST_NUMBER:
            return  # there is no such call
        alike = (args.collective, args.elements, args.dtype, args.group_size, args.group, args.ranks, args.device)
        which = self._alike.get(alike)
        if which is None:
            if len(self._args) >= MOST_ALIKE:
                MOST_ALIKE.passed()
                return
            which = self._alike[alike] = len(self._args)
            self._args.append(args)
        if len(self) >= MOST_KERNELS:
            MOST_KERNELS.passed()
            return
        self._which.append(which)
        self._number.append(args.number if args.number is not None else _NOT_TOLD)
        self._line.append(line)
        self._dur.append(event.dur)
        self._ended.append(event.ts + event.dur)

    def __iter__(self) -> Iterator[Kernel]:
        for which, number, dur, ended, line in zip(
            self._which, self._number, self._dur, self._ended, self._line, strict=True
        ):
            yield Kernel(self._args[which], number if number != _NOT_TOLD else None, dur, ended, line)
