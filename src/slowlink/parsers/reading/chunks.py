"""A source in parts that can be scanned apart: cut at line ends, never inside what belongs together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from slowlink.parsers.forms.json_blocks import LONGEST_CHARS, is_open

PART_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 18
"""A longer line is cut here, unless it may be a JSON value as a whole, or the source begins as one: tools that collect
keep the whole output of a command in one string."""
TOGETHER_LINES = 8
"""A part does not end within so many lines after one of NCCL's: messages of several lines stay whole."""
_PIECE = MAX_LINE_BYTES // 2
_JSON_START = re.compile(rb"^(?=\{\s*(?:[\"}]|\Z)|\[[\"{\[\n\r])", re.MULTILINE)
_INSIDE_JSON = re.compile(rb"\s*(?:[{}\]\"]|\[\s*[\[{\"\n]|-?\d[\d.eE+-]*,?\s*\n|(?:true|false|null),?\s*\n|\Z)")
"""How the last line of a part looks when the part ends inside a JSON value."""


class BoundLines:
    """The same bytes, without what overlong lines have too much; ``left_out`` counts it. Once only."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.left_out = 0

    def __iter__(self) -> Iterator[bytes]:
        length, limit, least = 0, 0, 0
        for chunk in self._chunks:
            for start in range(0, len(chunk), _PIECE):
                piece = chunk[start : start + _PIECE]
                if not least and (begin := piece.lstrip()):
                    least = _limit_of(begin)
                if length == 0:
                    limit = max(least, _limit_of(piece))
                end = piece.find(b"\n")
                room = max(0, limit - length)
                own = len(piece) if end < 0 else end
                if own > room:
                    self.left_out += own - room
                    kept = piece[:room] + piece[own:]
                else:
                    kept = piece
                if end < 0:
                    length += len(piece)
                else:
                    last = piece.rfind(b"\n") + 1
                    length, limit = len(piece) - last, max(least, _limit_of(piece[last:]))
                yield kept

    @property
    def problem(self) -> str:
        """What to say of it; "" where nothing was left out."""
        if not self.left_out:
            return ""
        return f"holds a line of more than {MAX_LINE_BYTES >> 10} KiB; {self.left_out:,} bytes at its end were not read"


def _limit_of(line: bytes) -> int:
    return LONGEST_CHARS if line[:1] in (b"{", b"[") else MAX_LINE_BYTES


def parts(chunks: Iterable[bytes], size: int = PART_BYTES) -> Iterator[bytes]:
    """Parts of about ``size`` bytes; lines of ``chunks`` are bound. Every part but the last ends with a line end.

    Where an interrupt ends the chunks, what came before it is a part, too.
    """
    held: list[bytes] = []
    length, enough = 0, size
    end: KeyboardInterrupt | None = None
    try:
        for chunk in chunks:
            held.append(chunk)
            length += len(chunk)
            if length < enough:
                continue
            data = b"".join(held)
            cut = cut_of(data)
            if cut:
                yield data[:cut]
                data, enough = data[cut:], size
            else:
                enough = 2 * length  # looks again seldom enough to stay linear
            held, length = [data], len(data)
    except KeyboardInterrupt as interrupt:
        end = interrupt
    data = b"".join(held)
    if data:
        yield data
    if end is not None:
        raise end


def cut_of(data: bytes) -> int:
    """Where to end a part of ``data``; 0 when it must grow first."""
    cut = data.rfind(b"\n") + 1
    if not cut:
        return 0 if len(data) < LONGEST_CHARS else len(data)
    opened = _open_block(data, cut)
    if opened is not None:
        return opened if opened or len(data) < LONGEST_CHARS else cut
    logged = data.rfind(b"CCL ", 0, cut)
    start = data.rfind(b"\n", 0, max(logged, 0)) + 1
    if logged >= 0 and start and data.count(b"\n", start, cut) <= TOGETHER_LINES:
        return start
    return cut


def _open_block(data: bytes, cut: int) -> int | None:
    """Start of the JSON value that ``data`` ends inside of, when it begins at the start of a line."""
    last = data.rfind(b"\n", 0, cut - 1) + 1
    if _INSIDE_JSON.match(data, last) is None:  # spares nearly every log the search below
        return None
    if _is_value(data[last:cut]) and _is_value(data[data.rfind(b"\n", 0, max(last - 1, 0)) + 1 : last]):
        return None  # one value a line: nowhere in JSON does a value follow another without a comma
    at = _next_start(data, 0, cut)
    if at is None:
        return None
    text = data[:cut].decode("latin-1")  # one character a byte: positions stay, and brackets are ASCII
    while at is not None:
        end = is_open(text, at)
        if end is None:
            return at
        at = _next_start(data, max(end, at + 1), cut)
    return None


def _is_value(line: bytes) -> bool:
    """Is ``line`` one whole JSON object?"""
    text = line.decode("latin-1").rstrip()
    return text.startswith("{") and is_open(text, 0) == len(text)


def _next_start(data: bytes, at: int, cut: int) -> int | None:
    found = _JSON_START.search(data, at, cut)
    return found.start() if found else None
