"""What a node prints: frames, each a line that begins with a mark of this run. Everything else is passed over.

    #slowlink-reads 5e2f...                        slowlink is there, and reads
    #slowlink-sent 5e2f... eJzt...                 one input: parsers.reading.sent, in base64
    #slowlink-missing 5e2f... L3Zhci9sb2c= bm8...  a path, and why nothing of it was read
    #slowlink-other 5e2f... 0.2.0                  slowlink is there, and another one
    #slowlink-ended 5e2f... 137                    slowlink began to read, and ended with this status
    #slowlink-brings 5e2f...                       slowlink cannot read there: files follow
    #slowlink-path 5e2f... 0                       what the first path stands for
    #slowlink-file 5e2f... 48211 0 L3Zhci9sb2c=    bytes and, of one that is cut, lines; gzip in base64 lines follow
    #slowlink-end 5e2f...
    #slowlink-denied 5e2f... L3Zhci9sb2c=
    #slowlink-done 5e2f...

What a node sends is believed in nothing: sizes are bounded, and records are read by type.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from msgspec import Struct, field

from slowlink.parsers.reading.room import Room
from slowlink.parsers.reading.sent import NotSentError, Sent, taken_out
from slowlink.workflows.rank_files.interface import inflated
from slowlink.workflows.read_there.paths import DENIED

MOST_FILE_BYTES = 64 << 20
"""Of one file that is brought. Of a longer one its begin and its end come: how the job began, and how it ended."""
LAST_BYTES = 16 << 20
_MOST_LINES = 32 << 20
_LONGEST_NAME = 4096
_LONGEST_WORDS = 300
_LONGEST_VERSION = 30


class Brought(Struct, frozen=True):
    """One file as it came."""

    path: str
    size_bytes: int
    """On the node."""
    data: bytes
    is_whole: bool
    lines: int = 0
    """Of one that is cut: line ends of the whole file."""


class Heard(Struct):
    """What one node said."""

    reads: bool = False
    """slowlink is there, and read."""
    brings: bool = False
    """slowlink cannot read there: the files themselves come."""
    version: str = ""
    """Of a slowlink there that is not the same as here."""
    status: int = 0
    """With which slowlink ended there, where that was not well."""
    sent: list[Sent] = field(default_factory=list)
    files: list[Brought] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    done: bool = False
    cut: bool = False
    """There was no room for all files."""
    unbelieved: int = 0
    """Frames that hold no records."""
    empty: set[int] = field(default_factory=set)
    """Numbers of paths that stood for nothing."""
    at: int = -1
    """The number of the path whose files come now."""
    room: Room = field(default_factory=Room)
    """For the records of all its frames."""


def frame(mark: str, kind: str, *words: str) -> str:
    """One line. ``words``: without blanks."""
    return " ".join([f"#slowlink-{kind}", mark, *words]) + "\n"


def coded(data: bytes | str) -> str:
    """As one word."""
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return base64.b64encode(raw).decode()


def heard(text: str, mark: str) -> Heard:
    """What a node printed. Any text is accepted."""
    result = Heard()
    pattern = re.compile(rf"#slowlink-([a-z]{{1,16}}) {re.escape(mark)}(?: (.*))?")
    lines = iter(text.split("\n"))
    for line in lines:
        found = pattern.fullmatch(line) if line.startswith("#slowlink-") else None
        if found is not None:
            _take(found[1], (found[2] or "").split(), lines, mark, result)
    return result


def _take(kind: str, words: list[str], lines: Iterator[str], mark: str, result: Heard) -> None:
    if kind == "sent" and result.unbelieved:
        return  # nor is the rest of what it sends, which would take its time, too
    if kind == "sent" and len(words) == 1:
        try:
            result.sent.append(taken_out(_decoded(words[0]), result.room))
        except NotSentError:
            result.unbelieved += 1
    elif kind == "missing" and len(words) == 2:
        result.missing.append((_text(words[0], _LONGEST_NAME), _text(words[1], _LONGEST_WORDS)))
    elif kind == "file" and len(words) == 3:
        _take_file(words, lines, mark, result)
    elif kind == "denied" and len(words) == 1:
        result.missing.append((_text(words[0], _LONGEST_NAME), DENIED))
        result.empty.discard(result.at)
    elif kind == "path" and len(words) == 1 and _number(words[0]) < 1 << 20:
        result.at = _number(words[0])
        result.empty.add(result.at)
    elif kind == "other":
        result.version = " ".join(words)[:_LONGEST_VERSION]
    elif kind == "ended":
        result.status = _number(words[0]) if words else 0
    else:
        result.reads |= kind == "reads"
        result.brings |= kind == "brings"
        result.done |= kind == "done"


def _take_file(words: list[str], lines: Iterator[str], mark: str, result: Heard) -> None:
    body, end = [], False
    for line in lines:
        if line == f"#slowlink-end {mark}":
            end = True
            break
        if line == f"#slowlink-done {mark}":
            result.done = result.cut = True
            break
        body.append(line)
    size, count, path = _number(words[0]), _number(words[1]), _text(words[2], _LONGEST_NAME)
    data = inflated(_decoded("".join(body)), MOST_FILE_BYTES)
    path = path.removeprefix("./")
    if path:
        result.files.append(Brought(path, size, data, end and len(data) == size, count))
        result.empty.discard(result.at)


def whole_text(file: Brought) -> bytes:
    """A file with what was left out of it told, and as many empty lines in its place: the lines behind it keep their
    numbers."""
    first = MOST_FILE_BYTES - LAST_BYTES
    if file.is_whole or file.size_bytes <= MOST_FILE_BYTES or b"\0" in file.data[:1024]:
        return file.data[:first] if not file.is_whole else file.data
    begin, end = file.data[:first], file.data[first:]
    gap = f"\n[... {file.size_bytes - MOST_FILE_BYTES} bytes are left out here ...]"
    lost = file.lines - begin.count(b"\n") - end.count(b"\n") - 1
    return begin + gap.encode() + b"\n" * min(max(1, lost), _MOST_LINES) + end


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and word.isascii() and len(word) < 19 else 0


def _decoded(word: str) -> bytes:
    """base64 as far as it goes: the last line may be cut."""
    try:
        return base64.b64decode(word[: len(word) // 4 * 4], validate=True)
    except (binascii.Error, ValueError):
        return b""


def _text(word: str, most: int) -> str:
    return _decoded(word).decode("utf-8", "backslashreplace")[:most]
