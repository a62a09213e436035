"""Lists of HCAs and of their GUIDs, whose rows have a meaning only below their heading or command.

These are ``ibv_devices`` and ``ibv_devinfo -l`` (rdma-core, libibverbs/examples), ``ibstat -l`` and ``ibstat -p``
(infiniband-diags), and ``ls /sys/class/infiniband``::

    device                 node GUID
    ------              ----------------
    mlx5_0              a088c20300aa0010
    mlx5_1              a088c20300aa0011

A line that is only ``mlx5_0``, or only 16 hexadecimal digits, may be anybody's: it is read below one of these
commands or headings, and nowhere else. ``ls -l`` shows in the link's target where the device sits on the PCI bus.
``VM_hostname NAME`` above GUIDs is how superbench's survey of a fabric notes whose they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals, hexadecimal_pairs
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, bus_id, reading
from slowlink.patterns import regex

MAX_NAMES = 64
"""HCA names on one line that are read."""
GAP = 40
"""Lines that may be between the heading of a list, or a row of it, and the next row."""

_HEADER = regex(r"\s{0,20}(?:device {2,30}\s{0,8}node GUID|-{6} {2,30}\s{0,8}-{16})\s{0,8}")
_ROW = regex(r"\s{0,20}(?P<device>[A-Za-z][\w.-]{1,40})\s{1,40}(?P<guid>[0-9a-fA-F]{16})\s{0,8}")
_COMMAND = regex(
    r".{0,160}(?:[#$>] ?|^\s{0,8})(?P<command>ibstat -(?:l|-list_of_cas)|ibv_devinfo -(?:l|-list)"
    r"|ibstat -(?:p|-port_list)|ls (?:-1 )?/sys/class/infiniband/?)\s{0,8}"
)
_LINK = regex(
    rf".{{0,120}} (?P<device>{rdma.RDMA_NAME}) -> [\w./:-]{{1,300}}/(?P<bus>[0-9a-f:]{{5,13}}\.[0-7])"
    r"/infiniband/[\w.-]{1,40}/?\s{0,8}"
)
"""``ls -l /sys/class/infiniband``: where the device sits is in the link."""
_FOUND = regex(r"\s{0,20}(?P<count>\d{1,3}) HCAs? found:\s{0,8}")
_NAME = regex(rdma.RDMA_NAME)
_GUID = regex(r"\s{0,20}(?:0x)?(?P<guid>[0-9a-fA-F]{16})\s{0,8}")
_SURVEYED = regex(r"\s{0,20}VM_hostname\s{1,8}(?P<host>[\w.-]{1,80})\s{0,8}")


def _only_names(text: str) -> bool:
    """Is it a line of HCA names? Word by word: in one pattern the ways to match each name would multiply."""
    words = text.split()
    return 0 < len(words) <= MAX_NAMES and all(_NAME.fullmatch(word) for word in words)


class HcaLists:
    """Names, GUIDs and PCI addresses of HCAs, from whichever list the rows are in."""

    kind: ClassVar[str] = "hca-list"
    literals: ClassVar[Literals] = Literals(
        (
            *("node GUID", "------ ", "ibstat -", "ibv_devinfo -", "/infiniband", "VM_hostname", "HCA found:"),
            *("HCAs found:", " 0\n", "\t0\n", "\n0\n", "x0\n"),
            *(f"{pair}\n" for pair in hexadecimal_pairs("abcdefABCDEF")[1:]),
            *(f"\n{start}" for start in rdma.RDMA_STARTS),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._list = ""
        """``guids``, ``names`` or "": what the rows at this place are."""
        self._host: str | None = None
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        names = rf"\s*(?:{_NAME.pattern})(?:\s+(?:{_NAME.pattern}))*\s*"
        return ((as_whole(_HEADER, _ROW, _GUID, _SURVEYED, _FOUND, _COMMAND, _LINK, names),),)

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) >= 2000:
            return False
        patterns = [_HEADER, _ROW, _GUID, _SURVEYED, _FOUND]
        if "ib" in text:
            patterns += [_COMMAND, _LINK]
        return _only_names(text) or any(pattern.fullmatch(text) for pattern in patterns)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if self._opens(line):
            return self._counted(line)
        link = _LINK.fullmatch(line.text)
        if link is not None:
            return self._take("hca-bus-id", link["device"], bus_id(link["bus"]), line)
        if not self._list or line.no - self._last > GAP:
            return Use.NOT_MINE
        row, guid = _ROW.fullmatch(line.text), _GUID.fullmatch(line.text)
        if self._list == "rows" and row is not None:
            return self._take("hca-node-guid", row["device"], rdma.guid(row["guid"]), line)
        if self._list == "guids" and guid is not None:
            value = rdma.guid(guid["guid"])
            return self._take("port-guid" if self._host is None else "hca-node-guid", value or "", value, line)
        if self._list == "names" and _only_names(line.text):
            for name in line.text.split():
                self._take("hca-present", name, "yes", line)
            return Use.USED
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _opens(self, line: Line) -> bool:
        command, surveyed = _COMMAND.fullmatch(line.text), _SURVEYED.fullmatch(line.text)
        if _HEADER.fullmatch(line.text):
            self._list, self._host = "rows", None
        elif surveyed is not None:
            self._list, self._host = "guids", surveyed["host"]
        elif command is not None:
            self._list = "guids" if "-p" in command["command"] else "names"
            self._host = None
        elif _FOUND.fullmatch(line.text):
            self._list, self._host = "names", None
        else:
            return False
        self._last = line.no
        return True

    def _counted(self, line: Line) -> Use:
        """``8 HCAs found:``; that there is none, ``no_hcas`` says."""
        found = _FOUND.fullmatch(line.text)
        if found is None or int(found["count"]) == 0 or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading("hca-count", NODE, int(found["count"]), line))
        return Use.USED

    def _take(self, name: str, device: str, value: str | None, line: Line) -> Use:
        if value is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._last = line.no
        part = Part("port" if name == "port-guid" else "hca", device)
        found = reading(name, part, True if name == "hca-present" else value, line)
        self._found.append(found if self._host is None or name == "hca-bus-id" else replace(found, host=self._host))
        return Use.USED


PARSER = HcaLists
