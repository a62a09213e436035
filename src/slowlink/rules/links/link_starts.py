"""Links that are not up yet: a driver that has just begun reports every port as down until it is up.

A log that holds the start of the kernel or of the driver shows the difference: what is down after a start, and was not
up since, was never lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.facts import Events, Readings
from slowlink.model.job import JobEvent
from slowlink.model.source import Ref
from slowlink.rules.evidence.messages import LogMessage, happened
from slowlink.rules.links.port_events import LoggedPort

Lines = Mapping[str, Sequence[int]]
"""Source -> lines, in order."""
Messages = Mapping[LoggedPort, Sequence[LogMessage]]

_BOOT = "Linux version "
"""The kernel's first line."""


class Starts:
    """Where the kernel and the drivers of HCAs began, in each source."""

    def __init__(self, events: Events | None, releases: Readings | None) -> None:
        self._boots = _lines(r.ref for r in (releases.all if releases is not None else ()) if _BOOT in r.ref.text)
        drivers: dict[str, list[Ref]] = {}
        for event in happened(events, "hca-driver-started"):
            drivers.setdefault(event.groups.get("pci", ""), []).append(event.ref)
        self._drivers = {pci: _lines(refs) for pci, refs in drivers.items() if pci}

    def lost(self, fell: Messages, back: Messages) -> dict[LoggedPort, list[LogMessage]]:
        """``fell`` without what only says that a link was not up yet."""
        kept = {port: self._kept(messages, back.get(port, ())) for port, messages in fell.items()}
        return {port: messages for port, messages in kept.items() if messages}

    def _kept(self, messages: Sequence[LogMessage], back: Sequence[LogMessage]) -> list[LogMessage]:
        kept = []
        ups = _lines(message.ref for message in back)
        for message in messages:
            starts = self._starts_before_up(message, ups) if isinstance(message, JobEvent) else 0
            if message.count > starts:
                kept.append(replace(message, count=message.count - starts) if starts else message)
        return kept

    def _starts_before_up(self, message: JobEvent, ups: Lines) -> int:
        """How often the kernel or the driver began, where the message came first after a start; else 0."""
        source, line = message.ref.source, message.ref.line
        starts = self._drivers.get(message.groups.get("pci", ""), self._boots).get(source, [])
        before = bisect_left(starts, line)
        if not before:
            return 0
        there = ups.get(source, [])
        first = bisect_right(there, starts[before - 1])
        return 0 if first < len(there) and there[first] < line else len(starts)


def _lines(refs: Iterable[Ref]) -> Lines:
    found: dict[str, list[int]] = {}
    for ref in refs:
        found.setdefault(ref.source, []).append(ref.line)
    return {source: sorted(lines) for source, lines in found.items()}
