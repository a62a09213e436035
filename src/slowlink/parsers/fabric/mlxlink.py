"""mlxlink, as text or as JSON: one port in depth, with its link, what is wrong with it, bit errors and module.

The program is part of NVIDIA Firmware Tools (MFT); read are the sections "Operational Info", "Troubleshooting Info",
"Physical Counters and BER Info" and "Module Info"::

    mlxlink -d mlx5_0 -c
    Operational Info
    ----------------
    State                              : Active
    Speed                              : IB-NDR
    Width                              : 4x
    Physical Counters and BER Info
    Effective Physical BER             : 15E-255

The output does not name the device: the command before it does, or nothing. ``15E-255`` is the tool's zero.
InfiniBand's speed is the name of one lane's, Ethernet's (``200G``) that of all lanes together. A port that polls is
down, unless the recommendation says that nothing is plugged in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import number, says_something, whole
from slowlink.patterns import regex

_SECTIONS = (
    "Operational Info",
    "Supported Info",
    "Troubleshooting Info",
    "Tool Information",
    "Physical Counters and BER Info",
    "Module Info",
    "EYE Opening Info",
)
_COMMAND = regex(
    r"mlxlink (?:.{0,80} )?-{1,2}d(?:evice)? (?P<device>\S{1,60})(?: .{0,80}?-{1,2}p(?:ort)? (?P<port>\d{1,3}))?"
)
_FIELD = regex(r"(?P<name>[A-Z][\w .()\[\]/,#-]{1,50}?) {1,50}: (?P<value>.{0,200})")
_NUMBERS = {
    "Symbol Errors": "link-symbol-errors",
    "Effective Physical Errors": "link-effective-errors",
    "Link Down Counter": "port-link-downed",
    "Link Error Recovery Counter": "port-link-error-recovery",
}
_RATES = {
    "Raw Physical BER": "link-raw-ber",
    "Effective Physical BER": "link-effective-ber",
    "Symbol BER": "link-symbol-ber",
}
_BER = regex(r"\d{1,4}(?:\.\d{1,6})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


class MlxLink:
    """Each block from "Operational Info" on is one port: that of the command before it, or "port 1", "port 2"."""

    kind: ClassVar[str] = "mlxlink"
    literals: ClassVar[Literals] = Literals(
        ("mlxlink ", " : ", "\n----------", *(f"\n{section}\n" for section in _SECTIONS))
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._blocks = 0
        self._section = ""
        self._command = ("", "1")
        self._part = Part("port", "")
        self._speed: tuple[str, Line] | None = None
        self._polling: Line | None = None
        """Where the port says that it looks for a peer. That is no fault if, further below, nothing is plugged in."""

    @staticmethod
    def wants(text: str) -> bool:
        return (
            text.strip() in _SECTIONS
            or ("mlxlink " in text and _COMMAND.search(text) is not None)
            or (" : " in text and _FIELD.fullmatch(text) is not None)
            or (text.startswith("----------") and len(text) <= 40 and not text.strip("-"))
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        if "mlxlink " in text and (command := _COMMAND.search(text)) is not None:
            self._section = ""
            self._command = command["device"], command["port"] or "1"
            return Use.IGNORED
        if text in _SECTIONS:
            if text == "Operational Info" or self._command[0]:
                self._begin()  # what a command prints may be cut to a later section
            self._section = text if self._blocks else ""
            return Use.IGNORED if self._blocks else Use.NOT_MINE
        field = _FIELD.fullmatch(text)
        if not self._section:
            return Use.NOT_MINE
        if field is None:
            return Use.IGNORED
        return self._field(field["name"].strip(), field["value"].strip(), line)

    def _begin(self) -> None:
        self._end()
        self._blocks += 1
        self._part = part_of(*self._command, self._blocks)
        self._command, self._speed = ("", "1"), None

    def _end(self) -> None:
        """The block is complete: a port that polls, with a cable in it, is down."""
        if self._polling is not None:
            own = "port" if self._part.kind == "port" else "link"
            self._found.add(f"{own}-state", self._part, "Down", self._polling)
        self._polling = None

    def _field(self, name: str, value: str, line: Line) -> Use:
        if name == "State" and value == "Polling" and self._section == "Operational Info":
            self._polling = line
            return Use.USED
        if name == "Recommendation" and "unplugged" in value:
            self._polling = None
        if not says_something(value):
            return Use.IGNORED
        told = field_values(self._section, name, value, self._part)
        if name == "Speed":
            self._speed = value, line
        elif name == "Width" and self._speed is not None and (rate := port_rate(self._speed[0], value)) is not None:
            self._found.add("port-rate", self._part, rate, line)
        for attribute, reading in told:
            self._found.add(attribute, self._part, reading, line)
        return Use.USED if told or name == "Speed" else Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        self._end()
        return self._found.all


def part_of(device: str, port: str, block: int) -> Part:
    """The port that a command names: an HCA's of this node, or one of the fabric (``lid-12``)."""
    found = re.fullmatch(r".{0,40}lid-(?P<lid>0x[0-9a-fA-F]{1,4}|\d{1,5})", device)
    if found is not None:
        return names.port(names.by_lid(int(found["lid"], 0 if found["lid"].startswith("0x") else 10)), port)
    return Part("port", f"{device}/{port}" if device else f"port {block}")


