"""Error counters of fabric ports: which ones grew between two readings, and which are merely not zero."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.fabric import PORT
from slowlink.facts.readings import by_part, growth
from slowlink.model.state import Part, Reading

ERRORS = {
    "port-symbol-errors": 0,
    "port-link-error-recovery": 0,
    "port-local-link-integrity-errors": 0,
    "port-excessive-buffer-overruns": 0,
    "port-local-physical-errors": 0,
    "port-rcv-errors": 100,
}
"""Counters of a link's own errors, and the total that a port may have unreported when it was read once.

Source: Azure's node health checks ask for every symbol error and recovery, and for more than 100 receive errors.
``port-rcv-remote-physical-errors`` is not here: it counts what went wrong on a link farther away.
"""
TRAFFIC = ("port-xmit-data", "port-rcv-data")
OF_OTHERS = ("port-rcv-remote-physical-errors", "port-rcv-constraint-errors", "port-xmit-constraint-errors")
"""Counters of what other links or the partitions are at fault for. A port that has them is no faulty one, and no clean
one. Packets that a switch did not relay, and dropped management packets, are as usual."""
LOST_LINKS = "port-link-downed"
LOST_AT_START = 1
"""A link that comes up counts itself once, as many ports show that did nothing else."""
DISCARDS = "port-xmit-discards"
SOME_DISCARDS = 100
"""A port that starts or loses its peer discards a few packets; more were lost to congestion or a path that is gone."""
_ENOUGH_RUNS = 16
"""The first ones of a source."""
_FULL = {"port-symbol-errors": 0xFFFF, "port-link-error-recovery": 0xFF, "port-rcv-errors": 0xFFFF}
"""Where the counters of the standard stop (PortCounters); extended ones go on."""


class Rise(Struct, frozen=True):
    """A counter of a port that is higher than it should be."""

    last: Reading
    by: int
    """Growth between two readings, or the whole value of a single one."""

    @property
    def words(self) -> str:
        """``leaf1/6: 57 received packets with errors``."""
        full = " (the counter is full)" if self.last.value == _FULL.get(self.last.attribute) else ""
        return f"{self.last.part.name}: {self.by} {attribute(self.last.attribute).title}{full}"


def counters_of_ports(readings: Iterable[Reading]) -> dict[str, list[Reading]]:
    """Attribute -> the readings of fabric ports' counters."""
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        if reading.part.kind == PORT and isinstance(reading.value, int):
            found.setdefault(reading.attribute, []).append(reading)
    return found


def rises(counters: dict[str, list[Reading]], checks: Sequence[Reading]) -> list[Rise]:
    """Counters that grew between two readings. ``checks`` are the sums of ibqueryerrors, which leaves out what is below
    its threshold: a port that its second run shows and its first did not has grown, too."""
    earlier = _EarlierRuns(checks)
    found: list[Rise] = []
    for series in counters.values():
        steps = {(each.last.host, each.last.part): each.by for each in growth(series)}
        for key, readings in by_part(series).items():
            first, last = readings[0], readings[-1]
            before = int(first.value) if _is_of_ibqueryerrors(first) and earlier.has_one_before(first) else 0
            if by := steps.get(key, 0) + before:
                found.append(Rise(last, by))
    return found


def _is_of_ibqueryerrors(reading: Reading) -> bool:
    return reading.ref.text.lstrip().startswith("GUID 0x")


class _EarlierRuns:
    """Whole runs of ibqueryerrors, of which there may be as many as ports: the few that may have ended before one."""

    def __init__(self, checks: Sequence[Reading]) -> None:
        self._first: dict[str | None, Reading] = {}
        """Node -> the first of those that tell their time."""
        self._in_source: dict[tuple[str | None, str], list[Reading]] = {}
        for check in checks:
            if check.at is not None:
                first = self._first.setdefault(check.host, check)
                self._first[check.host] = min(first, check, key=lambda each: each.at or 0.0)
            mine = self._in_source.setdefault((check.host, check.ref.source), [])
            if len(mine) < _ENOUGH_RUNS:
                mine.append(check)

    def has_one_before(self, reading: Reading) -> bool:
        """Had a whole run ended on the same node before?"""
        first, mine = self._first.get(reading.host), self._in_source.get((reading.host, reading.ref.source), ())
        return (first is not None and _before(first, reading)) or any(_before(check, reading) for check in mine)


def _before(one: Reading, other: Reading) -> bool:
    """By time; without two times, by line in the same source."""
    if one.at is not None and other.at is not None and one.at != other.at:
        return one.at < other.at
    return one.ref.source == other.ref.source and one.ref.line < other.ref.line


def not_zero(counters: dict[str, list[Reading]], reported: Iterable[Rise]) -> list[Rise]:
    """Error counters above what a port may have (``ERRORS``), the highest first; ports in ``reported`` are left out."""
    known = {rise.last.part for rise in reported}
    found = [
        Rise(series[-1], int(series[-1].value))
        for name, allowed in ERRORS.items()
        for series in by_part(counters.get(name, ())).values()
        if isinstance(series[-1].value, int) and series[-1].value > allowed and series[-1].part not in known
    ]
    return sorted(found, key=lambda rise: -rise.by)


def ports_read_twice(counters: dict[str, list[Reading]]) -> set[Part]:
    """Ports that had an error counter read at two times. A full counter does not count: it could not have grown."""
    return {
        each.last.part
        for name in ERRORS
        for each in growth(counters.get(name, ()))
        if each.last.value != _FULL.get(name)
    }


def ports_with_traffic(counters: dict[str, list[Reading]]) -> set[Part]:
    """Ports through which data passed between two readings."""
    return {each.last.part for name in TRAFFIC for each in growth(counters.get(name, ())) if each.by > 0}


def clean_ports(counters: dict[str, list[Reading]]) -> set[Part]:
    """Ports whose error counters were read, and are all 0, and which did not lose their link since they came up, nor
    many packets."""
    read = {reading.part for name in ERRORS for reading in counters.get(name, ())}
    return read - _above(counters, dict.fromkeys((*ERRORS, *OF_OTHERS), 0)) - lossy_ports(counters)


def lossy_ports(counters: dict[str, list[Reading]]) -> set[Part]:
    """Ports that lost their link since they came up, or many packets, whatever the reason."""
    return _above(counters, {LOST_LINKS: LOST_AT_START, DISCARDS: SOME_DISCARDS})


def _above(counters: dict[str, list[Reading]], allowed: dict[str, int]) -> set[Part]:
    return {r.part for name, most in allowed.items() for r in counters.get(name, ()) if int(r.value) > most}
