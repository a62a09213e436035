"""``cxi_stat``: HCAs of HPE Slingshot, their firmware, interface and link.

Format: shs-libcxi ``utils/cxi_stat.c``. A device has one port. Link speeds are names of lane encodings with the rate
at the end (``BS_200G``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks
from slowlink.parsers.forms.make_reading import bus_id, says_something
from slowlink.patterns import regex

_SPEED = regex(r"[A-Z]{2}_(\d{2,4})G")
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
    """Reads it."""

    kind: ClassVar[str] = "cxi_stat"
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
