"""Links that are not up yet: a driver that has just begun reports every port as down until it is up.

A log that holds the start of the kernel or of the driver shows the difference: what is down after a start, and was not
up since, was never lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.facts import Events, Readings
from slowlink.model.job import JobEvent
from slowlink.model.source import Ref
from slowlink.rules.evidence.messages import LogMessage, happened
from slowlink.rules.links.port_events import LoggedPort

Messages = Mapping[LoggedPort, Sequence[LogMessage]]

_BOOT = "Linux version "
"""The kernel's first line."""


class Starts:
    """Where the kernel and the drivers of HCAs began, in each source."""

    def __init__(self, events: Events | None, releases: Readings | None) -> None:
        self._boots = [r.ref for r in (releases.all if releases is not None else ()) if _BOOT in r.ref.text]
        self._drivers = happened(events, "hca-driver-started")

    def lost(self, fell: Messages, back: Messages) -> dict[LoggedPort, list[LogMessage]]:
        """``fell`` without what only says that a link was not up yet."""
        kept = {port: self._kept(messages, back.get(port, ())) for port, messages in fell.items()}
        return {port: messages for port, messages in kept.items() if messages}

    def _kept(self, messages: Sequence[LogMessage], back: Sequence[LogMessage]) -> list[LogMessage]:
        kept = []
        for message in messages:
            starts = self._starts_before_up(message, back) if isinstance(message, JobEvent) else 0
            if message.count > starts:
                kept.append(replace(message, count=message.count - starts) if starts else message)
        return kept

    def _starts_before_up(self, message: JobEvent, back: Sequence[LogMessage]) -> int:
        """How often the kernel or the driver began, where the message came first after a start; else 0."""
        pci = message.groups.get("pci")
        own = [event.ref for event in self._drivers if pci and event.groups.get("pci") == pci]
        starts = [ref for ref in (own or self._boots) if ref.source == message.ref.source]
        before = [ref.line for ref in starts if ref.line < message.ref.line]
        ups = _lines(back, message.ref)
        return len(starts) if before and not any(max(before) < line < message.ref.line for line in ups) else 0


def _lines(messages: Iterable[LogMessage], ref: Ref) -> list[int]:
    return [message.ref.line for message in messages if message.ref.source == ref.source]
