"""The firmware of all HCAs of a node: ``mlxfwmanager`` (``mstfwmanager``)::

    Device #1:
    ----------

      Device Type:      ConnectX7
      Part Number:      MCX75310AAS-NEA_Ax
      PSID:             MT_0000000838
      PCI Device Name:  /dev/mst/mt4129_pciconf0
      Versions:         Current        Available
         FW             28.35.2000     28.39.1002

      Status:           Update required

A newer version that is at hand is no fault, so only the current one is read. The name comes in front of the versions.

Source: mstflint 4.20 to 4.33, ``mlxfwupdate/mlxfwmanager.cpp`` (``displayReportAndGetInput`` and what it calls).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id, reading, says_something
from slowlink.patterns import regex

GAP = 12
_DEVICE = regex(r"\s{0,8}Device #\d{1,3}:\s*")
_NAME = regex(r"\s{0,8}PCI Device Name:\s{1,8}(?P<value>[\w.:/-]{3,80})\s*")
_PSID = regex(r"\s{0,8}PSID:\s{1,20}(?P<value>\S{2,40})\s*")
_FIRMWARE = regex(r"\s{1,12}FW\s{1,20}(?P<value>\d{1,3}(?:\.\d{1,6}){2,3}|N/A|--)(?:\s.{0,60})?")
_BESIDE = regex(
    r"\s{0,8}(?:Querying (?:Mellanox|NVIDIA) devices firmware \.{2,4}|-{6,20}"
    r"|(?:Device Type|Part Number|Description|Base (?:GUID|MAC)|Status|Versions|Port\d (?:GUID|MAC)):.{0,200}"
    r"|(?:PXE|UEFI|CLP|FCODE|(?:UEFI )?Virtio (?:blk|net)|NVMe|DPA|EXP_ROM)\s{1,20}[\dN-].{0,60}"
    r"|Found \d{1,3} device\(s\) requiring firmware update.{0,40}|Log File: .{0,120})\s*"
)


class FirmwareOfHcas:
    """Remembers the device whose versions follow."""

    kind: ClassVar[str] = "mlxfwmanager"
    literals: ClassVar[Literals] = Literals(
        (
            *(
                "\nDevice #0:",
                "PCI Device Name:",
                "\nPSID:",
                "\nFW ",
                "devices firmware ...",
                "\n------",
                "\nDevice Type:",
            ),
            *(
                "\nPart Number:",
                "\nDescription:",
                "\nBase ",
                "\nStatus:",
                "\nVersions:",
                "\nPort0 ",
                "\nPXE ",
                "\nUEFI ",
            ),
            *("\nCLP ", "\nFCODE ", "\nVirtio ", "\nNVMe ", "\nDPA ", "\nEXP_ROM ", "requiring firmware update"),
            "\nLog File:",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._inside = False
        self._psid: tuple[str, Line] | None = None
        self._device = ""
        self._last = -GAP

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_DEVICE, _NAME, _PSID, _FIRMWARE, _BESIDE),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_DEVICE, _NAME, _PSID, _FIRMWARE, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if _DEVICE.fullmatch(line.text):
            self._inside, self._device, self._psid, self._last = True, "", None, line.no
            return Use.IGNORED
        if not self._inside or line.no - self._last > GAP:
            return Use.IGNORED if "devices firmware ..." in line.text else Use.NOT_MINE
        use = self._take(line)
        self._last = self._last if use is Use.NOT_MINE else line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _take(self, line: Line) -> Use:
        if (name := _NAME.fullmatch(line.text)) is not None:
            device = name["value"].removeprefix("/dev/mst/")
            self._device = bus_id(device) or device
            return self._add("hca-board-id", *self._psid) if self._psid is not None else Use.IGNORED
        if (psid := _PSID.fullmatch(line.text)) is not None:
            self._psid = (psid["value"], line)
            return Use.USED
        if (firmware := _FIRMWARE.fullmatch(line.text)) is not None:
            return self._add("hca-firmware", firmware["value"], line)
        return Use.IGNORED if _BESIDE.fullmatch(line.text) else Use.NOT_MINE

    def _add(self, name: str, value: str, line: Line) -> Use:
        if not self._device or not says_something(value) or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading(name, Part("hca", self._device), value, line))
        return Use.USED


PARSER = FirmwareOfHcas
