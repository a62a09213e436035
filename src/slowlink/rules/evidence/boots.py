"""Did a node boot again? The first line of a kernel's log tells its version, as a reading or as an observation by the
form of the line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable
from functools import cached_property
from itertools import accumulate, chain

from slowlink.model.facts import Observations, Readings
from slowlink.model.source import Ref
from slowlink.parting import by_key

KERNEL = "kernel-release"
_FIRST_LINE = "Linux version"
_Told = tuple[int, Ref, str | None]
"""Place among all that is told, the line, and its node."""


class _Lines:
    """Boots of one node in one source."""

    def __init__(self, told: Iterable[_Told]) -> None:
        ordered = sorted(told, key=lambda each: each[1].line)
        self._lines = [boot.line for _, boot, _ in ordered]
        self._first: list[_Told] = [*accumulate(reversed(ordered), _told_first)][::-1]

    def behind(self, line: int) -> Iterable[_Told]:
        """The one that is told first, where there is one."""
        return self._first[(at := bisect_right(self._lines, line)) : at + 1]


class Boots:
    """First lines of boots, by source and node. ``kernels`` and ``seen``: at least those called ``KERNEL``."""

    def __init__(self, kernels: Readings | None, seen: Observations | None) -> None:
        self._kernels, self._seen = kernels, seen

    @cached_property
    def _of_source(self) -> dict[str, dict[str | None, _Lines]]:
        told = chain(
            ((each.ref, each.host) for each in (self._kernels.all if self._kernels is not None else ())),
            (
                (each.ref, each.host)
                for each in (self._seen.all if self._seen is not None else ())
                if each.kind == KERNEL
            ),
        )
        placed = ((place, boot, host) for place, (boot, host) in enumerate(told) if _FIRST_LINE in boot.text)
        return {
            source: {host: _Lines(of_host) for host, of_host in by_key(of_source, lambda each: each[2]).items()}
            for source, of_source in by_key(placed, lambda each: each[1].source).items()
        }

    def behind(self, ref: Ref, host: str | None) -> Ref | None:
        """The first line of a boot that the log of ``ref`` shows behind it, of no node by name or of this one."""
        of_host = self._of_source.get(ref.source, {})
        return _first((of_host[each] for each in {None, host} if each in of_host), ref.line)

    def behind_any(self, ref: Ref, hosts: Container[str] | None) -> Ref | None:
        """The same of no node by name or one of ``hosts``; None: of any node."""
        of_host = self._of_source.get(ref.source, {})
        return _first(
            (each for host, each in of_host.items() if host is None or hosts is None or host in hosts), ref.line
        )


def _first(boots: Iterable[_Lines], line: int) -> Ref | None:
    found = min((each for lines in boots for each in lines.behind(line)), key=_place, default=None)
    return found[1] if found is not None else None


def _told_first(one: _Told, other: _Told) -> _Told:
    return min(one, other, key=_place)


def _place(told: _Told) -> int:
    return told[0]
