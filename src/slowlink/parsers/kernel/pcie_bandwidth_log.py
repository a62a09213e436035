"""What the kernel says of a device on a PCIe link that is narrower or slower than the device, and what device it is.

Three lines of it, and the message as mail folds it, with a "=" at the end of a line or without::

    [ 0.38] pci 0000:81:00.0: [10de:2330] type 00 class 0x030200
    [ 0.39] pci 0000:81:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:80:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)
    [ 0.90] ACPI: button: Lid Switch [LID]
    [ 0.39] pci 0000:81:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 =
    GT/s PCIe x8 link at 0000:80:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)

The event has the ``class`` of the device where it is told, and two signs of a machine that is built so: ``of_processor``
(other functions of the device are AMD's processor's own, so its GPU is, too) and ``lid`` (a laptop).

Source: ``drivers/pci/pci.c`` and ``probe.c``, ``drivers/acpi/button.c`` of Linux 4.17 to 6.x.
"""  # noqa: E501  (the message is one line)

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS, Folded, quotes_code
from slowlink.parsers.forms.message_table import named_groups
from slowlink.patterns import regex

KIND, ORIGIN = "kernel-pcie-limited", "kernel"
_PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"
_START = regex(rf"(?P<pci>{_PCI}): (?P<available_gbit>[\d.]{{1,12}}) Gb/s available\b")
_MESSAGE = regex(
    _START.pattern + r" PCIe bandwidth, limited by"
    rf" (?P<limit>(?P<limit_speed>[\d.]{{1,8}} GT/s)(?: PCIe)? x\d{{1,2}}) link at (?P<at>{_PCI})"
    r"(?P<rest> \(capable of (?P<capable_gbit>[\d.]{1,12}) Gb/s(?: with "
    r"(?P<capable>(?P<capable_speed>[\d.]{1,8} GT/s)(?: PCIe)? x\d{1,2}) link\))?)?"
)
"""Before Linux 5.7 the links have no word for their bus."""
_DEVICE = regex(
    rf"(?P<pci>{_PCI}): \[(?P<vendor>[0-9a-f]{{4}}):[0-9a-f]{{4}}\] type [0-9a-f]{{2}} class (?P<class>0x[0-9a-f]{{6}})"
)
_LID = regex(r"ACPI: (?:button: )?Lid Switch \[")
_AMD_PROCESSOR = "1022"
_LAST_NUMBER = regex(r"[\d.:a-fA-F]{0,20}$")
_NUMBER = regex(rf"{_PCI}|[\d.]{{1,12}}")
_PLAN = (
    "#: # Gb/s available PCIe bandwidth, limited by # GT/s PCIe x# link at # (capable of # Gb/s with # GT/s PCIe x# "
    "link)"
)
_PLANS = (_PLAN, _PLAN.replace("GT/s PCIe", "GT/s"))
_MOST_LINES = 6
"""Lines into which mail folds one message."""
MAX_LIMITED = Limit(10_000, "devices on a narrow PCIe link")
MAX_DEVICES = Limit(20_000, "PCIe devices")


class PcieBandwidthLog:
    """One event for each device on a link that limits it."""

    kind: ClassVar[str] = "kernel-log"
    literals: ClassVar[Literals] = Literals(
        (" Gb/s available", "limited by", "GT/s", "capable of", " link)", "] type ", "Lid Switch [")
    )

    def __init__(self) -> None:
        self._limited: Folded[JobEvent] = Folded(MAX_LIMITED)
        self._devices: dict[tuple[str, str], tuple[str, str]] = {}
        """By node and address: vendor and class."""
        self._lids: set[str] = set()
        self._open: list[str] = []
        """The lines of a message that is not whole yet."""
        self._first: Line | None = None
        self._nodes: dict[int, str] = {}
        """The node of each event, by its line."""

    @classmethod
    def wants(cls, text: str) -> bool:
        return cls.literals.in_(text) and not quotes_code(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text, node = line.text[:MATCH_CHARACTERS], line.host or line.place
        if self._first is not None and self._goes_on(text, line.no):
            return Use.USED
        self._end()
        if (start := _START.search(text)) is not None:
            self._first, self._open = line, [text[start.start() :]]
            return Use.USED
        if (device := _DEVICE.search(text)) is not None:
            if MAX_DEVICES.has_room(len(self._devices)):
                self._devices[node, device["pci"]] = (device["vendor"], device["class"])
            return Use.IGNORED
        if _LID.search(text) is not None:
            self._lids.add(node)
            return Use.IGNORED
        return Use.NOT_MINE

    def _goes_on(self, text: str, number: int) -> bool:
        """Is this line the next part of the open message? Then it is taken."""
        first = self._first
        if first is None or number != first.no + len(self._open) or len(self._open) >= _MOST_LINES:
            return False
        joined = _joined([*self._open, text])
        if _is_whole(_joined(self._open)) or not (_is_whole(joined) or _fits(joined)):
            return False
        self._open.append(text)
        return True

    def _end(self) -> None:
        """The open message ends here; one that is cut before its limit is none."""
        first, self._first = self._first, None
        found = _MESSAGE.match(_joined(self._open)) if first is not None else None
        if first is None or found is None:
            return
        groups = {name: value for name, value in named_groups(found).items() if name != "rest"}
        node, ref = first.host or first.place, first.ref()
        key = (node, *groups.values())
        if not self._limited.counts_again(key, first) and self._limited.has_room():
            self._limited.keep(key, JobEvent(KIND, ORIGIN, ref.text.strip(), groups, ref, host=first.host))
            self._nodes[ref.line] = node

    def finish(self) -> Iterable[JobEvent]:
        self._end()
        return [replace(event, groups={**event.groups, **self._signs(event)}) for event in self._limited.records()]

    def _signs(self, event: JobEvent) -> dict[str, str]:
        """What device it is, as far as it was told anywhere."""
        node, pci = self._nodes[event.ref.line], event.groups["pci"]
        signs = {"lid": "yes"} if node in self._lids else {}
        if (told := self._devices.get((node, pci))) is not None:
            signs["class"] = told[1]
        others = {
            self._devices.get((node, f"{pci.partition('.')[0]}.{function}"), ("",))[0] for function in range(1, 8)
        }
        return signs | ({"of_processor": "yes"} if _AMD_PROCESSOR in others else {})


def _joined(parts: Iterable[str]) -> str:
    """One line of what mail made of it: "=" ends a line that goes on in the next (quoted-printable, RFC 2045), where a
    space at the end is "=20"."""
    whole = ""
    for part in parts:
        if whole.endswith("="):
            whole = whole[:-1] + part
        else:
            whole = f"{whole.removesuffix('=20').rstrip()} {part.strip()}" if whole else part
    return whole


def _is_whole(text: str) -> bool:
    found = _MESSAGE.match(text)
    return found is not None and found["capable"] is not None


def _fits(text: str) -> bool:
    """Is this a beginning of the message, its numbers left out?"""
    words = _NUMBER.sub("#", _LAST_NUMBER.sub("", text.removesuffix("=20").removesuffix("="))).rstrip()
    return any(plan.startswith(words) for plan in _PLANS)


PARSER = PcieBandwidthLog
