"""``mlxconfig query``: settings that an HCA keeps in its flash and takes over at its next start.

The program is part of NVIDIA Firmware Tools (MFT). ``-e`` adds columns for the default and the current value::

    Device #1:

    Device type:        ConnectX7
    Name:               MCX75310AAS-NEA_Ax
    Device:             mlx5_0

    Configurations:                                          Next Boot
            LINK_TYPE_P1                                IB(1)
            MAX_ACC_OUT_READ                            44
            PCI_WR_ORDERING                             per_mkey(0)

The device is named as it was asked for: ``mlx5_0``, a PCI address or a device file. Of some two hundred settings those
are read that decide about bandwidth or about the kind of a port.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id, reading, says_something
from slowlink.patterns import regex

OF_HCA = {
    "PCI_WR_ORDERING": "hca-write-ordering",
    "MAX_ACC_OUT_READ": "hca-outstanding-reads",
    "ATS_ENABLED": "hca-address-translation",
    "NUM_OF_VFS": "hca-virtual-functions",
    "SRIOV_EN": "hca-sriov",
    "ROCE_ADAPTIVE_ROUTING_EN": "hca-adaptive-routing",
    "INTERNAL_CPU_MODEL": "hca-internal-cpu",
}
OF_PORT = {
    "LINK_TYPE": "hca-link-type",
    "ROCE_CC_PRIO_MASK": "hca-congestion-control",
    "KEEP_ETH_LINK_UP": "hca-link-kept-up",
}
_DEVICE = regex(r"\s{0,8}Device:\s{1,40}(?:/dev/mst/)?(?P<device>[\w.:/-]{2,80})\s{0,8}")
_ASKED = regex(
    r".{0,400}\bmlxconfig\b(?:\s{1,4}-[a-z]{1,2}){0,3}\s{1,4}(?:-d|--dev)[ =](?P<device>[\w.:/-]{2,80})\b.{0,400}"
)
"""A command: where ``grep`` left the rows alone, it names their device."""
_BESIDE = regex(
    r"\s{0,8}(?:Device #\d{1,4}:|Device type:\s.{0,80}|Name:\s{1,40}MC\S{1,60}|Description:\s.{0,300}"
    r"|Configurations:\s{1,80}(?:Default\s{1,40}Current\s{1,40})?Next Boot)\s{0,8}"
)
_ROW = regex(
    r"[*\s]{0,20}(?P<name>[A-Z][A-Z\d_]{2,60}?)(?:_P(?P<port>\d))?(?:\s{1,60}\S{1,60}){0,2}\s{1,60}(?P<value>[\w.-]{1,60})(?:\(\w{1,20}\))?\s{0,8}"
)
_MARKS = Literals(
    (*OF_HCA, *OF_PORT, "mlxconfig", "Device:", "Device #", "Device type:", "Configurations:", "Description:", "MCX")
)


class Mlxconfig:
    """Readings of the HCA, or of the port where a setting's name ends in ``_P1``."""

    kind: ClassVar[str] = "mlxconfig"
    literals: ClassVar[Literals] = _MARKS

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._device = ""

    @staticmethod
    def wants(text: str) -> bool:
        return _MARKS.in_(text) and any(form.fullmatch(text) is not None for form in (_ROW, _DEVICE, _BESIDE, _ASKED))

    @property
    def greedy(self) -> bool:
        return False

    @staticmethod
    def hears(text: str) -> bool:
        return "mlxconfig" in text and _ASKED.fullmatch(text) is not None

    def hear(self, line: Line) -> None:
        asked = _ASKED.fullmatch(line.text)
        device = asked["device"].removeprefix("/dev/mst/") if asked is not None else self._device
        self._device = bus_id(device) or device

    def feed(self, line: Line) -> Use:
        if self.hears(line.text):
            self.hear(line)
            return Use.NOT_MINE  # the command itself is another reader's
        if (device := _DEVICE.fullmatch(line.text)) is not None:
            self._device = bus_id(device["device"]) or device["device"]
            return Use.USED
        if _BESIDE.fullmatch(line.text) is not None:
            return Use.IGNORED
        row = _ROW.fullmatch(line.text)
        if row is None or not self._device:
            return Use.NOT_MINE
        attribute = OF_PORT.get(row["name"]) if row["port"] else OF_HCA.get(row["name"])
        if attribute is None:
            return Use.NOT_MINE
        if says_something(row["value"]) and MAX_READINGS.has_room(len(self._found)):
            part = Part("port", f"{self._device}/{row['port']}") if row["port"] else Part("hca", self._device)
            self._found.append(reading(attribute, part, row["value"], line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = Mlxconfig
