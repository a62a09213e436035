"""``cxi_stat`` of HPE Slingshot: each HCA with its firmware, PCI address and interface, and its link.

The program is part of shs-libcxi (``utils/cxi_stat.c``)::

    Device: cxi0
        Description: SS11 200Gb 2P NIC Mezz
        FW Version: 1.5.50
        Network device: hsn0
        PCIE slot: 0000:c3:00.0
            Link speed: BS_200G
            Link state: up

A device has one port, which the output does not number: it is port 1 here. A link's speed is the name of a lane
encoding that ends in the rate in Gb/s: ``BS_200G`` (or ``bs200G``, in newer versions). Code words, error rates and
pause states are known and not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks
from slowlink.parsers.forms.make_reading import bus_id, says_something
from slowlink.patterns import regex

_SPEED = regex(r"(?:[A-Z]{2}_|[a-z]{2})(\d{2,4})G")
_SILENT = (
    "Serial Number",
    "MAC",
    "NID",
    "PID granule",
    "PCIE speed/width",
    "PCIE slot/bus",
    "Link layer retry",
    "Link loopback",
    "Link media",
    "Link MTU",
    "Rates",
    "Good CW",
    "Corrected CW",
    "Uncorrected CW",
    "Corrected BER",
    "Uncorrected BER",
    "TX Pause state",
    "RX Pause state",
)


def _text(value: str) -> str | None:
    return value if says_something(value) else None


def _rate(value: str) -> float | None:
    found = _SPEED.match(value)
    return float(found[1]) if found else None


class CxiStat(KeyedBlocks):
    """HCAs and links of ``cxi_stat``. What follows ``Device: cxi0`` is of that device and of its port 1."""

    kind: ClassVar[str] = "cxi_stat"
    marks = ("Device: cxi",)
    headings: ClassVar[tuple[re.Pattern[str], ...]] = (regex(r"\s{0,8}Device: (?P<device>cxi\d{1,3})\s{0,8}"),)
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {
        "Description": (Key("hca-name", _text),),
        "Part Number": (Key("hca-board", _text),),
        "FW Version": (Key("hca-firmware", _text),),
        "Network device": (Key("port-netdev", _text),),
        "PCIE slot": (Key("hca-bus-id", bus_id),),
        "Link speed": (Key("port-rate", _rate),),
        "Link state": (
            Key("port-state", {"up": "Active", "down": "Down", "starting": "Init"}.get),
            Key("port-physical-state", {"up": "LinkUp"}.get),
        ),
        **dict.fromkeys(_SILENT, ()),
    }

    def _open(self, match: re.Match[str], line: Line) -> bool:
        opened = super()._open(match, line)
        self._port = "1"
        return opened


PARSER = CxiStat
