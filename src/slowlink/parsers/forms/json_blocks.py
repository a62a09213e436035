"""JSON values inside text: a whole file, one value a line, or a block between other lines. Cut values are closed, and
say that they are cut.

Written by many hands: trailing commas, bare ``nan`` and a missing comma at a line's end are read too (nccl-tests,
rccl-tests and NCCL's RAS have printed them).
"""

from __future__ import annotations

import json
import re
from typing import Literal, NamedTuple

from slowlink.parsers.forms.fronts.journal import DAEMON
from slowlink.patterns import regex
from slowlink.visible import ESCAPES

TRUNCATED = "__truncated__"
"""Key set to True in a document that was cut off and closed by us; in the last entry where it is a list."""
LONGEST_CHARS = 32 << 20
"""A longer value is cut: the largest that tools print (all nodes of a large cluster, a rank's recorder) are shorter."""
MOST_CONTAINERS, MOST_VALUES = 1_000_000, 4_000_000
"""A text with more brackets or commas is not decoded: each costs up to 100 bytes of memory, however short it is."""
MAX_INT_DIGITS = 400
"""Longer integers cost quadratic time to read and mean nothing."""
DEEPEST = 200
"""Brackets open at once in a value that is cut off or nested without end; what tools print is far flatter."""
_FIRST_WINDOW, _WIDER = 1 << 10, 4
"""Characters that are looked at first; how much wider (in characters or lines) every further look is."""
_FRONT = 1 << 16
"""Characters of a value that is too rich, by which its kind is known."""
_WORDS = ("true", "false", "null", "NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", ".", "e+", "e-", "E+", "E-")
"""What a text may end inside of, a number's point and exponent too."""
_LONGEST_ESCAPE = 6
_TORN = 16
"""An error so close to the end of a window may be the window's: a word (``-Infinity``) or an escape is cut there."""

