"""How a parser makes readings: from the catalogue's attributes, with values that say something."""

from __future__ import annotations

import re

from slowlink.catalog.attributes import all_attributes
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.limit import Limit
from slowlink.patterns import regex

MAX_READINGS = Limit(500_000, "readings")
"""Readings of one parser and stream that are kept: hostile input cannot grow memory beyond this."""
MAX_RESULTS = Limit(200_000, "results of checks")
NODE = Part("node")

_SAYS_NOTHING = regex(
    r"(?:\[?(?:n/?a|not supported|unknown(?: error)?|not available|requested functionality has been deprecated|none"
    r"|err!|insufficient permissions|gpu requires reset)\]?|-+|\?+)?",
    re.IGNORECASE,
)
_BUS_ID = regex(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.IGNORECASE)


def reading(attribute: str, part: Part, value: Value, line: Line, at: float | None = None) -> Reading:
    """One reading of ``line``. Raises KeyError for an attribute that the catalogue lacks: our defect."""
    all_attributes()[attribute]
    return Reading(attribute, part, value, line.ref(), line.host, at)


def says_something(text: str) -> bool:
    """Is ``text`` a value? N/A, Unknown, [Not Supported] and dashes are none: nothing was read."""
    return _SAYS_NOTHING.fullmatch(text.strip()) is None


def bus_id(text: str) -> str | None:
    """``00000000:10:1C.0`` and ``10:1c.0`` to ``0000:10:1c.0``; None for anything else."""
    found = _BUS_ID.fullmatch(text.strip())
    if found is None:
        return None
    domain, bus, device, function = found.groups()
    return f"{(domain or '0000')[-4:]}:{bus}:{device}.{function}".lower()


def number(text: str) -> float | None:
    """The number that ``text`` begins with, its unit left out: ``26.562 GB/s`` to 26.562. None when there is none."""
    found = re.match(r"\s*([+-]?\d{1,18}(?:\.\d{1,9})?)", text)
    return float(found[1]) if found else None


def whole(text: str) -> int | None:
    """``8`` or ``0x1f`` to an int; None for anything else."""
    text = text.strip()
    if re.fullmatch(r"\d{1,20}", text, re.ASCII):
        return int(text)
    return int(text, 16) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", text) else None
