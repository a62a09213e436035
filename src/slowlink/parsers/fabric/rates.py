"""Widths, speeds and states of links: the words of every tool, in one spelling.

Source: InfiniBand Architecture Specification, volume 1, PortInfo; signalling rates as infiniband-diags prints them.
"""

from __future__ import annotations

import re

from slowlink.patterns import regex

SIGNALLING = {
    "SDR": 2.5,
    "DDR": 5.0,
    "QDR": 10.0,
    "FDR10": 10.3125,
    "FDR": 14.0625,
    "EDR": 25.78125,
    "HDR": 53.125,
    "NDR": 106.25,
    "XDR": 212.5,
}
"""Name of a speed -> Gb/s of one lane as signalled."""

DATA_RATES = {
    2.5: 2.5,
    5.0: 5.0,
    10.0: 10.0,
    10.3125: 10.0,
    14.0625: 14.0,
    25.78125: 25.0,
    53.125: 50.0,
    106.25: 100.0,
    212.5: 200.0,
}
"""Signalling rate of a lane -> the rate that names of speeds count with (4x NDR is 400 Gb/s), as ibstat does."""
_DATA = {25: 25.78125, 50: 53.125, 100: 106.25, 200: 212.5, 14: 14.0625}
"""What ibdiagnet prints for newer speeds: Gb/s of data of one lane."""
_STATES = {
    "down": "Down",
    "init": "Init",
    "initialize": "Init",
    "initialized": "Init",
    "initializing": "Init",
    "ini": "Init",
    "armed": "Armed",
    "arm": "Armed",
    "active": "Active",
    "act": "Active",
}
_PHYSICAL = {
    "linkup": "LinkUp",
    "polling": "Polling",
    "poll": "Polling",
    "disabled": "Disabled",
    "disable": "Disabled",
    "sleep": "Sleep",
    "portconfigurationtraining": "Training",
    "training": "Training",
    "train": "Training",
    "linkerrorrecovery": "LinkErrorRecovery",
    "phytest": "PhyTest",
}
_WIDTH = regex(r"(\d{1,2})[xX]")
_GBPS = regex(r"(\d{1,4}(?:\.\d{1,6})?)(?: ?Gbps)?(?P<ten> \(FDR10\))?")


def lanes(text: str) -> int | None:
    """``4x``, ``4X`` to 4; None for ``??`` and for widths that InfiniBand does not have."""
    found = _WIDTH.fullmatch(text.strip())
    width = int(found[1]) if found else 0
    return width if width in (1, 2, 4, 8, 12) else None


def most_lanes(text: str) -> int | None:
    """``1X or 4X`` to 4."""
    widths = [width for word in text.split(" or ") if (width := lanes(word)) is not None]
    return max(widths, default=None)


def lane_speed(text: str) -> float | None:
    """``NDR``, ``106.25 Gbps`` or ibdiagnet's ``100`` to 106.25: Gb/s of one lane as signalled."""
    word = text.strip()
    if word.upper() in SIGNALLING:
        return SIGNALLING[word.upper()]
    found = _GBPS.fullmatch(word)
    if found is None:
        return None
    value = SIGNALLING["FDR10"] if found["ten"] else float(found[1])
    value = _DATA.get(int(value), value) if value.is_integer() else value
    return value if value in SIGNALLING.values() else None


def most_speed(text: str) -> float | None:
    """``25.78125 Gbps or 53.125 Gbps`` to 53.125."""
    speeds = [speed for word in text.split(" or ") if (speed := lane_speed(word)) is not None]
    return max(speeds, default=None)


def speed_name(gbps: float) -> str:
    """106.25 to ``NDR``."""
    return next((name for name, value in SIGNALLING.items() if value == gbps), f"{gbps:g} Gb/s a lane")


def state(text: str) -> str | None:
    """The logical state in the words of ``port-state``; None for unknown words."""
    return _STATES.get(text.strip().lower())


def physical_state(text: str) -> str | None:
    """The physical state; None for unknown words."""
    return _PHYSICAL.get(re.sub(r"[\s_]", "", text.strip().lower()))
