"""The lines of MLNX-OS's ``show interfaces ib``: one block a port, or with ``status`` one row a port.

Source: NVIDIA MLNX-OS user manual, "InfiniBand Interface". ``IB1/5`` of a switch without boards is port 5 of the
fabric; ports of boards and split ports keep the switch's own name.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from slowlink.model.state import Part, Value
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.forms.make_reading import whole
from slowlink.patterns import regex

_NAME = r"(?:IB ?|Interface )(?P<port>L?\d{1,3}(?:/\d{1,3}){1,3})"
_BEGIN = regex(_NAME + r" state:?")
_ROW = regex(
    _NAME + r" {2,80}(?:(?P<description>\S.{0,60}?) {2,80})?(?P<speed>sdr|ddr|qdr|fdr10|fdr|edr|hdr|ndr|xdr|-) {1,40}"
    r"(?:\d{1,4}(?:\.\d{1,3})? Gbps|-) {1,40}(?P<state>Down|Init|Initialize|Armed|Active|-) {1,40}"
    r"(?P<physical>\w{2,24})"
)
_HEADING = regex(r"Interface {2,40}Description {2,80}Speed .{0,120}|(?:-{5,40} {1,80}){3,8}-{5,40}")
_FIELD = regex(r" {1,8}(?P<name>[A-Z]?[\w /()-]{1,40}?) {0,30}: {0,4}(?P<value>.{0,120})")
_SECTION = regex(r"[RT]X:?")
_COUNTERS = {
    "Symbol errors": "port-symbol-errors",
    "VL15 dropped packets": "port-vl15-dropped",
    "wait": "port-xmit-wait",
    "discarded packets": "port-xmit-discards",
}
_KNOWN = frozenset(
    (
        "Current line rate",
        "Supported speeds",
        "Supported widths",
        "Max supported MTUs",
        "VL admin capabilities",
        "VL capabilities",
        "Operational VLs",
        "Description",
        "Phy-profile",
        "Width reduction mode",
        "bytes",
        "packets",
        "errors",
    )
)


MARKS = ("\nIB", "\nInterface ", "\nRX\n", "\nTX\n", "\nRX:\n", "\nTX:\n", "\n-----", "\n ")
"""One of these literals stands in each line about ports."""


class Row(Struct, frozen=True):
    """One port of ``show interfaces ib status``."""

    port: str
    values: Mapping[str, Value | None]


def wants(text: str) -> bool:
    """Could this be a line about ports?"""
    if text.startswith(("IB", "Interface ")):
        return any(pattern.fullmatch(text.rstrip()) is not None for pattern in (_BEGIN, _ROW, _HEADING))
    if text.startswith(("RX", "TX", "-----")):
        return is_frame(text.rstrip())
    return text.startswith(" ") and field(text.rstrip()) is not None


def begins(text: str) -> str | None:
    """The port whose block begins with this line; None for other lines."""
    found = _BEGIN.fullmatch(text) if text.startswith(("IB", "Interface ")) else None
    return found["port"] if found is not None else None


def is_frame(text: str) -> bool:
    """Is this a heading or a ruler, which has no value?"""
    return _SECTION.fullmatch(text) is not None or _HEADING.fullmatch(text) is not None


def row(text: str) -> Row | None:
    """The port of one row of ``show interfaces ib status``; None for other lines."""
    found = _ROW.fullmatch(text) if text.startswith("IB") else None
    if found is None:
        return None
    values: dict[str, Value | None] = {
        "link-speed": rates.lane_speed(found["speed"]),
        "link-state": rates.state(found["state"]),
        "link-physical-state": rates.physical_state(found["physical"]),
    }
    return Row(found["port"], values)


def field(text: str) -> tuple[str | None, Value | None] | None:
    """Attribute and value of a line of a block: (None, None) for one that is known and not read; None for others."""
    found = _FIELD.fullmatch(text)
    if found is None:
        return None
    name, value = found["name"], found["value"].strip()
    if name == "Logical port state":
        return "link-state", rates.state(value)
    if name == "Physical port state":
        return "link-physical-state", rates.physical_state(value)
    if name == "Speed":
        return "link-speed", rates.lane_speed(value)
    if name == "Width":
        return "link-width", rates.lanes(value)
    if name == "MTU":
        return "link-mtu", whole(value)
    if name in _COUNTERS:
        return _COUNTERS[name], whole(value)
    return (None, None) if name in _KNOWN else None


def part(switch: str, port: str) -> Part:
    """The port's one name in the fabric, where the switch's own name for it shows that."""
    board, _, number = port.partition("/")
    if board == "1" and number.isdecimal():
        return names.port(switch, number)
    return Part("fabric-port", f"{switch}/{port.replace('/', '-')}")
