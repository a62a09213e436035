"""Where dumps are in a decoded value: alone, with their rank beside them, in a list, or by rank in a dict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.model.hang import FlightDump
from slowlink.model.source import Ref
from slowlink.parsers.forms.json_blocks import is_cut
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.nccl.flight_recorder.dump import is_dump, read_dump
from slowlink.parsers.nccl.flight_recorder.values import integer, items, mapping
from slowlink.patterns import regex

MAX_DUMPS = Limit(1 << 17, "ranks")
_RANK_KEY = regex(r"(?:[A-Za-z_]{0,40}?[ _]?)?(\d{1,7})$")
_INNER = ("dump", "trace", "flight_recorder", "data")


def holds_dumps(value: object) -> bool:
    """Does this value have the shape of one or several dumps? Looks at the first only."""
    return next(_found(value), None) is not None


def dumps_in(value: object, ref: Ref) -> Iterator[FlightDump]:
    """The records of all dumps in ``value``. Where it is cut, so is the last."""
    found = MAX_DUMPS.first(_found(value))
    for number, (dump, rank) in enumerate(found, 1):
        yield read_dump(dump, ref, rank, partial=is_cut(value) and number == len(found))


def _found(value: object) -> Iterator[tuple[Mapping[str, object], int | None]]:
    """Each dump with the rank that its container gives beside it."""
    if is_dump(value):
        found = mapping(value)
        yield found, integer(found.get("rank"))
        return
    if isinstance(value, dict):
        inner = next((value[key] for key in _INNER if is_dump(value.get(key))), None)
        if inner is not None:
            yield mapping(inner), integer(value.get("rank"))
            return
        for key, item in value.items():
            named = _RANK_KEY.match(key) if is_dump(item) and isinstance(key, str) else None
            if named is not None:
                yield mapping(item), int(named[1])
        return
    for item in items(value):
        if is_dump(item):
            yield mapping(item), integer(mapping(item).get("rank"))
        elif isinstance(item, dict):
            inner = next((item[key] for key in _INNER if is_dump(item.get(key))), None)
            if inner is not None:
                yield mapping(inner), integer(item.get("rank"))
