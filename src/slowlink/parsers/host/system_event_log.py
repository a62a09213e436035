"""The system event log of a node's management controller (BMC), as far as it is about memory and restarts::

      1a | 11/03/2026 | 02:11:38 | Memory #0x53 | Uncorrectable ECC | Asserted
      1b | 11/03/2026 | 02:11:55 | System Boot Initiated #0x10 | Initiated by power up | Asserted
      1c | 11/03/2026 | 02:13:02 | Memory DIMM_B4 | Memory Device Disabled | Asserted

Corrected errors and the limit of logging them are known and give no event, and so is what was deasserted. With ``-H``
the events are those of the machine that was asked.

Source: ``ipmitool sel list`` and ``elist`` 1.8 (``lib/ipmi_sel.c``; the names of sensors and events are IPMI's).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern
from slowlink.parsers.host.bmc_command import PROGRAM, asked_machine

_ROW = r"^(?!.*\| ?Deasserted)\s*(?:[0-9a-f]{1,6} ?\| )?(?:\d\d/\d\d/\d{2,4} |Pre-Init).{0,40}?\| "
"""Numbers that count up by one are taken for those of lines, and are gone."""
_DIMM = r"(?:.{0,80}?(?P<dimm>(?:DIMM|[A-Z]\d?_?DIMM)[\w-]{1,20}))?"
_MEMORY = _ROW + r"Memory(?: #0x[0-9a-f]{1,4})?(?: [\w-]{1,40})? ?\| {0,4}"

MESSAGES = (
    EventPattern(
        "bmc-memory-uncorrected",
        "| Uncorrectable ECC",
        _MEMORY + r"Uncorrectable ECC" + _DIMM,
        (
            "  1a | 11/03/2026 | 02:11:38 | Memory #0x53 | Uncorrectable ECC | Asserted",
            "  1a | 11/03/2026 | 02:11:38 | Memory ECC | Uncorrectable ECC (UnCorrectable ECC |  DIMMB4) | Asserted",
        ),
    ),
    EventPattern(
        "bmc-memory-disabled",
        "isabled",
        _MEMORY + r"(?:Memory Device )?Disabled" + _DIMM,
        ("  1c | 11/03/2026 | 02:13:02 | Memory #0x53 | Memory Device Disabled (DIMMB4) | Asserted",),
    ),
    EventPattern(
        "node-booted",
        "System ",
        _ROW + r"(?:System Boot(?: Initiated)?|System Restart|System Event)(?: #0x[0-9a-f]{1,4})?(?: [\w-]{1,40})? ?\| "
        r".{0,20}(?:[Ii]nitiated by|OEM System [Bb]oot|System Restart)",
        ("  1b | 11/03/2026 | 02:11:55 | System Boot Initiated #0x10 | Initiated by power up | Asserted",),
    ),
)

NOISE = (
    NoisePattern(
        "isabled",
        r"\| ?Memory\b.{1,160}Disabled.{0,80}\| ?Deasserted",
        ("  1d | 11/03/2026 | 02:14:02 | Memory #0x53 | Memory Device Disabled (DIMMB4) | Deasserted",),
    ),
    NoisePattern(
        "| Correctable",
        _MEMORY + r"Correctable (?:ECC|memory error)",
        (
            "  1a | 11/03/2026 | 02:11:38 | Memory #0x53 | Correctable ECC | Asserted",
            "  1b | 11/03/2026 | 02:11:38 | Memory #0x53 | Correctable ECC logging limit reached | Asserted",
        ),
    ),
)


class SystemEventLog(MessageParser):
    """Events of memory and of restarts, as the management controller keeps them."""

    kind: ClassVar[str] = "system-event-log"
    literals: ClassVar[Literals | None] = Literals(
        (PROGRAM, *(entry.mark for table in (MESSAGES, NOISE) for entry in table))
    )
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE

    def __init__(self) -> None:
        super().__init__()
        self._asked: str | None = None

    @classmethod
    def wants(cls, text: str) -> bool:
        return PROGRAM in text or super().wants(text)

    def feed(self, line: Line) -> Use:
        if PROGRAM in line.text:
            self._asked = asked_machine(line.text)
            return Use.NOT_MINE  # a command is the commands' parser's
        return super().feed(replace(line, host=line.host or self._asked) if self._asked else line)


PARSER = SystemEventLog
