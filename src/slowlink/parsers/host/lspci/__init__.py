"""PCI devices as ``lspci`` prints them: lists (plain, -nn, -v to -vvv, -mm, -vmm), trees (-t), and what grep left::

    17:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)
            Bus: primary=17, secondary=18, subordinate=1b, sec-latency=0
                    LnkSta: Speed 32GT/s (ok), Width x16 (ok)
            Capabilities: [148 v1] Access Control Services
                    ACSCtl: SrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-
    18:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
            Kernel driver in use: nvidia

Capabilities (links, ACS) are shown to root only; for others lspci prints ``<access denied>``, which is a reading of its
own. The domain ``0000:`` is often left out, and "(ok)" since pciutils 3.8. A device that fell off the bus has
``(rev ff)``. Where grep took the devices away they are numbered ``#1``, ``#2``: their values are known, their names
not, unless the command told which one it asks for, by its address or as the HCA whose address the shell looks up.

Source: ``lspci.c``, ``ls-caps.c``, ``ls-ecaps.c`` and ``ls-tree.c`` of pciutils 3.1 to 3.13.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.catalog.pci import Role, role_of
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals, hexadecimal_pairs
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.parsers.host.lspci.details import ALONE, LINKED, LinkActive, keyed, looks_indented, said_of
from slowlink.parsers.host.lspci.devices import EACH, Device, asked_for, beside, hca_alone, named, role_asked_for
from slowlink.parsers.host.lspci.records import Record, record_line
from slowlink.parsers.host.lspci.tree import Tree

_DENIED = "<access denied>"
_DEAD = "!!! Unknown header type"
_NOISE = ("pcilib: ", "lspci: ")
GAP = 8
"""Lines of a device come together; after a longer gap something else begins."""


class Lspci:
    """Remembers the device whose details follow; gives a number to devices that nobody names."""

    kind: ClassVar[str] = "lspci"
    literals: ClassVar[Literals] = Literals(
        (
            *("lspci", "\n ", "\nLnkC", "\nLnkS", "\nACSC", "\nDevC", "\nDevS", "-[", "+[", "\\[", "+-", "\\-", ":\t"),
            "\npcilib: ",
            *(f"{before}{pair}:" for before in "\n:" for pair in hexadecimal_pairs()),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._device: Device | None = None
        self._last = 0
        """Number of the last line that was ours."""
        self._asked: Device | None = None
        """The device that ``lspci -s`` was given; one without an address where nobody knows which."""
        self._each = False
        """Does a loop ask for one HCA after the other, and print its name?"""
        self._role: Role = "other"
        """What the devices are that a loop asks for."""
        self._seen: set[str] = set()
        """Keys of the device without a name."""
        self._unnamed = 0
        self._active = LinkActive()
        self._tree = Tree()
        self._record = Record()
        self._denied: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return (
            keyed(text) is not None
            or looks_indented(text)
            or named(text) is not None
            or _of_loop(text) is not None
            or Tree.begins(text)
            or record_line(text) is not None
            or "lspci" in text
            or text.startswith(_NOISE)
        )

    @property
    def greedy(self) -> bool:
        return self._each

    def feed(self, line: Line) -> Use:
        if line.no - self._last > GAP:
            self._device = None
            self._each = False
        use = self._feed(line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _feed(self, line: Line) -> Use:
        text = line.text
        device = named(text)
        if device is not None:
            return self._begin(device, line)
        looped = _of_loop(text)
        if looped is not None and (self._role != "other" or looped[1] == "ACSCtl"):
            self._device = Device(looped[0].address, role=self._role)
            return self._detail(looped[1], looped[2], line)
        pair = keyed(text)
        if pair is not None and (self._device is not None or pair[0] in ALONE):
            return self._detail(pair[0], pair[1], line)
        if Tree.begins(text):
            return self._places(line)
        record = record_line(text)
        if record is not None:
            return self._of_record(record, line)
        alone = hca_alone(text) if self._each else None
        if alone is not None:
            self._asked, self._device = alone, None
            return Use.IGNORED
        asked = asked_for(text)
        if asked is not None:
            self._each, self._role = asked is EACH, role_asked_for(text)
            self._asked, self._device, self._seen, self._unnamed = asked, None, set(), 0
            return Use.IGNORED if "|" in text or text.lstrip().startswith(("lspci", "$", "#", "sudo")) else Use.NOT_MINE
        if self._device is not None and text[:1] in "\t ":
            return self._flags(self._device, line)
        return Use.IGNORED if text.startswith(_NOISE) else Use.NOT_MINE

    def _flags(self, device: Device, line: Line) -> Use:
        """A line below a device that has no key of ours."""
        if _DEAD in line.text:
            self._add("pci-answers", device.part, False, line)
            return Use.USED
        if self._active.says_off(line.text):
            self._add("pcie-link-off", device.linked, True, line)
            return Use.USED
        return Use.IGNORED

    def _begin(self, device: Device, line: Line) -> Use:
        self._device = device
        self._active = LinkActive()
        if device.role == "other":
            return Use.IGNORED
        self._add("pci-role", device.part, device.role, line)
        self._add("pci-device", device.part, device.name, line)
        if device.gone and device.role in ("gpu", "hca", "nvswitch"):
            self._add("pci-answers", device.part, False, line)
        return Use.USED

    def _detail(self, key: str, rest: str, line: Line) -> Use:
        if _DENIED in rest:
            return self._deny(line)
        device = self._device or self._without_name(key)
        used = False
        for attribute, value in said_of(device, key, rest):
            self._add(attribute, device.linked if attribute in LINKED else device.part, value, line)
            used = True
        return Use.USED if used else Use.IGNORED

    def _without_name(self, key: str) -> Device:
        """The device of a line whose device was grepped away: the next one begins when a key comes again."""
        if self._asked is not None and self._asked.address:
            return self._asked
        if key in self._seen or not self._seen:
            self._unnamed += 1
            self._seen = set()
        self._seen.add(key)
        return Device(f"#{self._unnamed}")

    def _deny(self, line: Line) -> Use:
        if self._denied is None:
            self._denied = line.text
            self._add("pci-capabilities-readable", NODE, False, line)
            return Use.USED
        return Use.IGNORED

    def _places(self, line: Line) -> Use:
        self._device = None
        used = False
        for place in self._tree.feed(line.text):
            part = Part("pci", place.address)
            role = "bridge" if place.buses else role_of("", place.name) if place.name else "other"
            if role != "other":
                self._add("pci-role", part, role, line)
                used = True
            if place.buses:
                self._add("pci-buses", part, place.buses, line)
            elif role != "other":
                self._add("pci-device", part, place.name[:300], line)
        return Use.USED if used else Use.IGNORED

    def _of_record(self, record: tuple[str, str], line: Line) -> Use:
        said = self._record.feed(*record)
        for device, attribute, value in said:
            self._add(attribute, device.part, value, line)
        return Use.USED if said else Use.IGNORED

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, part, value, line))


def _of_loop(text: str) -> tuple[Device, str, str] | None:
    """Device, key and rest of a line with both."""
    found = beside(text)
    pair = keyed(found[1]) if found is not None else None
    return (found[0], *pair) if found is not None and pair is not None and pair[0] in ALONE else None


PARSER = Lspci
