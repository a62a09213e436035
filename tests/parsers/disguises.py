"""What people, pages, runtimes and collectors do to a text before somebody reads it: each is undone in one place."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping

Disguise = Callable[[str], bytes]


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def _each(change: Callable[[str, int], str]) -> Disguise:
    """A disguise that changes every line by itself; lines count from 0."""
    return lambda text: ("\n".join(change(line, number) for number, line in enumerate(_lines(text))) + "\n").encode()


def _record(change: Callable[[str, int], Mapping[str, object]]) -> Disguise:
    """A JSON record for each line."""
    return _each(lambda line, number: json.dumps(change(line, number)))


def _iso(number: int) -> str:
    return f"2026-11-01T12:00:{number % 60:02}.123456789Z"


def _page(text: str) -> bytes:
    return f"<html><body><p>It says:</p>\n<pre><code>{html.escape(text)}</code></pre>\n</body></html>\n".encode()


PLAIN: Mapping[str, Disguise] = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "line ends of old editors": lambda text: text.replace("\n", "\r").encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, the other byte order": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "quoted mail": _each(lambda line, _: f"> {line}"),
    "quoted twice": _each(lambda line, _: f">> {line}"),
    "indented": _each(lambda line, _: f"    {line}"),
    "indented by a tab": _each(lambda line, _: f"\t{line}"),
    "fenced": lambda text: f"It says:\n\n```\n{text}```\n\nWhat now?\n".encode(),
    "escaped": lambda text: html.escape(text).encode(),
    "a page": _page,
    "a page with a mark for each line": _each(lambda line, _: f'<span class="line">{html.escape(line)}</span>'),
    "a page with breaks": _each(lambda line, _: f"{html.escape(line)}<br>"),
    "blanks that do not break": lambda text: text.replace(" ", "\u00a0").encode(),
    "blanks at the end": _each(lambda line, _: f"{line}   "),
    "colours": _each(lambda line, _: f"\x1b[32m{line}\x1b[0m"),
}
"""These lose nothing, whatever the text is."""

LOGGED: Mapping[str, Disguise] = {
    "docker's json-file": _record(lambda line, n: {"log": f"{line}\n", "stream": "stdout", "time": _iso(n)}),
    "the log alone": _record(lambda line, _: {"log": line}),
    "fluentd": _record(lambda line, n: {"@timestamp": _iso(n), "log": line, "kubernetes": {"pod_name": "train-0"}}),
    "vector": _record(lambda line, n: {"message": line, "timestamp": _iso(n), "kubernetes": {"pod": {"name": "t-0"}}}),
    "Loki, as Grafana saves it": _record(lambda line, _: {"line": line, "timestamp": "17935", "fields": {"pod": "t"}}),
    "Loki's logcli": _each(lambda line, n: f'{_iso(n)} {{container="main", pod="train-0"}} {line}'),
    "containerd": _each(lambda line, n: f"{_iso(n)} stdout F {line}"),
    "the journal": _each(lambda line, n: f"Nov 01 12:00:{n % 60:02} node01 run.sh[4711]: {line}"),
    "the journal, ISO stamps": _each(lambda line, n: f"2026-11-01T12:00:{n % 60:02}+0100 node01 run.sh[4711]: {line}"),
    "the journal, precise": _each(lambda line, n: f"Nov 01 12:00:{n % 60:02}.123456 node01 run.sh[4711]: {line}"),
    "the journal in German": _each(lambda line, n: f"Okt 01 12:00:{n % 60:02} node01 run.sh[4711]: {line}"),
    "the journal in French": _each(lambda line, n: f"févr. 01 12:00:{n % 60:02} node01 run.sh[4711]: {line}"),
    "the journal as JSON": _record(
        lambda line, _: {"__REALTIME_TIMESTAMP": "17935", "_HOSTNAME": "node01", "_PID": "4711", "MESSAGE": line}
    ),
    "the journal as JSON, bytes": _record(
        lambda line, _: {"__REALTIME_TIMESTAMP": "17935", "_HOSTNAME": "node01", "MESSAGE": list(line.encode()) or ""}
    ),
    "stamps in brackets": _each(lambda line, n: f"[2026-11-01 12:00:{n % 60:02}] {line}"),
}
"""These cut a JSON document of several lines into records."""
