"""The firmware of an HCA as ``flint -d DEVICE q`` (``mstflint``) shows it::

    $ flint -d 17:00.0 q
    Image type:            FS4
    FW Version:            28.43.1014
    FW Version(Running):   28.39.1002
    PSID:                  MT_0000000838

The first version lies in the flash; where another one runs, the card was not reset since it was written, and the
second line says so. The output does not name the card: the command above it does. An image file (``-i``) is no card.

Source: mstflint 4.20 to 4.33, ``flint/subcommands.cpp`` (``printImageInfo``).
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

_ASKED = regex(
    r".{0,300}\b(?:mst)?flint\b(?:\s{1,4}--?\w{1,16}){0,3}?\s{1,4}(?:-d|--device)[ =](?P<device>[\w.:/-]{2,80})"
    r"(?:\s{1,4}-\w{1,16}){0,3}\s{1,4}(?:q|query)\b.{0,200}"
)
_FLASH = regex(r"FW Version:\s{1,24}(?P<value>\d{1,3}(?:\.\d{1,6}){2,3})\s{0,8}")
_RUNNING = regex(r"FW Version\(Running\):\s{1,24}(?P<value>\d{1,3}(?:\.\d{1,6}){2,3})\s{0,8}")
_PSID = regex(r"PSID:\s{1,30}(?P<value>\S{2,40})\s{0,8}")
_BESIDE = regex(
    r"(?:Image type|FW ISSU Version|FW Release Date|MIC Version|Min FIT Version|PRS name|Product Version|Part Number"
    r"|Rom Info|Description|Base (?:GUID|MAC)(?: \d)?|Orig Base (?:GUID|MAC)|Image VSD|Device VSD|Orig PSID|Device ID"
    r"|VSD|Security Attributes|Security Ver|Default Update Method|Life cycle|Secure boot|EFUSE Security Ver"
    r"|Image Security Ver|Encryption|Chip Revision|Current Log|Image Boot Version|DeviceSku):.{0,160}"
)


class FlintQuery:
    """Remembers the card of the command, and the version in flash until it is clear that it runs."""

    kind: ClassVar[str] = "flint"
    literals: ClassVar[Literals] = Literals(
        (
            *("flint", "\nFW ", "\nPSID:", "\nImage ", "\nMIC ", "\nMin FIT", "\nPRS name:", "\nProduct Version:"),
            *("\nPart Number:", "\nRom Info:", "\nDescription:", "\nBase ", "\nOrig ", "\nDevice", "\nVSD:", "\nSecur"),
            *("\nDefault Update", "\nLife cycle:", "\nEFUSE", "\nEncryption:", "\nChip Revision:", "\nCurrent Log:"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._device = ""
        self._flash: tuple[str, Line] | None = None
        self._inside = False

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in (_ASKED, _FLASH, _RUNNING, _PSID, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    @staticmethod
    def hears(text: str) -> bool:
        return "flint" in text and _ASKED.fullmatch(text) is not None

    def hear(self, line: Line) -> None:
        asked = _ASKED.fullmatch(line.text)
        device = asked["device"].removeprefix("/dev/mst/") if asked is not None else ""
        self._device, self._inside = bus_id(device) or device, False

    def feed(self, line: Line) -> Use:
        if self.hears(line.text):
            self._settle()
            self.hear(line)
            return Use.NOT_MINE  # the command itself is another reader's
        flash, running, psid = (pattern.fullmatch(line.text) for pattern in (_FLASH, _RUNNING, _PSID))
        self._inside = self._inside or line.text.startswith("Image type:") or flash is not None
        if not self._device or not self._inside:
            return Use.NOT_MINE
        if flash is not None:
            self._flash = flash["value"], line
            return Use.USED
        if running is not None:
            self._flash = running["value"], line
        self._settle()
        if psid is not None and says_something(psid["value"]):
            self._add("hca-board-id", psid["value"], line)
            return Use.USED
        return Use.USED if running is not None else Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        self._settle()
        return self._found

    def _settle(self) -> None:
        """What was held runs."""
        if self._flash is not None:
            self._add("hca-firmware", *self._flash)
        self._flash = None

    def _add(self, attribute: str, value: str, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(attribute, Part("hca", self._device), value, line))


PARSER = FlintQuery