OPENS = regex(r"\s*(?:\{\s*(?:[\"}]|$)|\[\s*(?:[\"{\[]|$))")
_LOOSE = regex(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[}\]])|-?\b(?:nan|inf)\b|(?<=[\d}\]el])\n(?= {0,40}"\w{1,60}":)', re.DOTALL
)
"""What to mend: among others the comma that NCCL 2.28.9 leaves out between a value and the next key (RAS)."""
_TOKEN = regex(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]|[^{}\[\],"]+|"', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}
LOG_KEYS = ("log", "message", "msg", "textPayload", "line", "MESSAGE", "data", "event")
"""Below which a logger or a collector keeps what was said, the surest first."""
_ERROR_KEYS = ("exception", "exc_info", "traceback", "stack", "stacktrace", "stack_trace", "error")
"""What a logger adds to what it was told to say: the exception with its traceback."""
_STAMP_KEYS = frozenset(
    {
        *("time", "timestamp", "ts", "@timestamp", "stream", "level", "severity", "kubernetes", "event"),
        *("__REALTIME_TIMESTAMP", "_HOSTNAME", "SYSLOG_IDENTIFIER"),
    }
)
_DAEMON_KEY = "SYSLOG_IDENTIFIER"
"""Of the journal: which program says it; the kernel's and daemons' messages are read with it."""


Cut = Literal["", "inside", "end"]
"""Whether a value is whole; goes on with something that is no JSON; or ends with the lines."""


class Block(NamedTuple):
    """A JSON value that begins at line ``line`` and covers ``span`` lines."""

    value: object
    line: int
    span: int
    cut: Cut = ""
    """A value that is not whole holds what stands before the cut; None where that is nothing."""

    def problem(self) -> str:
        """In words; "" for a whole value. The same for both cuts: a part of a source may end where it goes on."""
        if not self.cut:
            return ""
        return f"the JSON document that begins in line {self.line:,} was not read to its end: cut, damaged or too large"


class LogText(NamedTuple):
    """The text inside one JSON log record (docker, fluentd, cloud logging)."""

    text: str
    stream: str
    host: str | None
    stamp: str | None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_INT_DIGITS else float("inf")


_DECODER = json.JSONDecoder(parse_int=_integer, strict=False)


def opens_block(text: str) -> bool:
    """Could a JSON object, or an array of strings, objects or arrays, begin with this line?"""
    return OPENS.match(text) is not None


def _loosen(found: re.Match[str]) -> str:
    token = found[0]
    if token[0] == '"':
        return token
    return {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "\n": ","}.get(token, "")


def is_too_rich(text: str) -> bool:
    """Would the value take more memory than any tool's output is worth?"""
    if len(text) <= MOST_CONTAINERS:
        return False
    return text.count("{") + text.count("[") > MOST_CONTAINERS or text.count(",") > MOST_VALUES


class _Decoded(NamedTuple):
    value: object
    end: int
    """Behind the value; where it went wrong when there is none."""
    whole: bool
    open: bool
    """The text ended before the value did."""


def _decode(text: str) -> _Decoded:
    """The value at the start of ``text``."""
    if is_too_rich(text):
        return _Decoded(None, len(text), whole=False, open=False)
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as problem:
        return _Decoded(None, problem.pos, whole=False, open=_is_torn(text.rstrip(), problem))
    except (RecursionError, ValueError):
        return _Decoded(None, len(text), whole=False, open=False)
    return _Decoded(value, end, whole=True, open=False)


def _is_torn(text: str, problem: json.JSONDecodeError) -> bool:
    """Is the error that the text ends: behind a value, in a string, in an escape, or in a word?"""
    rest = text[problem.pos : problem.pos + _TORN]
    in_escape = problem.msg.startswith("Invalid \\") and len(rest) <= _LONGEST_ESCAPE
    return any(word.startswith(rest) for word in _WORDS) or in_escape or problem.msg.startswith("Unterminated string")


def _decode_loosely(text: str) -> _Decoded:
    decoded = _decode(text)
    if decoded.whole or decoded.open or text[decoded.end : decoded.end + 1] not in tuple('}]ni-,"'):
        return decoded
    loose = _LOOSE.sub(_loosen, text)
    again = _decode(loose)
    if again.open:
        return again
    end = _end_in(text, again.end)
    return again._replace(end=end) if again.whole or end > decoded.end else decoded


def _end_in(text: str, end: int) -> int:
    """Position in ``text`` of what stands at ``end`` in the loosened text."""
    longer = 0
    for found in _LOOSE.finditer(text):
        if found.start() + longer >= end:
            break
        longer += len(_loosen(found)) - len(found[0])
    return end - longer


def is_open(text: str, at: int) -> int | None:
    """None when ``text`` ends inside the value that begins at ``at``; otherwise where that ends or goes wrong.

    It looks no further than the value goes, in windows: Python's own error counts the lines from the start of the text,
    so that looking at the whole text for each of many values would cost its square.
    """
    size = _FIRST_WINDOW
    while True:
        window = text[at : at + size]
        all_there = at + size >= len(text)
        if is_too_rich(window):
            return at + len(window)
        try:
            return at + _DECODER.raw_decode(window)[1]
        except json.JSONDecodeError as problem:
            left = len(window.rstrip()) - problem.pos
            if left > (0 if all_there else _TORN) and not problem.msg.startswith("Unterminated string"):
                return at + problem.pos
        except (RecursionError, ValueError):
            return at + _too_deep(window)
        if all_there:
            return None
        size *= _WIDER


def _too_deep(text: str) -> int:
    """Where ``text``, a value nested without end, is deeper than any value should be; nothing begins before that."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in _CLOSER) - (token[0] in "}]")
        if depth > DEEPEST:
            return token.end()
    return len(text)


def close(text: str) -> object | None:
    """The value that ``text`` begins, without its unfinished tail; None where nothing of it stands."""
    closers: list[str] = []
    safe: tuple[int, str] | None = None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSER:
            closers.append(_CLOSER[mark])
            if len(closers) > DEEPEST:
                return None
            safe = token.end(), "".join(reversed(closers))
        elif mark in "}]":
            if not closers or closers.pop() != mark:
                break
            safe = token.end(), "".join(reversed(closers))
        elif mark == ",":
            safe = token.start(), "".join(reversed(closers))
    if safe is None:
        return None
    decoded = _decode(_LOOSE.sub(_loosen, text[: safe[0]] + safe[1]))
    return decoded.value if decoded.whole else None


def find_block(lines: list[str], index: int, cut: int, first_line: int) -> Block | int:
    """The JSON value that begins in ``lines[index]``, every line's prefix of ``cut`` characters taken off.

    Where there is none: the number of lines that cannot begin one either. A value that the lines end before, or that
    goes wrong inside, is closed and marked with ``TRUNCATED``.
    """
    prefix = lines[index][:cut]
    count = 1  # a log of records has one a line
    while True:
        window = lines[index : index + count]
        all_there = len(window) < count
        if cut:
            own = next((at for at, line in enumerate(window) if not line.startswith(prefix)), len(window))
            all_there = all_there or own < len(window)
            window = [line[cut:] for line in window[:own]]
        text = "\n".join(window).lstrip()
        decoded = _decode_loosely(text)
        if decoded.whole:
            return Block(decoded.value, first_line + index, text.count("\n", 0, decoded.end) + 1)
        if not decoded.open:
            span = _lines_before(text, decoded.end)
            front = close(text[: _FRONT if is_too_rich(text) else decoded.end])
            return Block(_marked(front), first_line + index, span, "inside") if front else span
        if all_there or len(text) > LONGEST_CHARS:
            break
        count *= _WIDER
    value = close(text)
    # What is too deep to be closed holds nothing that could be; of an empty value the next line may begin another.
    span = len(window) if value or value is None else 1
    how = _how_cut(text, decoded.end, ended=index + len(window) >= len(lines))
    return Block(_marked(value) if value else None, first_line + index, span, how)


def is_cut(value: object) -> bool:
    """Is this a value, or a list of values, that was closed by us? What is missing in it proves nothing."""
    last = value[-1] if isinstance(value, list) and value else value
    return isinstance(last, dict) and last.get(TRUNCATED) is True


def _marked(value: object) -> object:
    if isinstance(value, dict):
        return {**value, TRUNCATED: True}
    if isinstance(value, list) and isinstance(value[-1], dict):
        return [*value[:-1], _marked(value[-1])]
    return value


def _how_cut(text: str, end: int, *, ended: bool) -> Cut:
    """``ended``: no line follows. A string that is open over several lines was not to be: other lines follow it."""
    return "end" if ended and "\n" not in text[end:].rstrip() else "inside"


def _lines_before(text: str, error: int) -> int:
    """Lines of ``text`` up to ``error``; its own line may begin a value when nothing stands before it there."""
    start = text.rfind("\n", 0, error) + 1
    return max(1, text.count("\n", 0, error) + bool(text[start:error].strip()))


def log_text(value: object) -> LogText | None:
    """The text of a log record that a container runtime or a log collector wrote as one JSON object."""
    if not isinstance(value, dict) or (_STAMP_KEYS.isdisjoint(value) and value.keys() != {"log"}):
        return None
    key = text_key_of(value)
    text = _as_text(value[key]) if key is not None else None
    if text is None:
        return None
    more = [value[key] for key in _ERROR_KEYS if isinstance(value.get(key), str) and value[key] not in text]
    text = "\n".join([text, *more]) if more else text
    host, stamp = _place_of(value), value.get("time") or value.get("timestamp")
    return LogText(
        f"{_said_by(value)}{text.rstrip()}",
        " ".join(part for part in (host, value.get("stream")) if isinstance(part, str)),
        host if isinstance(host, str) else None,
        stamp if isinstance(stamp, str) else None,
    )


def text_key_of(record: dict[str, object]) -> str | None:
    """The key below which a record of a log says its text."""
    for key in LOG_KEYS:
        if key in record and _as_text(record[key]) is not None:
            return key
    return None


def _as_text(said: object) -> str | None:
    """What a record says; the journal prints what is no plain text (colours) as numbers of bytes."""
    if isinstance(said, list) and said and all(isinstance(byte, int) and 0 <= byte < 256 for byte in said):
        return ESCAPES.sub("", bytes(said).decode("utf-8", "replace"))
    return said if isinstance(said, str) else None


def _place_of(record: dict[str, object]) -> object:
    """The pod or host that a record names."""
    for key in ("kubernetes", "fields", "labels"):
        place = record.get(key)
        if isinstance(place, dict):
            pod = place.get("pod_name") or place.get("pod") or place.get("host")
            return pod.get("name") if isinstance(pod, dict) else pod
    return record.get("host") or record.get("_HOSTNAME")


def _said_by(record: dict[str, object]) -> str:
    """``kernel: `` before what the journal keeps of a daemon; "" for other programs."""
    name, pid = record.get(_DAEMON_KEY), record.get("_PID")
    if not isinstance(name, str) or not DAEMON.match(name):
        return ""
    return f"{name}[{pid}]: " if isinstance(pid, str) and pid.isdecimal() else f"{name}: "
