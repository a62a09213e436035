"""What processes print is read as fast as it comes, and worked on beside that.

A launcher keeps in memory what nobody reads. So the one who reads never waits for the one who writes: between them lies
a backlog of bounded size. Where it is full, the oldest of it is dropped and counted; the last words of a run stay. In
its place stands a line that says how much is missing, in words that every reader of logs takes for what they say.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.plan import Ended

Sink = Callable[[bytes], None]

MOST_BYTES = 32 << 20
"""So much waits at most. Redaction makes 50 MB/s of NCCL's log, and much less of lines that are full of secrets."""
_LAST_BYTES = 256 << 10
"""So much of the end is written whatever happens."""
_PATIENCE_S = 30.0
"""So long what waits at the end may take."""
_SWITCH_S = 0.0005
"""So soon the thread that reads is let in."""


class Lost(Struct):
    """What was dropped of one stream, or of all."""

    size: int = 0
    """Bytes."""
    lines: int = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        self.lines += data.count(b"\n")

    def __bool__(self) -> bool:
        return self.size > 0

    def words(self) -> str:
        """How much it is; lines where there are whole ones."""
        if not self.lines:
            return f"{self.size:,} bytes"
        return f"{self.lines:,} line{'' if self.lines == 1 else 's'}"


def without(ended: Ended, lost: Lost) -> Ended:
    """How a process ended whose output is not whole."""
    if not lost:
        return ended
    words = f"{lost.words()} that it printed were dropped: they came faster than they could be written"
    return replace(ended, detail=f"{ended.detail}; {words}" if ended.detail else words)


class Backlog:
    """Takes chunks of several streams and hands them on in a thread of its own. For ``with``."""

    def __init__(self, most_bytes: int = MOST_BYTES, patience_s: float = _PATIENCE_S) -> None:
        self.lost = Lost()
        """Of all streams; whole when ``with`` has ended."""
        self._most = most_bytes
        self._patience_s = patience_s
        self._streams: list[_Stream] = []
        self._waiting: deque[tuple[_Stream, bytes]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closed = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="backlog", daemon=True)

    def sink(self, write: Sink) -> Sink:
        """What takes chunks of one more stream, for ``write``. It raises what ``write`` raised."""
        stream = _Stream(write, self.lost)
        self._streams.append(stream)

        def put(chunk: bytes) -> None:
            with self._changed:
                if self._error is not None:
                    raise self._error
                self._waiting.append((stream, chunk))
                self._bytes += len(chunk)
                if self._bytes > self._most:
                    self._drop(self._most // 2)
                self._changed.notify()

        return put

    def _drop(self, to_bytes: int) -> None:
        """Drop the oldest, until no more than so much waits."""
        while (excess := self._bytes - to_bytes) > 0:
            stream, chunk = self._waiting.popleft()
            stream.drop(chunk[:excess])
            self._bytes -= len(chunk[:excess])
            if rest := chunk[excess:]:
                self._waiting.appendleft((stream, rest))

    def __enter__(self) -> Backlog:
        self._old_switch = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_S)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._end(0.0 if error is not None else self._patience_s)
        finally:
            sys.setswitchinterval(self._old_switch)
        if self._error is not None and error is None:
            raise self._error

    def _end(self, patience_s: float) -> None:
        """Write what waits, or only the last of it when that takes too long."""
        try:
            with self._changed:
                self._closed = True
                self._changed.notify()
                self._changed.wait_for(lambda: not self._waiting, patience_s)
        finally:
            with self._changed:
                self._drop(_LAST_BYTES)
            self._thread.join()

    def _work(self) -> None:
        try:
            while (taken := self._next()) is not None:
                stream, chunk = taken
                stream.write(chunk)
            for stream in self._streams:
                stream.write(stream.told())
        except BaseException as error:  # noqa: BLE001  (raised where chunks are put in)
            with self._changed:
                self._error = error
                self._waiting.clear()
                self._bytes = 0
                self._changed.notify()

    def _next(self) -> tuple[_Stream, bytes] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return None
            stream, chunk = self._waiting.popleft()
            self._bytes -= len(chunk)
            if not self._waiting:
                self._changed.notify()
            return stream, stream.after_gap(chunk)


class _Stream:
    """One stream: whole lines stand before and behind a gap in it."""

    def __init__(self, write: Sink, lost: Lost) -> None:
        self._write = write
        self._lost = lost
        self._gap = Lost()
        """Dropped, and not told yet."""
        self._drops_line = False
        """Does the gap end within a line? The rest of it goes, too: alone it may be what its beginning would hide."""
        self._in_line = False
        """Is the last line that was handed on without its end?"""

    def drop(self, chunk: bytes) -> None:
        """Count what is dropped."""
        self._gap.add(chunk)
        self._lost.add(chunk)
        self._drops_line = not chunk.endswith(b"\n")

    def after_gap(self, chunk: bytes) -> bytes:
        """``chunk``, behind a line that tells of the gap before it, from the beginning of a line on."""
        if not self._gap:
            return chunk
        if self._drops_line:
            end = chunk.find(b"\n") + 1 or len(chunk)
            self.drop(chunk[:end])
            chunk = chunk[end:]
        return self.told() + chunk if chunk else b""

    def told(self) -> bytes:
        """A line of its own for what was dropped and not told yet."""
        if not self._gap:
            return b""
        before, words = "\n" if self._in_line else "", self._gap.words()
        self._gap = Lost()
        return f"{before}[... {words} omitted ...]\n".encode()

    def write(self, chunk: bytes) -> None:
        if chunk:
            self._in_line = not chunk.endswith(b"\n")
            self._write(chunk)
