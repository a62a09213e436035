"""Does an extracted value say what a label says? Numbers are compared to the digits that the label prints."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

_NUMBER = re.compile(r"[-+]?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_NUMBER_IN_BRACKETS = re.compile(r"\(([0-9]+)\)\s*$")
_PARENTHESIS = re.compile(r"\s*\([^()]*\)?")
_JUDGED = re.compile(r"^([0-9]+) (?:OK|FAILED)$")
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_SOCKET = re.compile(r"<[0-9]+>$")
_UNITS = {"mb/s": "mib/s", "mb/sec": "mib/s", "gb/sec": "gb/s", "gbps": "gb/s"}
"""perftest's MB is 2^20 bytes; the report says so."""
_HIDDEN = frozenset({"redacted", "masked", "anonymised"})
_PLACEHOLDER = re.compile(r"<[^<>]*[A-Za-z][^<>]*>")
"""What stands where somebody took a value out: ``<node A>``."""
_MASK = re.compile(r"[Xx]+(?:\.[Xx]+)?")
_NONE = frozenset({"none", "none printed", "no", "off", "false", "null", "n/a"})
_YES = frozenset({"yes", "on", "true", "enabled"})
_NO = frozenset({"no", "off", "false", "none", "missing", "disabled"})
_SPELLINGS = (
    (re.compile(r"([0-9]{1,2})x"), r"\1"),  # lanes of PCIe
    (re.compile(r"0000([0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])"), r"\1"),  # nvidia-smi's longer PCI domain
)


_WORDS = 4
"""Shorter texts are found in anything."""


class Reading(Struct, frozen=True):
    """How a value is to be read."""

    every: bool = False
    """One entry a table: a labelled number stands for all of them. Otherwise one equal entry is enough."""
    contains: bool = False
    """Running text, in which the label's words must appear."""
    unmeasured: bool = False
    """The tool prints zero for what it did not measure, and the report says None."""
    counted: bool = False
    """A list of names whose number may be labelled."""


def confirms(label: str, value: object, reading: Reading | None = None) -> bool:
    """True when ``value`` (plain JSON) says what ``label`` says."""
    reading = reading or Reading()
    if _alike(label, value, reading):
        return True
    plain = _JUDGED.sub(r"\1", _PARENTHESIS.sub("", label).strip())
    for spelling, usual in _SPELLINGS:
        plain = spelling.sub(usual, plain) if spelling.fullmatch(plain) else plain
    return plain not in ("", label) and _alike(plain, value, reading)


def _alike(label: str, value: object, reading: Reading) -> bool:
    if isinstance(value, dict):
        value = list(value)
    if isinstance(value, list | tuple):
        return _matches_list(label, value, reading)
    return _matches_scalar(label, value, reading)


def _matches_list(label: str, value: Sequence[object], reading: Reading) -> bool:
    known = [entry for entry in value if entry is not None]
    if reading.counted and _number(label) == len(known):
        return True
    if not known and reading.unmeasured and _number(label) == 0:
        return True
    if not known:
        return label.lower() in _NONE or _MASK.fullmatch(label) is not None
    if any(isinstance(entry, list | tuple) for entry in known):
        return any(_alike(label, entry, reading) for entry in known)
    if _matches_scalars(label, known, reading):
        return True
    if _spans(label, known):
        return True
    return any(_parts_match(parts, entries) for parts in _partings(label) for entries in (list(value), known))


def _spans(label: str, entries: Sequence[object]) -> bool:
    """``449-489`` stands for all lines of a table from the first to the last, blank ones between them or not."""
    match = _RANGE.fullmatch(label)
    if match is None or not all(isinstance(entry, int) for entry in entries):
        return False
    return [str(entries[0]), str(entries[-1])] == list(match.groups())


def _matches_scalars(label: str, known: Sequence[object], reading: Reading) -> bool:
    found = [_matches_scalar(label, entry, reading) for entry in known]
    return all(found) if reading.every and _number(label) is not None else any(found)


def _partings(label: str) -> list[list[str]]:
    """``a,b`` as parts, and with ranges of line numbers (``138-141,143``) written out."""
    parts = [part.strip() for part in label.split(",")]
    written_out: list[str] = []
    for part in parts:
        match = _RANGE.fullmatch(part)
        written_out += _range(match) if match else [part]
    return [parts] if written_out == parts else [parts, written_out]


def _range(match: re.Match[str]) -> list[str]:
    first, last = int(match.group(1)), int(match.group(2))
    return [str(number) for number in range(first, min(last, first + 10_000) + 1)]


def _parts_match(parts: Sequence[str], entries: Sequence[object]) -> bool:
    """Same length and same order; names may stand in another order."""
    if len(parts) != len(entries) or len(parts) < 2:
        return False
    if all(_matches_scalar(part, entry, Reading()) for part, entry in zip(parts, entries, strict=True)):
        return True
    return all(isinstance(entry, str) for entry in entries) and sorted(map(str.lower, parts)) == sorted(
        str(entry).lower() for entry in entries
    )


def _matches_scalar(label: str, value: object, reading: Reading) -> bool:
    if value is None:
        return label.lower() in _NONE or _MASK.fullmatch(label) is not None
    if isinstance(value, bool):
        return label.lower() in (_YES if value else _NO) or label == str(int(value))
    if isinstance(value, int | float):
        return same_number(label, float(value))
    return _matches_text(label, str(value), reading)


def _matches_text(label: str, text: str, reading: Reading) -> bool:
    wanted, found = label.strip().lower(), text.strip().lower()
    if wanted in (found, _SOCKET.sub("", found)) or _UNITS.get(wanted, wanted) == _UNITS.get(found, found):
        return True
    if reading.contains and len(wanted) >= _WORDS and _number(wanted) is None and wanted in found:
        return True
    if wanted in _HIDDEN:
        return _PLACEHOLDER.search(text) is not None
    number = _number(text)
    if number is None:
        inside = _NUMBER_IN_BRACKETS.search(text)
        number = float(inside.group(1)) if inside else None
    return number is not None and same_number(label, number)


def same_number(label: str, value: float) -> bool:
    """Equal within half a unit of the last digit that the label prints."""
    wanted = _number(label)
    if wanted is None:
        return False
    mantissa, _, exponent = label.lower().partition("e")
    _, point, digits = mantissa.partition(".")
    shift = int(exponent) if exponent.lstrip("+-").isdigit() and not label.lower().startswith("0x") else 0
    half_unit = 0.5 * 10.0 ** (shift - (len(digits) if point else 0))
    tolerance = half_unit if point or shift else 0.0
    return abs(wanted - value) <= tolerance * (1 + 1e-9) + abs(wanted) * 1e-9


def _number(text: str) -> float | None:
    text = text.strip()
    if _HEX.fullmatch(text):
        return float(int(text, 16))
    if _NUMBER.fullmatch(text) is None:
        return None
    return float(text.replace("_", ""))
