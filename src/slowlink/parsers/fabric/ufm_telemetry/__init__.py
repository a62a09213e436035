"""Counters of ports that UFM's telemetry streams, as its plug-in for fluentd sends them: one JSON object a sample::

    {"timestamp": "2031-04-05 06:07:08", "type": "full", "values": [
      {"timestamp": 1933135628000000, "node_guid": "0x00000000000200a1", "port_guid": "0x00000000000200a1",
       "port_num": 1, "Infiniband_SymbolErrors_u_Errors": 0, "Infiniband_LinkDowned_u_Errors": 2}]}

A counter's name stands between ``Infiniband_`` and its kind and unit (``_u_Errors``); times are microseconds. A sample
of type ``delta`` holds only what changed, so that a counter that is not there is not known.

Source: UFM SDK 3.0, ``fluentd_telemetry_plugin``; the names are those of UFM's telemetry (``ClxDev`` sets).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.fabric import counters, names
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_COUNTER = regex(r"Infiniband_(?P<name>[A-Za-z0-9]{2,60})_[uf]_[A-Za-z]{1,20}")
_GUID = regex(names.GUID)
_WAITS = "XmitWait"
"""Its name has an ``i`` that no other tool's has."""
_MOST_DIGITS = 1 << 64
_MICROSECONDS = 1_000_000


class UfmTelemetry:
    """Gives the counters of each port; an entry without a port gives none."""

    kind: ClassVar[str] = "ufm-telemetry"

    @staticmethod
    def wants_document(value: object) -> bool:
        return any(_port_of(entry) is not None and any(map(_COUNTER.fullmatch, entry)) for entry in _entries(value))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        found: list[Reading] = []
        at = Line(source, line, "")
        for entry in _entries(value):
            part, when = _port_of(entry), entry.get("timestamp")
            if part is None or not MAX_READINGS.has_room(len(found)):
                continue
            time = when / _MICROSECONDS if isinstance(when, int) and 0 < when < _MOST_DIGITS else None
            found.append(replace(reading("link-guid", part, names.guid(str(entry["node_guid"])), at), at=time))
            found.extend(replace(reading(name, part, count, at), at=time) for name, count in _counts(entry))
        return found


def _port_of(entry: dict[str, object]) -> Part | None:
    guid, number = entry.get("node_guid"), entry.get("port_num")
    if not isinstance(guid, str) or _GUID.fullmatch(guid) is None:
        return None
    is_number = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1000
    return names.port(names.guid(guid), number) if is_number and isinstance(number, int) else None


def _counts(entry: dict[str, object]) -> Iterator[tuple[str, int]]:
    for key, count in entry.items():
        named = _COUNTER.fullmatch(key)
        if named is None or not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < _MOST_DIGITS:
            continue
        name = "port-xmit-wait" if named["name"] == _WAITS else counters.attribute_of(named["name"])
        known = counters.in_unit(name, count) if name is not None else None
        if name is not None and known is not None:
            yield name, known


def _entries(value: object) -> list[dict[str, object]]:
    values = value.get("values") if isinstance(value, dict) else None
    return [entry for entry in values if isinstance(entry, dict)] if isinstance(values, list) else []


DOCUMENT = UfmTelemetry
