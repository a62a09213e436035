"""Values as nvidia-smi prints them, to values of attributes. Each gives None for what says nothing or is no such value.

``unit`` overrides the unit that a tool leaves out (``nounits``, columns with the unit in their heading).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import bus_id, says_something, whole
from slowlink.patterns import regex

Convert = Callable[[str], Value | None]

_SWITCH = {"enabled": True, "disabled": False, "on": True, "off": False}
_ANSWER = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
"""``--query-remapped-rows`` answers by number, ``-q`` in words."""
_ACTIVITY = {"active": True, "not active": False}
_BYTES = {
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "KB": 1 << 10,
    "MB": 1 << 20,
    "GB": 1 << 30,
    "KBytes": 1 << 10,
}
"""nvidia-smi's KB and MB are binary."""
_TRANSFERS = {"1": 2.5, "2": 5.0, "3": 8.0, "4": 16.0, "5": 32.0, "6": 64.0}
"""PCIe generation to GT/s a lane (PCI Express Base Specification)."""
_WIDTHS = frozenset({1, 2, 4, 8, 12, 16, 32})
"""Lanes that a PCIe link can have (PCI Express Base Specification). Any other number is a torn line."""
_SIZE = regex(r"(\d{1,15})(?:\.\d{1,3})? ?([KMG]iB|[KMG]?B|KBytes)?")
_LANES = regex(r"(\d{1,2})x?")
_GENERATION = regex(r"(?:Gen ?)?([1-6])")
_COUNT = regex(r"(\d{1,19})(?: (?:bank\(s\)|us|ms|ns))?")
_MEASURE = regex(r"(-?\d{1,9}(?:\.\d{1,6})?) ?(?:W|MHz|C|%|GB/s)?")


class Field(Struct, frozen=True):
    """What one field of a format says."""

    attribute: str
    convert: Convert


def switch(text: str) -> bool | None:
    """``Enabled``, ``On``."""
    return _SWITCH.get(text.strip().lower())


def answer(text: str) -> bool | None:
    """``Yes``, ``No``."""
    return _ANSWER.get(text.strip().lower())


def activity(text: str) -> bool | None:
    """``Active``, ``Not Active``."""
    return _ACTIVITY.get(text.strip().lower())


def count(text: str) -> int | None:
    """``12``, ``3 bank(s)``, ``200740215 us``."""
    found = _COUNT.fullmatch(text.strip())
    return int(found[1]) if found else None


def size(text: str, unit: str = "MiB") -> int | None:
    """Bytes of ``143771 MiB``; of a bare number in ``unit``."""
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) * _BYTES[found[2] or unit] if found else None


def measure(text: str) -> float | None:
    """``77.88 W``, ``345 MHz``, ``28 C``, ``0 %``, bare or with its unit."""
    found = _MEASURE.fullmatch(text.strip())
    return float(found[1]) if found else None


def lanes(text: str) -> int | None:
    """``16x`` or ``16``."""
    found = _LANES.fullmatch(text.strip())
    return int(found[1]) if found and int(found[1]) in _WIDTHS else None


def transfers(text: str) -> float | None:
    """PCIe generation to GT/s."""
    found = _GENERATION.fullmatch(text.strip())
    return _TRANSFERS[found[1]] if found else None


def words(text: str) -> str | None:
    """Text that says something, at most 120 characters."""
    text = text.strip()
    return text[:120] if says_something(text) else None


def wanted_action(text: str) -> str | None:
    """GPU Recovery Action: ``None`` is a value here, it means that none is needed."""
    text = text.strip()
    return "None" if text == "None" else words(text)


def address(text: str) -> str | None:
    """A PCI address in its one form."""
    return bus_id(text)


def identifier(text: str) -> str | None:
    """A UUID, unless it is all zeros: nothing was set, or somebody masked it."""
    text = text.strip()
    return text[:80] if says_something(text) and text.replace("GPU-", "").strip("0-") else None


def fault(text: str) -> bool | None:
    """Flags of the fabric's health: ``True`` or ``False``, ``Yes`` or ``No``."""
    return _ANSWER.get(text.strip().lower())


def plain(text: str) -> int | None:
    """A whole number without a unit, decimal or hexadecimal."""
    return whole(text.strip())


def program(text: str) -> str | None:
    """Name of a process without its path and arguments: they may hold secrets."""
    first = text.strip().split(" ", 1)[0]
    name = first.rstrip("/").rsplit("/", 1)[-1]
    return name[:60] if says_something(name) else None
