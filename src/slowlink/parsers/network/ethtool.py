"""``ethtool IF``, ``-S`` (counters), ``-a`` (pause), ``-i`` (driver), ``-m`` (module) and ``--show-fec``::

    # ethtool ens1np0
    Settings for ens1np0:
            Speed: 200000Mb/s
            Link detected: yes
    # ethtool -S ens1np0
    NIC statistics:
         rx_discards_phy: 17
         rx_prio5_pause: 18

``-S``, ``-m`` and ``-i`` do not name the interface; the command above does. Without it the counters are those of an
interface without a name, each list of another one. Names of counters are the driver's: those of mlx5, bnxt_en, ice and
ionic are read. ``RX:`` is a switch below ``-a`` and a size below ``-g``, where it says nothing about health.

Source: ethtool's ``netlink/settings.c``, ``netlink/pause.c`` and ``ethtool.c``; the drivers' names of counters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_lowercase
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks
from slowlink.parsers.forms.make_reading import MAX_READINGS, bus_id, number, reading, says_something, whole
from slowlink.parsers.network.module_alarms import Alarm, alarms_of
from slowlink.patterns import regex

_SPEED = regex(r"(\d{1,7})\s?Mb/s")
_COUNTER = regex(r"\s{1,20}(?P<name>[A-Za-z][\w.\[\]-]{2,60}): (?P<count>\d{1,20})\s{0,8}")
_MODES = regex(
    r"\s{0,40}(?:(?:Supported|Advertised|Link partner advertised)[ /].{0,120}|\d{3,7}base[\w/]{1,20}.{0,80}"
    r"|(?:Transceiver|Port|PHYAD|MDI-X|Wake-on|Supports Wake-on|Current message level|Link partner.{0,40}"
    r"|Configured FEC encodings|Supports? .{0,40}|expansion-rom-version|RX negotiated|TX negotiated):.{0,120})\s{0,8}"
)
_SECTIONS = regex(
    r"(?:Pre-set maximums|Current hardware settings|Capabilities|(?:RX|TX)(?: Mini| Jumbo| Buf Len| Push)?|CQE Size"
    r"|TCP data split|Other|Combined|Adaptive RX|PTP Hardware Clock|Hardware (?:Transmit|Receive).{0,40}"
    r"|[a-z][a-z0-9-]{2,40}):(?:\s.{0,80})?"
    r"|\s{1,8}(?:tx-|rx-|hardware-|software-|ptpv|off\b|on\b|all\b|[a-z]{4,12}-)[\w-]{0,40}(?::? .{0,60})?"
    r"|\s{20,60}(?:drv|probe|link|timer|ifdown|ifup|rx_err|tx_err)(?: [a-z_ ]{2,60})?"
)
"""What ``-g -l -c -k -T`` and the message level print: queues and offloads, which say nothing about health."""
_STARTS = (
    *("Supported", "Advertised", "Link partner", "Transceiver", "Port:", "PHYAD:", "MDI-X:", "Wake-on:", "Support"),
    *("Current message", "Configured FEC", "RX", "TX", "Pre-set maximums:", "Current hardware", "Capabilities:"),
    *("CQE Size:", "TCP data split:", "Other:", "Combined:", "Adaptive RX:", "PTP Hardware Clock:", "Hardware "),
    *("Identifier", "Extended", "Power class", "Max power", "Connector", "Tx CDR", "Rx CDR", "CDR ", "Transmit"),
    *("Laser ", "Length ", "Vendor ", "Date code", "Revision compliance", "Module ", "Rcvr ", "Encoding", "BR, "),
    *("Rate identifier", "Optical ", "Attenuation ", "CLEI code", "Active ", "Host ", "Media ", "Copper "),
    *("Passive ", "Alarm/warning ", "Receiver ", "Fault", "Rx ", "Tx ", "expansion-rom-version:"),
)
"""How the lines of the three patterns above and below begin, but those in small letters."""
_MODULE = regex(
    r"\s{0,8}(?:Identifier|Extended identifier.{0,30}|Power class|Max power|Connector|Tx CDR.{0,30}|Rx CDR.{0,30}"
    r"|CDR .{0,30}|Transmitter technology|Laser .{0,50}|Length .{0,30}|Vendor .{0,20}|Date code|Revision compliance"
    r"|Module .{0,40}|Transmit.{0,50}|Rcvr .{0,50}|Transceiver .{0,30}|Encoding|BR, .{0,20}|Rate identifier"
    r"|Optical .{0,40}|Attenuation .{0,30}|CLEI code|Active .{0,40}|Host .{0,40}|Media .{0,40}|Copper .{0,40}"
    r"|Passive .{0,40}|Alarm/warning .{0,40}|Receiver .{0,50}|TX .{0,40}|RX .{0,40}|Fault.{0,20})\s{0,40}:.{0,120}"
)
"""What ``-m`` prints of a cable or transceiver beside its temperature, maker and part number."""
_CHANNELS = regex(r"\s{0,8}[RT]x [a-zA-Z][\w ]{1,30}(?: {0,3}\(Chan\w{0,4} \d{1,2}\))?\s{0,40}:.{0,120}")
"""Signals of the channels of a module: lost ones are alarms."""
_PRIORITY = regex(
    r"(?P<side>[rt]x)_(?:prio(?P<mlx>\d)_pause|pfc_ena_frames_pri(?P<bnxt>\d)|priority_(?P<ice>\d)_xoff(?:\.nic)?)"
)
"""Frames that pause a priority. ice counts those that resume it beside them (``_xon``): they are no pauses."""
_DISCARDS = regex(r"rx_prio(?P<mlx>\d)_discards")
_NAMES = {
    "rx_pause_ctrl_phy": "interface-pause-received",
    "tx_pause_ctrl_phy": "interface-pause-sent",
    "rx_pause_frames": "interface-pause-received",
    "tx_pause_frames": "interface-pause-sent",
    "rx_discards_phy": "interface-rx-discards",
    "tx_discards_phy": "interface-tx-discards",
    "rx_out_of_buffer": "interface-out-of-buffer",
    "rx_crc_errors_phy": "interface-crc-errors",
    "rx_crc_errors.nic": "interface-crc-errors",
    "rx_fcs_err_frames": "interface-crc-errors",
    "rx_symbol_err_phy": "interface-symbol-errors",
    "link_down_events_phy": "interface-link-down-events",
    "rx_errors": "interface-rx-errors",
    "tx_errors": "interface-tx-errors",
    "rx_bytes_phy": "interface-rx-bytes",
    "tx_bytes_phy": "interface-tx-bytes",
    "rx_packets_phy": "interface-rx-packets",
    "tx_packets_phy": "interface-tx-packets",
    "frames_rx_bad_fcs": "interface-crc-errors",
    "frames_rx_pause": "interface-pause-received",
    "frames_tx_pause": "interface-pause-sent",
    "frames_rx_dropped": "interface-rx-discards",
    "octets_rx_ok": "interface-rx-bytes",
    "octets_tx_ok": "interface-tx-bytes",
    "frames_rx_ok": "interface-rx-packets",
    "frames_tx_ok": "interface-tx-packets",
    "hw_rx_dropped": "interface-rx-dropped",
    "hw_tx_dropped": "interface-tx-dropped",
    "rx_total_discard_pkts": "interface-rx-discards",
    "tx_total_discard_pkts": "interface-tx-discards",
    "rx_dropped.nic": "interface-rx-discards",
    "tx_errors.nic": "interface-tx-errors",
    "rx_bytes.nic": "interface-rx-bytes",
    "tx_bytes.nic": "interface-tx-bytes",
    "link_xoff_rx.nic": "interface-pause-received",
    "link_xoff_tx.nic": "interface-pause-sent",
    "link_down_events.nic": "interface-link-down-events",
}
"""In this order: mlx5 and bnxt_en, ionic (``frames_``, ``octets_``, ``hw_``), bnxt_en, ice (``.nic``)."""


def _text(value: str) -> str | None:
    return value if says_something(value) else None


def _switch(value: str) -> bool | None:
    return {"on": True, "off": False, "yes": True, "no": False}.get(value.lower())


def _speed(value: str) -> float | None:
    found = _SPEED.match(value)
    return int(found[1]) / 1000 if found else None


def _number_of(value: str) -> float | None:
    """The number before a unit: ``71.62 degrees C / 160.92 degrees F``, ``3.00m``; None for 0 m, a transceiver."""
    return number(value) or None


def _duplex(value: str) -> str | None:
    return value.lower() if value in ("Full", "Half") else None


class Ethtool(KeyedBlocks):
    """Reads keys below the interface that a heading or a command names, and counters by their driver's names."""

    kind: ClassVar[str] = "ethtool"
    digits_alike: ClassVar[bool] = True
    marks = (
        *("ethtool ", "parameters for ", "Features for ", "flags for ", ": 0\n", "0base", "\n "),
        *(f"\n{start}" for start in _STARTS),
        *(f"{last}:{end}" for last in f"{ascii_lowercase}0-" for end in " \t\n"),
    )
    headings: ClassVar[tuple[re.Pattern[str], ...]] = (
        regex(
            r"(?:Settings|(?:Pause|FEC|Ring|Channel|Coalesce|Time stamping) parameters|Features|Private flags) for "
            r"(?P<device>[\w.@-]{1,40}):\s{0,8}"
        ),
        regex(
            r".{0,160}\bethtool (?:-[A-Za-z] |--[a-z-]{3,20} )?(?P<device>[A-Za-z][\w.-]{1,40})(?: 2>\S{1,20})?"
            r"(?: ?[|;&].{1,600})?\s{0,8}"
        ),
    )
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {
        "Speed": (Key("interface-speed", _speed),),
        "Duplex": (Key("interface-duplex", _duplex),),
        "Auto-negotiation": (Key("interface-autoneg", _switch),),
        "Autonegotiate": (),
        "Link detected": (Key("interface-carrier", lambda value: _switch(value.split(" ")[0])),),
        "Lanes": (),
        "Module temperature": (Key("interface-module-temperature", _number_of),),
        "Vendor name": (Key("interface-module-vendor", _text),),
        "Vendor PN": (Key("interface-module-part-number", _text),),
        "Cable assembly length": (Key("interface-module-length", _number_of),),
        "RX": (Key("interface-rx-pause", _switch),),
        "TX": (Key("interface-tx-pause", _switch),),
        "Active FEC encoding": (Key("interface-fec", _text),),
        "Active FEC encodings": (Key("interface-fec", _text),),
        "driver": (Key("interface-driver", _text),),
        "version": (Key("interface-driver-version", _text),),
        "firmware-version": (Key("interface-firmware", lambda value: _text(value.partition(" ")[0])),),
        "bus-info": (Key("interface-bus-id", bus_id),),
        **dict.fromkeys(
            (
                "supports-statistics",
                "supports-test",
                "supports-eeprom-access",
                "supports-register-dump",
                "supports-priv-flags",
                "NIC statistics",
            ),
            (),
        ),
    }

    def __init__(self) -> None:
        super().__init__()
        self._unnamed = 0
        """Lists of counters without a word of whose they are: each stands for an interface of its own."""

    @classmethod
    def gate(cls) -> Gate:
        ((family,),) = super().gate()
        return ((f"{family}|{as_whole(_COUNTER, _MODES, _SECTIONS, _MODULE, _CHANNELS)}",),)

    @classmethod
    def wants(cls, text: str) -> bool:
        return super().wants(text) or any(p.fullmatch(text) for p in (_COUNTER, _MODES, _SECTIONS, _MODULE, _CHANNELS))

    def feed(self, line: Line) -> Use:
        if line.text.strip() == "NIC statistics:":
            if not self._device or not self._near(line):
                self._unnamed += 1
                self._device = f"unnamed-{self._unnamed}"
            self._last = line.no
            return Use.IGNORED
        use = super().feed(line)
        if use is not Use.NOT_MINE or not self._device or not self._near(line):
            return use
        match = _COUNTER.fullmatch(line.text)
        if match is not None:
            self._last = line.no
            return self._count(match["name"], match["count"], line)
        if alarms := alarms_of(line.text):
            self._last = line.no
            return self._alarms(alarms, line)
        if any(pattern.fullmatch(line.text) for pattern in (_MODES, _SECTIONS, _MODULE, _CHANNELS)):
            self._last = line.no
            return Use.IGNORED
        return Use.NOT_MINE

    def _alarms(self, alarms: list[Alarm], line: Line) -> Use:
        for alarm in alarms:
            if MAX_READINGS.has_room(len(self._found)):
                part = Part("optic", f"{self._device} {alarm.name}")
                self._found.append(reading("interface-module-alarm", part, alarm.raised, line))
        return Use.USED

    def _count(self, name: str, text: str, line: Line) -> Use:
        known = _counter(name)
        value = whole(text)
        if known is None or value is None or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        attribute, priority = known
        part = Part("priority", f"{self._device}/{priority}") if priority else Part("interface", self._device)
        self._found.append(reading(attribute, part, value, line))
        return Use.USED


def _counter(name: str) -> tuple[str, str] | None:
    """(attribute, priority) of a driver's counter; priority "" for one of the whole interface."""
    if name in _NAMES:
        return _NAMES[name], ""
    match = _PRIORITY.fullmatch(name)
    if match is not None:
        priority = match["mlx"] or match["bnxt"] or match["ice"]
        return f"priority-pause-{'received' if match['side'] == 'rx' else 'sent'}", priority
    discards = _DISCARDS.fullmatch(name)
    return ("priority-discards", discards["mlx"]) if discards is not None else None


PARSER = Ethtool
