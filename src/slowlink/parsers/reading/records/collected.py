"""Lines of a log in the answers of log stores: one a record, with its host somewhere beside it.

Source: the answers of Splunk, CloudWatch Logs and its Insights, Elasticsearch, Datadog, Cloud Logging, Azure Monitor,
Loki, OpenTelemetry and Graylog, as their documentation shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from slowlink.parsers.forms.json_blocks import LOG_KEYS
from slowlink.patterns import regex

_OF_COLLECTORS = ("_raw", "@message", "full_message", "original", "stringValue", "SyslogMessage")
"""Keys below which a collector keeps the line of a log, and that nobody else has."""
_OF_LINES = (*_OF_COLLECTORS, *LOG_KEYS, "text")
_OF_NODES = ("host", "hostname", "node", "nodename", "node_name", "instance", "instance_id", "InstanceId", "target")
_STAMPED = regex(r"\d{10,19}$|\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_STAMP_AND_LINE, _FEWEST_RECORDS = 2, 2
_DEEPEST = 10


class Collected(NamedTuple):
    """A line of a log, and the node that its record names."""

    text: str
    host: str | None


def lines_by_host(records: list[object], host: str | None) -> Iterable[tuple[str | None, list[str]]]:
    """The lines of each host, where ``records`` are those of a log; nothing where one of them is none. ``host``: of
    records that name none."""
    lines: dict[str | None, list[str]] = {}
    for record in records if len(records) >= _FEWEST_RECORDS else ():
        line = line_in(record)
        if line is None:
            return ()
        lines.setdefault(host_in(record) or host, []).append(line)
    return lines.items()


def collected_line(record: object, deep: int = _DEEPEST) -> Collected | None:
    """What a record says that stands alone, however deep: only below a key that nobody but a collector has, or beside a
    stamp."""
    if isinstance(record, dict):
        found = next((record[key] for key in _OF_COLLECTORS if isinstance(record.get(key), str)), None)
        inner = list(record.values())
    elif isinstance(record, list):
        found = line_in(record, 0)
        inner = record
    else:
        return None
    if found is not None:
        return Collected(found, host_in(record))
    told = (collected_line(each, deep - 1) for each in inner) if deep else iter(())
    first = next((each for each in told if each is not None), None)
    return first._replace(host=first.host or host_in(record)) if first is not None else None


def line_in(record: object, deep: int = 3) -> str | None:
    """What a record says that is known to be one of a log: below a key for that, or beside its stamp."""
    if isinstance(record, dict):
        if record.keys() == {"field", "value"}:  # CloudWatch Logs Insights: one column
            return line_in({record["field"]: record["value"]}, 0) if isinstance(record["field"], str) else None
        if (said := next((record[key] for key in _OF_LINES if isinstance(record.get(key), str)), None)) is not None:
            return str(said)
        inner: Iterator[object] = (each for each in record.values() if isinstance(each, dict))
    elif isinstance(record, list):
        texts = [each for each in record if isinstance(each, str)]
        if len(texts) == len(record) == _STAMP_AND_LINE and _STAMPED.match(texts[0]):  # Loki, Azure Monitor
            return texts[1]
        inner = (each for each in record if isinstance(each, dict))
    else:
        return None
    found = (line_in(each, deep - 1) for each in inner) if deep else iter(())
    return next((line for line in found if line is not None), None)


def host_in(record: object, deep: int = 2) -> str | None:
    """The node that a record names, itself or in what stands in it."""
    if not isinstance(record, dict):
        return None
    for key in _OF_NODES:
        place = record.get(key)
        place = place.get("name") if isinstance(place, dict) else place
        if isinstance(place, str):
            return place
    inner = (host_in(each, deep - 1) for each in record.values()) if deep else iter(())
    return next((host for host in inner if host is not None), None)
