"""Errors of PCIe links in the kernel log (AER): who reported, which device sent the report, and how often a minute.

One error is up to four lines, and a flood of them ends in a line that counts what was left out::

    [  77.2] pcieport 0000:3a:01.0: AER: Multiple Corrected error message received from 0000:3b:00.0
    [  77.2] nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)
    [  77.2] nvidia 0000:3b:00.0:    [ 7] BadDLLP
    [  81.9] aer_ratelimit: 88 callbacks suppressed

Each event carries the minute of its stamp (``minute``), so that equal lines fold by the minute and keep their pace: a
few errors a year and a hundred a minute are two faults. A stamp may be the uptime, a date in any language (``dmesg -T``
of a German system writes ``[Mi Nov  5 08:11:02 2025]``), or the journal's.

Source: ``drivers/pci/pcie/aer.c`` and ``lib/ratelimit.c`` of Linux 5.4 to 6.17, which says "Correctable" since 6.16.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.message_table import EventPattern, MessageParser
from slowlink.patterns import regex

_PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"
CORRECTED_BITS = ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF")
"""Names of the bits of a corrected error, in the order of the register (PCI Express Base Specification)."""

MESSAGES = (
    EventPattern(
        "kernel-aer",
        "PCIe Bus Error",
        r"(?:(?P<driver>[\w.-]{2,30}) )?(?P<pci>" + _PCI + r"): (?:AER: )?PCIe Bus Error: "
        r"severity=(?P<severity>\w+)(?: \((?P<fatal>[\w-]{1,12})\))?(?:, type=(?P<where>[\w ]{4,24}))?",
        ("pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)",),
    ),
    EventPattern(
        "kernel-aer",
        "AER: ",
        r"(?P<port>" + _PCI + r"): AER: (?:Multiple )?(?P<severity>Corrected|Correctable|Uncorrected|Uncorrectable)"
        r"(?: \((?P<fatal>[\w-]{1,12})\))?"
        r"[^:]{0,40}(?:error )?(?:message )?received(?:: | from )(?P<pci>" + _PCI + r")",
        (
            "pcieport 0000:40:01.1: AER: Multiple Corrected error received: 0000:41:00.0",
            "pcieport 0000:40:01.1: AER: Uncorrectable (Fatal) error message received from 0000:41:00.0",
            "pcieport 0000:40:01.1: AER: Correctable error message received from 0000:41:00.0",
        ),
    ),
    *(
        EventPattern(
            "kernel-aer-bit",
            bit,
            r"(?:(?P<driver>[\w.-]{2,30}) )?(?P<pci>" + _PCI + r"): {1,8}\[ ?\d{1,2}\] (?P<bit>" + bit + r")\b",
            (f"nvidia 0000:18:00.0:    [ 7] {bit}                (First)",),
        )
        for bit in CORRECTED_BITS
    ),
    EventPattern(
        "kernel-aer-recovered",
        "AER: ",
        _PCI + r": AER: device recovery successful",
        ("pcieport 0000:15:01.0: AER: device recovery successful",),
    ),
    EventPattern(
        "kernel-aer-suppressed",
        "callbacks suppressed",
        r"\b\w{0,20}aer\w{0,24}: (?P<suppressed>\d{1,9}) callbacks suppressed",
        ("aer_ratelimit: 88 callbacks suppressed",),
    ),
)
_UPTIME = regex(r"\[ {0,8}(?P<seconds>\d{1,9})\.\d{1,9}\]")
_DATE = regex(r"\[?(?P<minute>[^\[\]]{0,24}?\d\d:\d\d):\d\d\b")
"""``Mi Nov  5 08:11`` of ``[Mi Nov  5 08:11:02 2025]``; a stamp that was taken off the line has the same form."""


class AerLog(MessageParser):
    """Reports of PCIe errors, those of one minute folded."""

    kind: ClassVar[str] = "kernel-log"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES

    def event(self, message: EventPattern, groups: Mapping[str, str], ref: Ref, line: Line) -> JobEvent:
        """The event with the minute in which the kernel logged it, where a stamp tells it."""
        found = super().event(message, groups, ref, line)
        minute = minute_of(line)
        return replace(found, groups={**found.groups, "minute": minute}) if minute else found


def minute_of(line: Line) -> str:
    """A text that is the same for all lines of one minute; "" where there is no stamp."""
    uptime = _UPTIME.search(line.text[:120])
    if uptime is not None:
        return f"minute {int(uptime['seconds']) // 60}"
    date = _DATE.match(line.text[:60]) or (_DATE.match(line.stamp[:60]) if line.stamp else None)
    return date["minute"] if date is not None else ""


PARSER = AerLog