def field_values(section: str, name: str, value: str, part: Part) -> list[tuple[str, Value]]:
    """What one field says, as attributes of its port."""
    found: Value | None = None
    attribute = ""
    own = "port" if part.kind == "port" else "link"
    if section == "Operational Info":
        if name == "State":
            attribute, found = f"{own}-state", rates.state(value)
        elif name == "Physical state":
            attribute, found = f"{own}-physical-state", rates.physical_state(value)
        elif name == "Width":
            attribute, found = f"{own}-width", rates.lanes(value)
        elif name == "FEC":
            attribute, found = "link-fec", value
    elif section == "Troubleshooting Info" and name == "Recommendation":
        attribute, found = "link-recommendation", value.rstrip(".")
    elif section == "Module Info":
        attribute, found = _module(name, value)
    elif name in _RATES:
        attribute, found = _RATES[name], bit_errors(value)
    elif name in _NUMBERS:
        attribute, found = _NUMBERS[name], whole(value)
    elif name.startswith("Time Since Last Clear"):
        attribute, found = "link-counted-for", number(value)
    return [(attribute, found)] if attribute and found is not None else []


def _module(name: str, value: str) -> tuple[str, Value | None]:
    if name == "Vendor Part Number":
        return "link-cable-part", value
    if name == "Vendor Serial Number":
        return "link-cable-serial", value
    return ("link-temperature", number(value)) if name.startswith("Temperature") else ("", None)


def bit_errors(text: str) -> float | None:
    """``15E-255`` to 0.0, ``3E-9`` to 3e-9; None for anything else."""
    if _BER.fullmatch(text.strip()) is None:
        return None
    value = float(text)
    return 0.0 if value < 1e-250 else value if value <= 1 else None


def port_rate(speed: str, width: str) -> float | None:
    """``IB-NDR`` and ``4x`` to 400.0 Gb/s, ``100G`` (Ethernet's sum of lanes) to 100.0."""
    ethernet = re.fullmatch(r"(\d{1,4})G(?:bE)?(?:_\dX)?", speed)
    if ethernet is not None:
        return float(ethernet[1])
    lanes, name = rates.lanes(width), speed.upper().removeprefix("IB-")
    speed_of_lane = rates.lane_speed(name)
    return lanes * rates.DATA_RATES[speed_of_lane] if lanes is not None and speed_of_lane is not None else None


class MlxLinkJson:
    """The same of ``mlxlink --json``, whose document names no port: it goes by the line that it is on."""

    kind: ClassVar[str] = "mlxlink"

    @staticmethod
    def wants_document(value: object) -> bool:
        return bool(_sections(value))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        found, part = Gathered(), Part("port", f"port at line {line}")
        for section, fields in _sections(value).items():
            for name, text in fields.items():
                if isinstance(text, str | int | float) and says_something(str(text)):
                    at = Line(source, line, f'"{name}": "{text}"'[:400])
                    for attribute, reading in field_values(section, str(name), str(text), part):
                        found.add(attribute, part, reading, at)
            if (
                "Speed" in fields
                and (rate := port_rate(str(fields["Speed"]), str(fields.get("Width", "")))) is not None
            ):
                found.add("port-rate", part, rate, Line(source, line, f'"Speed": "{fields["Speed"]}"'[:400]))
        return found.all


def _sections(value: object) -> Mapping[str, Mapping[str, object]]:
    """The sections of a document; empty when it is not mlxlink's."""
    result = value.get("result") if isinstance(value, Mapping) else None
    output = result.get("output") if isinstance(result, Mapping) else None
    if not isinstance(output, Mapping) or "Operational Info" not in output:
        return {}
    return {name: fields for name, fields in output.items() if name in _SECTIONS and isinstance(fields, Mapping)}


PARSER = MlxLink
DOCUMENT = MlxLinkJson
