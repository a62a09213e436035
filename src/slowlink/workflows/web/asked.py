"""What an address asks for: words and numbers of a stranger, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from urllib.parse import parse_qsl, urlencode

from slowlink.errors import SlowlinkError
from slowlink.patterns import regex
from slowlink.units import parse_size

MOST_QUERY = 4000
"""Characters behind the question mark."""
_MOST_FIELDS, _MOST_VALUE = 20, 1000
MOST_NUMBER = 2**31 - 1
"""Of a row: PostgreSQL's integer."""
_AGO = regex(r"([0-9]{1,6})([mhdw])")
_UNITS_S = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}
_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M")
_PLACE = regex(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)_([0-9]{1,10})")
_LARGEST_SIZE = 1 << 46


class Asked(dict[str, str]):
    """Fields by name; one that was not given is ""."""

    def __missing__(self, name: str) -> str:
        return ""

    def __getattr__(self, name: str) -> str:
        """For templates, which show a form as it was filled in."""
        return self[name]

    def number_in(self, name: str) -> int | None:
        """A whole number above 0. Raises SlowlinkError."""
        text = self[name].strip()
        if not text:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) <= 10 and 0 < int(text) <= MOST_NUMBER):
            raise _wrong(name, text, "a whole number")
        return int(text)

    def moment_in(self, name: str, now: float) -> float | None:
        """Seconds since the epoch. Raises SlowlinkError."""
        text = self[name].strip()
        if not text:
            return None
        ago = _AGO.fullmatch(text)
        if ago is not None:
            return max(0.0, now - float(ago[1]) * _UNITS_S[ago[2]])
        for form in _FORMS:
            try:
                return datetime.strptime(text, form).replace(tzinfo=timezone.utc).timestamp()
            except ValueError:
                continue
        raise _wrong(name, text, "30d, 12h, or a date: 2026-01-31 (UTC)")

    def size_in(self, name: str) -> int | None:
        """Bytes. Raises SlowlinkError."""
        text = self[name].strip()
        if not text:
            return None
        size = parse_size(text[:20])
        if not size or size > _LARGEST_SIZE:
            raise _wrong(name, text, "a size: 8, 64K, 128M, 1G")
        return size

    def place_in(self, name: str) -> tuple[float, int] | None:
        """Moment and number of the run at which a page of the list begins. Raises SlowlinkError."""
        if not self[name]:
            return None
        found = _PLACE.fullmatch(self[name])
        if found is None or int(found[2]) > MOST_NUMBER:
            raise _wrong(name, self[name], "a place in the list")
        return float(found[1]), int(found[2])


def asked(query: str, known: Iterable[str]) -> Asked:
    """The ``known`` fields of a query; others are left alone. Raises SlowlinkError ``asked-wrong``."""
    if len(query) > MOST_QUERY:
        raise SlowlinkError("the address is too long", slug="asked-wrong")
    try:
        given = parse_qsl(query, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise SlowlinkError("the address asks for too many things", slug="asked-wrong") from error
    names = set(known)
    found = Asked((name, value.strip()) for name, value in given if name in names)
    for name, value in found.items():
        if len(value) > _MOST_VALUE:
            raise _wrong(name, value, f"at most {_MOST_VALUE} characters")
    return found


def address(path: str, fields: Mapping[str, str], **others: str) -> str:
    """With those that say something; ``others`` count instead."""
    said = {name: value for name, value in {**fields, **others}.items() if value}
    return f"{path}?{urlencode(said)}" if said else path


def _wrong(name: str, text: str, wanted: str) -> SlowlinkError:
    return SlowlinkError(f"{name}: '{text[:80]}' is not what it can be: {wanted}", slug="asked-wrong")
