"""``/proc/net/bonding/BOND``: the links of a bond, as the kernel's bonding driver prints them::

    # cat /proc/net/bonding/bond2
    Ethernet Channel Bonding Driver: v6.8.0-7-generic
    Bonding Mode: fault-tolerance (active-backup)
    Slave Interface: ens7f0np0
    MII Status: up
    Speed: 25000 Mbps
    Link Failure Count: 9

The file does not name its bond; the path in the command above it does. ``MII Status`` is that of the bond as a whole
first, and then that of the leg below each ``Slave Interface``; only the legs' states are read. An unknown speed gives
no reading. With LACP (802.3ad) each leg belongs to an aggregate, and only one of them is in use.

Source: Linux 2.6.32 to 6.12, ``drivers/net/bonding/bond_procfs.c``.
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

GAP = 40

_PATH = regex(r".{0,160}/proc/net/bonding/(?P<bond>[\w.-]{1,40})(?: <==)?\s{0,8}")
_FIRST = regex(r"Ethernet Channel Bonding Driver: .{1,80}")
_LEG = regex(r"Slave Interface: (?P<interface>[\w.-]{1,40})\s{0,8}")
_STATUS = regex(r"MII Status: (?P<status>up|down|going down|going back)\s{0,8}")
_SPEED = regex(r"Speed: (?P<speed>\d{1,7}) Mbps\s{0,8}")
_UNKNOWN_SPEEDS = (0, 65535)
"""As older kernels print what the driver does not know."""
_FAILURES = regex(r"Link Failure Count: (?P<count>\d{1,10})\s{0,8}")
_AGGREGATE = regex(r"Aggregator ID: (?P<number>\d{1,6})\s{0,8}")
_MODE = regex(r"Bonding Mode: (?P<mode>[\w. ()-]{3,60})")
_SILENT = regex(
    r"\s{0,12}(?:(?:Transmit Hash Policy|(?:MII Polling Interval|(?:Up|Down|Peer Notification) Delay) \(ms\)"
    r"|ARP (?:Polling Interval \(ms\)|Missed Max|IP target/s \(n\.n\.n\.n form\))|NS IPv6 target/s \(.{1,16}\)"
    r"|Min links|LACP (?:active|rate)|Aggregator (?:selection policy \(ad_select\)|ID)|Duplex|Speed|Permanent HW addr"
    r"|Slave queue ID|(?:Primary|Currently Active) Slave|(?:Actor|Partner) (?:Churn|Churned) (?:State|Count)"
    r"|Number of ports|(?:Actor|Partner) Key|Partner Mac Address|[Ss]ystem (?:priority|MAC address|mac address)"
    r"|(?:port|oper) (?:key|priority|number|state)):.{0,80}"
    r"|bond \S{1,40} has no active aggregator"
    r"|[\d.]{1,5}ad info|Active Aggregator Info:|details (?:actor|partner) lacp pdu:)\s{0,8}"
)
_ALL = (_PATH, _FIRST, _LEG, _STATUS, _SPEED, _FAILURES, _MODE, _SILENT)


class Bonding:
    """Remembers the bond that a path named, and the leg that the lines are about."""

    kind: ClassVar[str] = "bonding"
    literals: ClassVar[Literals] = Literals(
        (
            *("/proc/net/bonding/", "Ethernet Channel Bonding Driver: ", "\nSlave ", "\nMII ", "\nSpeed:"),
            *("Link Failure Count: ", "Bonding Mode: ", "Transmit Hash Policy:", " Delay (ms):", "\nMin links:"),
            *("\nLACP ", "\nAggregator ", "\nDuplex:", "Permanent HW addr:", " Slave:", " Churn", "Number of ports:"),
            *(" Key:", "Partner Mac Address:", "ystem priority:", "ystem MAC address:", "ystem mac address:"),
            *("\nport ", "\noper ", "ad info", "\nActive Aggregator", " lacp pdu:"),
            *("\nARP ", "\nNS IPv0 ", " has no active aggregator"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._path = ""
        """The bond that a path named, until the file begins."""
        self._bond = ""
        self._leg: Part | None = None
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in _ALL)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        path = _PATH.fullmatch(line.text)
        if path is not None:
            self._path = path["bond"]
            return Use.IGNORED
        if _FIRST.fullmatch(line.text):
            self._bond, self._path, self._leg, self._last = self._path, "", None, line.no
            return Use.IGNORED
        if not self._last or line.no - self._last > GAP:
            return Use.NOT_MINE
        use = self._more(line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _more(self, line: Line) -> Use:
        leg, status, mode = (pattern.fullmatch(line.text) for pattern in (_LEG, _STATUS, _MODE))
        speed, failures = _SPEED.fullmatch(line.text), _FAILURES.fullmatch(line.text)
        if leg is not None:
            self._leg = Part("interface", leg["interface"])
            return self._add("interface-bond", self._leg, self._bond or None, line)
        if mode is not None:
            bond = Part("interface", self._bond) if self._bond else None
            return self._add("interface-bond-mode", bond, mode["mode"].strip(), line)
        if status is not None:
            return self._add("interface-bond-leg-up", self._leg, status["status"] == "up", line)
        if speed is not None:
            known = int(speed["speed"]) not in _UNKNOWN_SPEEDS
            return self._add("interface-speed", self._leg, int(speed["speed"]) / 1000 if known else None, line)
        aggregate = _AGGREGATE.fullmatch(line.text)
        if aggregate is not None and self._leg is not None:  # above the first leg stands the one in use
            return self._add("interface-bond-aggregate", self._leg, whole(aggregate["number"]), line)
        if failures is not None:
            return self._add("interface-bond-leg-failures", self._leg, whole(failures["count"]), line)
        return Use.IGNORED if _SILENT.fullmatch(line.text) else Use.NOT_MINE

    def _add(self, name: str, part: Part | None, value: Value | None, line: Line) -> Use:
        if part is None or value is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading(name, part, value, line))
        return Use.USED


PARSER = Bonding
