"""Which port of which switch each interface is plugged into: ``lldpcli show neighbors`` and ``lldpctl -f keyvalue``::

    Interface:    ens1f0np0, via: LLDP, RID: 1, Time: 12 days, 03:11:12
      Chassis:
        ChassisID:    mac 1c:34:da:11:22:33
        SysName:      leaf-rail0
      Port:
        PortID:       ifname swp7

    lldp.ens1f0np0.chassis.name=leaf-rail0
    lldp.ens1f0np0.port.ifname=swp7

A switch without a name is its chassis, a port is named by its id. What else a neighbour says is known and not read.

Source: lldpd 0.9 to 1.0.19, ``src/client/display.c``, ``text_writer.c`` and ``kv_writer.c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

GAP = 40
_HEADING = regex(r"\s{0,4}Interface:\s{1,12}(?P<interface>[\w.@-]{1,40}), via: [\w-]{2,12}(?:,.{0,160})?\s*")
_CHASSIS = regex(
    r"\s{1,8}ChassisID:\s{1,12}(?:mac|local|ip|ifname|ifalias|port|chassis|unknown) (?P<value>\S{1,120})\s*"
)
_NAME = regex(r"\s{1,8}SysName:\s{1,12}(?P<value>\S{1,120})\s*")
_PORT = regex(r"\s{1,8}PortID:\s{1,12}(?:ifname|mac|local|ifalias|ip|unhandled|unknown) (?P<value>\S.{0,119})")
_KEY = regex(
    r"lldp\.(?P<interface>[\w@-]{1,40}(?:\.\d{1,4})?)\."
    r"(?P<key>(?:chassis|port|via|rid|age|vlan|lldp-med|ppvid|pi|unknown-tlvs)(?:\.[\w.-]{1,60})?)=(?P<value>.{0,200})"
)
_BESIDE = regex(
    r"\s{0,8}(?:LLDP neighbors:|(?:Chassis|Port|VLAN|LLDP-MED|PMD autoneg|Unknown TLVs|Custom TLVs)\b.{0,160}"
    r"|(?:SysDescr|MgmtIP|MgmtIface|Capability|PortDescr|TTL|MFS|MAU oper type|PMD autoneg|Adv|PPVID|PI|TLV"
    r"|Port is aggregated.{0,20}|Device Type):.{0,300}|-{20,120})\s*"
)


class Lldp:
    """Remembers the interface whose neighbour is described."""

    kind: ClassVar[str] = "lldp"
    literals: ClassVar[Literals] = Literals(
        (
            *("Interface:", "ChassisID:", "SysName:", "PortID:", "\nlldp.", "LLDP neighbors:", "\nChassis", "\nPort"),
            *("\nVLAN", "\nLLDP-MED", "\nPMD autoneg", "\nUnknown TLVs", "\nCustom TLVs", "\nSysDescr:", "\nMgmtI"),
            *("\nCapability:", "\nTTL:", "\nMFS:", "\nMAU oper type:", "\nAdv:", "\nPPVID:", "\nPI:", "\nTLV:"),
            *("\nDevice Type:", "\n--------------------"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._interface = ""
        self._chassis: tuple[str, Line] | None = None
        self._last = -GAP

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_HEADING, _CHASSIS, _NAME, _PORT, _KEY, _BESIDE),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_HEADING, _CHASSIS, _NAME, _PORT, _KEY, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if (key := _KEY.fullmatch(line.text)) is not None:
            return self._keyed(key["interface"], key["key"], key["value"].strip(), line)
        if (heading := _HEADING.fullmatch(line.text)) is not None:
            self._settle()
            self._interface, self._last = heading["interface"], line.no
            return Use.IGNORED
        if not self._interface or line.no - self._last > GAP:
            return Use.IGNORED if line.text.strip() == "LLDP neighbors:" else Use.NOT_MINE
        if (chassis := _CHASSIS.fullmatch(line.text)) is not None:
            self._chassis = (chassis["value"], line)
            return Use.USED
        if (name := _NAME.fullmatch(line.text)) is not None:
            self._chassis = None
            return self._add("interface-neighbour", self._interface, name["value"], line)
        if (port := _PORT.fullmatch(line.text)) is not None:
            return self._add("interface-neighbour-port", self._interface, port["value"].strip(), line)
        return Use.IGNORED if _BESIDE.fullmatch(line.text) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        self._settle()
        return self._found

    def _settle(self) -> None:
        """A switch that says no name is its chassis."""
        if self._chassis is not None:
            self._add("interface-neighbour", self._interface, *self._chassis)
        self._chassis = None

    def _keyed(self, interface: str, key: str, value: str, line: Line) -> Use:
        if key == "chassis.name":
            return self._add("interface-neighbour", interface, value, line)
        if key in ("port.ifname", "port.local", "port.mac"):
            return self._add("interface-neighbour-port", interface, value, line)
        return Use.IGNORED

    def _add(self, name: str, interface: str, value: str, line: Line) -> Use:
        if not value or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.append(reading(name, Part("interface", interface), value, line))
        return Use.USED


PARSER = Lldp
