"""Hardware errors that the firmware (APEI) or the processor reported to the kernel: many lines, one report.

Source: ``drivers/firmware/efi/cper.c`` and ``arch/x86/kernel/cpu/mce`` of Linux. A report begins with "event
severity:", and a line "section_type:" says which part of the machine it is about. "DIMM location:" has the names of
bank and device from the DMI table, "fru_text:" what the maker calls the part.
"""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import happened

_SEVERITY = regex(r"event severity: (?P<severity>fatal|recoverable|corrected|info)\b")
_SECTION = regex(r"section_type: (?P<section>\S.{0,60})")
_EXCEPTION = regex(r"Machine Check Exception: [0-9a-f]{1,16} Bank \d")
_HCA_DRIVER = regex(r"\b(?:mlx\d_core|bnxt_(?:en|re)|ice|irdma|efa|hfi1|cxi_\w{2,6}) ")
_DIMM = regex(r"DIMM location: (?!not present)(?P<part>\S.{0,60})")
_FRU = regex(r"fru_text: (?P<part>\S.{0,19})")
_MOST_LINES = 40
"""Lines below its first one in which a report names its section."""


class HardwareError(Struct, frozen=True):
    """One report that is not a corrected error."""

    fatal: bool
    """Otherwise recoverable: what the error hit is lost, and the node goes on."""
    section: str
    """``memory error``, ``PCIe error``, ``ARM processor error`` ...; "" where no line says so."""
    lines: tuple[JobEvent, ...]
    """The first line, the one with the section, and those with the part."""
    part: str = ""
    """``CPU 1 DIMM 8 (Card03, ChnA, DIMM0)``: the part by its place and in the maker's words; "" where no line has it.
    """

    @property
    def is_of_pcie(self) -> bool:
        return self.section.startswith("PCIe")


def hardware_errors(events: Events) -> list[HardwareError]:
    """Reports of errors that were not corrected, in order."""
    lines = happened(events, "kernel-machine-check")
    found = []
    for number, line in enumerate(lines):
        said = _SEVERITY.search(line.text)
        if said is not None and said["severity"] in ("fatal", "recoverable"):
            report = _report(line, lines[number + 1 :])
            section, where = _section(report)
            part, named = _part(report)
            found.append(HardwareError(said["severity"] == "fatal", section, (line, *where, *named), part))
        elif _EXCEPTION.search(line.text):
            found.append(HardwareError(fatal=True, section="machine check", lines=(line,)))
    return found


def is_of_hca_driver(event: JobEvent) -> bool:
    """Does the kernel name the driver of an HCA in this line?"""
    return _HCA_DRIVER.search(event.text) is not None


def _report(first: JobEvent, later: tuple[JobEvent, ...]) -> list[JobEvent]:
    """The lines of the report that begins with ``first``, below it."""
    report = []
    for line in later[:_MOST_LINES]:
        apart = line.ref.source != first.ref.source or line.ref.line > first.ref.line + _MOST_LINES
        if apart or _SEVERITY.search(line.text):
            break
        report.append(line)
    return report


def _section(report: list[JobEvent]) -> tuple[str, tuple[JobEvent, ...]]:
    """The section of a report, and the line that names it."""
    for line in report:
        if named := _SECTION.search(line.text):
            return named["section"].strip(), (line,)
    return "", ()


def _part(report: list[JobEvent]) -> tuple[str, tuple[JobEvent, ...]]:
    """The part that a report names first, in one way or two, and the lines that name it."""
    said = []
    for pattern in (_DIMM, _FRU):
        if found := next(
            ((each["part"].strip(), line) for line in report if (each := pattern.search(line.text))), None
        ):
            said.append(found)
    names = [name for name, _ in said]
    return " ".join((*names[:1], *(f"({name})" for name in names[1:]))), tuple(line for _, line in said)
