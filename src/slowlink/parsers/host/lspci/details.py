"""Lines of ``lspci -v`` to ``-vvv`` below a device: link, ACS, payload, place.

Source: pciutils 3.1 to 3.13 (``ls-caps.c``, ``ls-ecaps.c``, ``lspci.c``). Since 3.8 "(ok)" is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from slowlink.model.state import Value
from slowlink.parsers.host.lspci.devices import Device
from slowlink.patterns import regex

Found = Iterator[tuple[str, Value]]
"""(attribute, value) of the device above."""

_MOST_LANES = 32
"""A field of ones (63, 255) is no width."""
_LINK = regex(
    r"(?:Port #\d{1,3}, )?Speed (?:(?P<speed>\d{1,3}(?:\.\d)?)GT/s|unknown)(?: \((?P<slow>[a-z]{2,12})\))?"
    r", Width x(?P<width>\d{1,3})(?: \((?P<narrow>[a-z]{2,12})\))?"
)
_SWITCHED_OFF = regex(r"(?:^| )(?:Lnk)?Disabled?\+(?: |$)")
"""``Disabled+`` to pciutils 3.6, ``LnkDisable+`` since."""
_BUSES = regex(r"primary=[0-9a-f]{2}, secondary=([0-9a-f]{2}), subordinate=([0-9a-f]{2})")
_PAYLOAD = regex(r"MaxPayload (\d{1,5}) bytes(?:, MaxReadReq (\d{1,5}) bytes)?")


def _link_can(rest: str) -> Found:
    link = _LINK.match(rest)
    if link is None:
        return
    if link["speed"]:
        yield "pcie-speed-max", float(link["speed"])
    if 0 < int(link["width"]) <= _MOST_LANES:
        yield "pcie-width-max", int(link["width"])


def _link_does(rest: str) -> Found:
    link = _LINK.match(rest)
    if link is None:
        return
    if link["speed"]:
        yield "pcie-speed", float(link["speed"])
    if int(link["width"]) <= _MOST_LANES:
        yield "pcie-width", int(link["width"])
    if link["slow"]:
        yield "pcie-speed-reduced", link["slow"] == "downgraded"
    if link["narrow"]:
        yield "pcie-width-reduced", link["narrow"] == "downgraded"


def _link_is_set(rest: str) -> Found:
    if _SWITCHED_OFF.search(rest):
        yield "pcie-link-off", True


def _slot(rest: str) -> Found:
    if "PresDet-" in rest.split():
        yield "pcie-link-off", True


def _access_control(rest: str) -> Found:
    flags = rest.split()
    if "ReqRedir-" in flags or "ReqRedir+" in flags:
        yield "acs-redirect", "ReqRedir+" in flags or "CmpltRedir+" in flags
    if flags and flags[0] in ("SrcValid-", "SrcValid+"):
        yield "acs-source-validation", flags[0] == "SrcValid+"


def _payload_can(rest: str) -> Found:
    found = _PAYLOAD.match(rest)
    if found is not None:
        yield "pcie-max-payload-supported", int(found[1])


def _payload(rest: str) -> Found:
    found = _PAYLOAD.match(rest)
    if found is not None and found[2]:
        yield "pcie-max-payload", int(found[1])
        yield "pcie-max-read-request", int(found[2])


def _errors(rest: str) -> Found:
    bits = [flag[:-1] for flag in rest.split() if flag in ("CorrErr+", "NonFatalErr+", "FatalErr+")]
    yield "pcie-error-bits", " ".join(bits) or "none"


def _resent(rest: str) -> Found:
    """Flags of packets that arrived broken or too late; a receiver's error may be of the link's training alone."""
    if kinds := [flag[:-1] for flag in rest.split() if flag in ("BadTLP+", "BadDLLP+", "Rollover+", "Timeout+")]:
        yield "pcie-resent", " ".join(kinds)


def _buses(rest: str) -> Found:
    found = _BUSES.match(rest)
    if found is not None:
        yield "pci-buses", f"{found[1]}-{found[2]}"


def _place(rest: str) -> Found:
    if rest.isascii() and rest.isdecimal() and len(rest) < 5:
        yield "pci-numa-node", int(rest)


def _group(rest: str) -> Found:
    if rest.isascii() and rest.isdecimal():
        yield "iommu-group", rest[:8]


def _driver(rest: str) -> Found:
    if rest:
        yield "pci-driver", rest[:60]


def _window(rest: str) -> Found:
    if rest.startswith("Memory at <unassigned>"):
        yield "pci-memory-unassigned", True


def _answers(rest: str) -> Found:
    if rest.startswith("I/O"):
        yield "pci-answers", True


_ANY = ("gpu", "hca", "nic", "nvswitch", "bridge", "other")
_ENDS = ("gpu", "hca")

READ: dict[str, tuple[tuple[str, ...], Callable[[str], Found]]] = {
    "LnkCap": (_ANY, _link_can),
    "LnkSta": (_ANY, _link_does),
    "LnkCtl": (_ANY, _link_is_set),
    "SltSta": (_ANY, _slot),
    "ACSCtl": (_ANY, _access_control),
    "DevCap": (_ENDS, _payload_can),
    "MaxPayload": (_ENDS, _payload),
    "DevSta": (_ENDS, _errors),
    "CESta": (_ENDS, _resent),
    "Bus": (_ANY, _buses),
    "NUMA node": (_ENDS, _place),
    "IOMMU group": (_ENDS, _group),
    "Kernel driver in use": ((*_ENDS, "nvswitch"), _driver),
    **{f"Region {number}": (("gpu",), _window) for number in range(6)},
    "Control": ((*_ENDS, "nvswitch"), _answers),
}
"""Key of a line -> the roles of devices that it is read of, and what it says."""


def said_of(device: Device, key: str, rest: str) -> Found:
    """What a line below ``device`` says; nothing for keys and devices of which nothing is asked."""
    roles, read = READ.get(key, ((), _answers))
    if device.role in roles and not (key == "Control" and device.gone):
        yield from read(rest)


ALONE = ("LnkCap", "LnkCtl", "LnkSta", "ACSCtl")
"""Keys that say something even when no line names the device."""

LINKED = (
    *("pcie-speed", "pcie-speed-max", "pcie-width", "pcie-width-max", "pcie-speed-reduced", "pcie-width-reduced"),
    "pcie-link-off",
)
"""Attributes of the link, which a GPU or HCA has under its own name."""

_KEYS = (
    r"LnkCap\d?|LnkCtl\d?|LnkSta\d?|DevCap\d?|DevCtl\d?|DevSta|SltC(?:ap|tl)|SltSta|RootC(?:ap|tl|md)|RootSta|ACSCap|ACSCtl"
    r"|UESta|UEMsk|UESvrt|CESta|CEMsk|AERCap|HeaderLog|ErrorSrc|DpcC(?:ap|tl)|DpcSta|LaneErrStat|ATSC(?:ap|tl)|ARIC(?:ap|tl)"
    r"|IOVC(?:ap|tl)|IOVSta|PTMCap|BridgeCtl|Secondary status|Prefetchable memory behind bridge|Memory behind bridge"
    r"|I/O behind bridge|Kernel driver in use|Kernel modules|IOMMU group|NUMA node|Expansion ROM at [^:]{1,40}"
    r"|AtomicOpsC(?:ap|tl)|Physical Slot|DeviceName|Capabilities|Subsystem|Region \d|Bus|Control|Interrupt"
)
_KEYED = regex(rf"\s{{1,60}}(?P<key>{_KEYS}):(?:\s(?P<rest>.{{0,400}}))?$")
_BARE = regex(
    r"(?P<key>LnkCap\d?|LnkCtl\d?|LnkSta\d?|ACSCap|ACSCtl|DevCap\d?|DevCtl\d?|DevSta):(?:\s(?P<rest>.{0,400}))?$"
)
_PAYLOAD_LINE = regex(r"\s{1,60}(?P<rest>(?P<key>MaxPayload) \d{1,5} bytes, MaxReadReq .{0,100})$")
_TABBED = regex(
    r"\t{3,5} {0,4}\S"
    r"|\t{1,2} ?(?:!!! |\[\w\w\] |Expansion ROM |[A-Z][\w/. -]{0,40}[\w>?]: ?"
    r"|[\w-]{2,30}[+-](?: |$)|[\w ,/-]{1,60}[+-]?$)"
)
"""A line of a device whose key says nothing to us, in the tool's own indentation."""


def keyed(text: str) -> tuple[str, str] | None:
    """(key, rest) of a line with one of lspci's keys, indented or as grep and sed leave it; None for any other."""
    found = _KEYED.match(text) or _BARE.match(text) or _PAYLOAD_LINE.match(text)
    return None if found is None else (found["key"], (found["rest"] or "").strip())


class LinkActive:
    """Reads from the flags of a port whether data flows: ``LLActRep+`` of what it can report, then ``DLActive-``."""

    def __init__(self) -> None:
        self._reports = False

    def says_off(self, text: str) -> bool:
        """Take one line of the device; True where it says that nothing answers at the other end."""
        if "LLActRep" in text:
            self._reports = "LLActRep+" in text
        return self._reports and "DLActive-" in text


def looks_indented(text: str) -> bool:
    """Could this be a line below a device?"""
    return _TABBED.match(text) is not None
