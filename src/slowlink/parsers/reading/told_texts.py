"""What tools printed, where a program put it into a string: in a JSON value (Ansible, AWS Systems Manager, agents of
all kinds), or in one line with ``\\n`` for its line ends (what Python prints of a finished process)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from slowlink.parsers.forms.interface import DocumentParser
from slowlink.parsers.forms.json_blocks import opens_block
from slowlink.parsers.forms.lines import HOST_TAG
from slowlink.patterns import regex

_OF_TEXT = regex(
    r"(?i)std_?(?:out|err)|output|lines?$|logs?$|msg|message|content|text|body|response|result|details|data"
)
"""Keys below which a program puts what another one printed."""
_OF_NODES = ("host", "hostname", "node", "nodename", "node_name", "instance", "instance_id", "InstanceId", "target")
_OF_LINE = (
    *(
        "_raw",
        "@message",
        "message",
        "msg",
        "log",
        "line",
        "textPayload",
        "MESSAGE",
        "full_message",
        "original",
        "text",
    ),
    *("SyslogMessage", "stringValue"),
)
"""Below which a collector keeps the line of a log. Source: the answers of Splunk, CloudWatch Logs, Elasticsearch,
Datadog, Cloud Logging, Azure Monitor, OpenTelemetry and Graylog, as their documentation shows them."""
_OF_COLLECTORS = ("_raw", "@message", "full_message", "original", "stringValue", "SyslogMessage")
"""Of these, those that nobody else has."""
_STAMPED = regex(r"\d{10,19}$|\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_STAMP_AND_LINE, _FEWEST_RECORDS, _FEWEST_LINES = 2, 2, 5
_DEEPEST = 12
_LEAST_LINES = 2
_QUOTED_END = regex(r"\\r\\n|\\n")
_OPENING_QUOTE = regex(r".{0,2000}[=:(\[,]\s?b?['\"]")
_TABS = re.compile(r"\\t")


class Told(NamedTuple):
    """The text of a tool, and the node that the value around it names."""

    text: str
    host: str | None


def told_in(value: object) -> Iterator[Told]:
    """Texts of several lines in a JSON value, and JSON values in its strings."""
    return _walk(value, None, _DEEPEST)


def _walk(value: object, host: str | None, deep: int) -> Iterator[Told]:
    if isinstance(value, dict):
        for key, inner in value.items():
            text = _text_of(inner) if _is_of_text(key) else _lines_of(inner)
            if text is not None:
                yield Told(text, _host_in(value) or host)
            elif deep and isinstance(inner, dict | list):
                yield from _walk(inner, key if _is_host(key) else _host_of(value, 1) or host, deep - 1)
    elif isinstance(value, list) and deep:
        inside = [told for one in value if isinstance(one, dict | list) for told in _walk(one, host, deep - 1)]
        records = list(_records_in(value, host))
        # A record may hold more than its line: the whole output of a tool.
        if records and all(any(told.text in record.text for record in records) for told in inside):
            yield from records
        else:
            yield from inside


def _records_in(records: list[object], host: str | None) -> Iterator[Told]:
    """The lines of a log, where each is a record of a list: one text for each host. None for other lists."""
    if len(records) < _FEWEST_RECORDS:
        return
    lines: dict[str | None, list[str]] = {}
    for record in records:
        line = line_of(record)
        if line is None:
            return
        lines.setdefault(_host_of(record) or host, []).append(line)
    for place, of_host in lines.items():
        yield Told("\n".join(of_host), place)


def collected_line(value: object, deep: int = 10) -> Told | None:
    """The line of a log in one record of a collector that wraps it."""
    if isinstance(value, dict):
        found = next((value[key] for key in _OF_COLLECTORS if isinstance(value.get(key), str)), None)
        if found is not None:
            return Told(found, _host_of(value))
        inner = list(value.values())
    elif isinstance(value, list):
        if (line := line_of(value, 0)) is not None:
            return Told(line, None)
        inner = value
    else:
        return None
    told = (collected_line(each, deep - 1) for each in inner) if deep else iter(())
    first = next((each for each in told if each is not None), None)
    return first._replace(host=first.host or _host_of(value)) if first is not None else None


def line_of(record: object, deep: int = 3) -> str | None:
    """What a record of a collector says: below a key for that, beside its stamp, or as the one text with blanks."""
    if isinstance(record, dict):
        if record.keys() == {"field", "value"}:  # CloudWatch Logs Insights: one column
            return line_of({record["field"]: record["value"]}, 0) if isinstance(record["field"], str) else None
        for key in _OF_LINE:
            if isinstance(record.get(key), str):
                return str(record[key])
        inner = [each for each in record.values() if isinstance(each, dict)]
    elif isinstance(record, list):
        texts = [each for each in record if isinstance(each, str)]
        if len(texts) == len(record) == _STAMP_AND_LINE and _STAMPED.match(texts[0]):  # Loki, Azure Monitor
            return texts[1]
        inner = [each for each in record if isinstance(each, dict)]
    else:
        return None
    found = (line_of(each, deep - 1) for each in inner) if deep else iter(())
    return next((line for line in found if line is not None), None)


def _host_of(record: object, deep: int = 2) -> str | None:
    if not isinstance(record, dict):
        return None
    for key in _OF_NODES:
        place = record.get(key)
        place = place.get("name") if isinstance(place, dict) else place
        if isinstance(place, str):
            return place
    inner = (_host_of(each, deep - 1) for each in record.values()) if deep else iter(())
    return next((host for host in inner if host is not None), None)


def _host_in(record: dict[str, object]) -> str | None:
    found = (record[key] for key in _OF_NODES if key in record)
    return next((name for name in found if isinstance(name, str)), None)


def _text_of(value: object) -> str | None:
    """A string of several lines or with a JSON value, or a list of lines."""
    if isinstance(value, str):
        is_text = "\n" in value.rstrip() or (value.startswith(("{", "[")) and opens_block(value))
        return value if is_text else None
    if isinstance(value, list) and len(value) >= _LEAST_LINES and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return None


def _lines_of(value: object) -> str | None:
    """A list of lines below a key of any name: several, and most of several words."""
    text = _text_of(value) if isinstance(value, list) and len(value) >= _FEWEST_LINES else None
    if text is None:
        return None
    lines = text.split("\n")
    return text if 2 * sum(len(line.split()) > 1 for line in lines) >= len(lines) else None


@lru_cache(maxsize=4096)
def _is_of_text(key: str) -> bool:
    return _OF_TEXT.search(key) is not None


@lru_cache(maxsize=4096)
def _is_host(key: str) -> bool:
    return HOST_TAG.match(f"{key}: ") is not None


def quoted_lines(line: str) -> list[str]:
    """The lines of what ``line`` quotes with ``\\n`` for its line ends, and what stands before it; none where it quotes
    no text of several lines."""
    if "\\n" not in line:
        return []
    lines = _QUOTED_END.split(line)
    if len(lines) <= _LEAST_LINES:
        return []
    before = _OPENING_QUOTE.match(lines[0])
    first = [lines[0][: before.end()], lines[0][before.end() :]] if before else [lines[0]]
    return [_TABS.sub("\t", each).rstrip() for each in (*first, *lines[1:])]


def texts_in(parser: type[DocumentParser], value: object) -> Iterable[str]:
    """What tools printed, as strings of a JSON value: it is read as if it stood alone."""
    texts: Callable[[object], Iterable[str]] | None = getattr(parser, "texts", None)
    return texts(value) if texts is not None else ()
