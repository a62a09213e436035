"""Lines of a log that a driver or a library writes as JSON, one record a line: docker's ``json-file``, ``journalctl -o
json``, structured logs. The program's own line is a string in it, and reads on in the next record of the same stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from slowlink.patterns import regex
from slowlink.redact.colours import without_colours
from slowlink.redact.environments.dumps import is_variable
from slowlink.redact.escapes import IN_STRINGS, as_written, characters
from slowlink.redact.reading.memory import LONGEST_CHARS, MOST_LINES

_LONGEST_CHARS = 1 << 18
"""Docker cuts a line at 16 KiB, journald at 48 KiB."""
_KEYS = ("log", "MESSAGE", "message", "msg", "line", "textPayload")
"""Source: docker's jsonlog, systemd.journal-fields(7), what structured loggers of Go and Python call it, Loki, Cloud
Logging."""
_STRING = regex(rf"\"(?P<key>{'|'.join(_KEYS)})\"\s{{0,4}}:\s{{0,4}}\"(?P<inside>[^\"\\]*(?:\\.[^\"\\]*)*)")
_MARK = "\ue0f1"
"""Of those that Unicode leaves to private use."""
_CHANGES = regex(r"\d{4}-\d\d-\d\d[T ]|\d{9}")
"""A time, or a number that counts."""
_NUMBERS = frozenset({"rank", "local_rank", "global_rank", "node_rank", "pid", "process"})


class LogRecord(NamedTuple):
    """One record, cut at the words of the program."""

    before: str
    written: list[str]
    """Each character of the words, as it stands in the record."""
    after: str
    who: str
    """Whose words they are: what the record says besides, without its times."""

    @property
    def words(self) -> str:
        """What the program wrote, without the end of its line."""
        return "".join(map(IN_STRINGS.plain, self.written)).rstrip("\r\n")

    def frame(self) -> str:
        """The record with a mark for its words."""
        return self.before + _MARK + self.after

    def framed(self, words: str, frame: str) -> str:
        """``words`` in the place of the mark in ``frame``; the end of the line stays."""
        old = self.words
        kept, rest = self.written[: len(old)], "".join(self.written[len(old) :])
        written = as_written(words, old, kept, IN_STRINGS) if words != old else "".join(kept)
        return frame.replace(_MARK, written + rest, 1)


def log_record(text: str) -> LogRecord | None:
    """``text`` as a record; None where it is none."""
    if text[:1] != "{" or len(text) > _LONGEST_CHARS or _MARK in text or _STRING.search(text) is None:
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    key = next((key for key in _KEYS if isinstance(document.get(key), str)), None)
    for match in _STRING.finditer(text) if key is not None else ():
        # A string of the same name further in holds something else, as a rule; where it does not, it is as good.
        if match["key"] == key and json.loads(f'"{match["inside"]}"') == document[key]:
            begin, end = match.span("inside")
            return LogRecord(text[:begin], characters(match["inside"], IN_STRINGS.escape), text[end:], _who(document))
    return None


def _who(document: dict[str, Any]) -> str:
    told = {
        key: value
        for key, value in document.items()
        if key not in _KEYS
        and not key.startswith("__")
        and (
            (isinstance(value, str) and _CHANGES.search(value) is None)
            or (key in _NUMBERS and isinstance(value, int))
            or isinstance(value, dict)
        )
    }
    return json.dumps(told, sort_keys=True)


def in_words(text: str, redact: Callable[[str], str], who: str) -> str:
    """``text`` with ``redact`` done to each line that ``who`` wrote: itself, or those in its record."""
    record = log_record(text)
    if (record.who if record is not None else "") != who:
        return text
    if record is None:
        return redact(text)
    words = record.words
    clean = "\n".join(map(redact, words.split("\n")))
    return record.framed(clean, record.frame())


def holds_variable(text: str) -> bool:
    """May this line be one of an environment that is printed, as it is or in a record?"""
    return _short_holds_variable(text) if len(text) <= LONGEST_CHARS else _holds_variable(text)


@lru_cache(maxsize=MOST_LINES)
def _short_holds_variable(text: str) -> bool:
    return _holds_variable(text)


def _holds_variable(text: str) -> bool:
    text = without_colours(text)
    record = log_record(text)
    return is_variable(text if record is None else record.words)
