"""``ifconfig`` of net-tools 2: network interfaces, their MTU, addresses and counters::

    ens7f0np0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000
            inet 10.0.7.1  netmask 255.255.255.0  broadcast 10.0.7.255
            ether a0:88:c2:00:00:07  txqueuelen 1000  (Ethernet)
            RX packets 90  bytes 104 (104.0 B)
            RX errors 14  dropped 3  overruns 0  frame 0

The first line of an interface names it; what follows is indented. ``UP`` is what the administrator wants, ``RUNNING``
is the carrier. The older form of net-tools 1 (``Link encap:``) is not read. Of an InfiniBand address only the first
eight octets are right.

Source: net-tools 2 ``lib/interface.c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, whole
from slowlink.patterns import regex

GAP = 12

_FIRST = regex(r"(?P<name>[A-Za-z][\w.-]{0,40}): flags=\d{1,6}<(?P<flags>[A-Z,_]{0,200})> {1,4}mtu (?P<mtu>\d{1,6})")
_INET = regex(r" {2,20}inet (?P<ip>\d{1,3}(?:\.\d{1,3}){3}) .{0,120}")
_LINK = regex(r" {2,20}(?P<kind>ether|infiniband|loop) (?P<address>[0-9A-Fa-f:]{2,80})? .{0,120}")
_COUNTS = regex(
    r" {2,20}(?P<side>[RT]X) (?:packets (?P<packets>\d{1,20}) {1,4}bytes (?P<bytes>\d{1,20}).{0,40}"
    r"|errors (?P<errors>\d{1,20}) {1,4}dropped (?P<dropped>\d{1,20}).{0,80})"
)
_SILENT = regex(r" {2,20}(?:inet\d .{1,120}|device .{1,120})")
_KINDS = {"ether": "ether", "infiniband": "infiniband", "loop": "loopback"}


class Ifconfig:
    """Remembers the interface whose lines follow."""

    kind: ClassVar[str] = "ifconfig"
    literals: ClassVar[Literals] = Literals(
        (
            *(": flags=0<", "\ninet ", "\nether ", "\ninfiniband ", "\nloop ", "\ninet0 ", "\ndevice "),
            *("\nRX packets ", "\nTX packets ", "\nRX errors ", "\nTX errors "),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._interface: Part | None = None
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in (_FIRST, _INET, _LINK, _COUNTS, _SILENT))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        first = _FIRST.fullmatch(line.text)
        if first is not None:
            self._interface, self._last = Part("interface", first["name"]), line.no
            flags = first["flags"].split(",")
            self._add("interface-admin-up", "UP" in flags, line)
            self._add("interface-carrier", "RUNNING" in flags, line)
            self._add("interface-mtu", whole(first["mtu"]), line)
            return Use.USED
        if self._interface is None or line.no - self._last > GAP:
            return Use.NOT_MINE
        use = self._more(line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _more(self, line: Line) -> Use:
        inet, link, counts = (pattern.fullmatch(line.text) for pattern in (_INET, _LINK, _COUNTS))
        if inet is not None:
            self._add("interface-ipv4", inet["ip"], line)
        elif link is not None:
            self._add("interface-kind", _KINDS[link["kind"]], line)
            self._add("interface-address", (link["address"] or "").lower() or None, line)
        elif counts is not None:
            for name in ("packets", "bytes", "errors", "dropped"):
                self._add(f"interface-{counts['side'].lower()}-{name}", whole(counts[name] or ""), line)
        else:
            return Use.IGNORED if _SILENT.fullmatch(line.text) else Use.NOT_MINE
        return Use.USED

    def _add(self, name: str, value: Value | None, line: Line) -> None:
        if value is not None and self._interface is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(name, self._interface, value, line))


PARSER = Ifconfig
