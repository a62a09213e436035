"""On a node: reads its files for another machine, and prints what was found, without secrets."""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from slowlink.errors import SlowlinkError
from slowlink.inputs import Input, open_inputs
from slowlink.inputs.directory import kind_of_file
from slowlink.inputs.progress import Progress
from slowlink.parsers.reading.read import found_in
from slowlink.parsers.reading.redacted import read_redacted
from slowlink.parsers.reading.room import Room
from slowlink.parsers.reading.sent import packed
from slowlink.parsers.reading.sent_back import Found
from slowlink.parsers.reading.source import BROKEN_OFF
from slowlink.workflows.read_there.frames import coded, frame
from slowlink.workflows.read_there.paths import matches_of

_STUB = 4096
"""For what stands around records."""
_AGAIN_S = 5.0
File = tuple[int, int]


def send(paths: Sequence[str], mark: str, write: Callable[[str], None], seconds: float, room: int) -> None:
    """Print what was found in each input. Ends early, with what it has, after ``seconds``, and when nobody listens.
    ``room``: bytes that may be printed."""
    write(frame(mark, "reads"))
    files: dict[str, File] = {}
    told: list[tuple[str, str]] = []
    progress = Progress()
    left, there = room, Room()
    inputs = _inputs(paths, files, told, progress)
    with _Watch(seconds) as watch:
        for found in watch.watched(found_in(inputs, None, progress, read_redacted)):
            text = _frame_of(found, mark, files, left, there)
            left -= len(text)
            write(text)
    if watch.broken_off:
        told.append((paths[0], BROKEN_OFF))
    for path, why in told:
        write(frame(mark, "missing", coded(path), coded(why)))
    write(frame(mark, "done"))


def _frame_of(found: Found, mark: str, files: dict[str, File], left: int, there: Room) -> str:
    stats = found[1]
    data = packed(found, files.get(stats.path.partition("!")[0]), (left - _STUB) // 4 * 3, there)
    return frame(mark, "sent", coded(data))


def _inputs(
    paths: Sequence[str], files: dict[str, File], told: list[tuple[str, str]], progress: Progress
) -> Iterator[Input]:
    """Every text of ``paths``; ``told`` hears of those of which there is none."""
    seen: dict[str, None] = {}
    for path in paths:
        matches = matches_of(path)
        told += matches.missing
        seen.update(dict.fromkeys(matches.found))
    for path in seen:
        try:
            status = os.stat(path)  # noqa: PTH116  (a name of any bytes)
            if stat.S_ISREG(status.st_mode):
                files[path] = status.st_ino, status.st_mtime_ns
            elif not stat.S_ISDIR(status.st_mode):
                yield Input(path, None, problem=f"{kind_of_file(status.st_mode)}, not read", partial=True)
                continue
            yield from open_inputs([path], progress)
        except SlowlinkError as error:
            why = error.message.partition(": ")[2] or error.message
            yield Input(path, None, problem=f"{why}; {error.hint}", partial=True)
        except OSError as error:
            yield Input(path, None, problem=f"cannot be read: {error.strerror}", partial=True)


class _Watch:
    """Interrupts the reading once the time is over, and once nobody reads standard output any more: who asked has gone,
    and left no other sign. The timer of ``cli.ending`` ticks."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._next_s = 0.0
        self._is_reading = False
        self._poll = select.poll()
        self._before: object = None
        self.broken_off = False
        """An interrupt came where nothing was at hand."""

    def watched(self, everything: Iterator[Found]) -> Iterator[Found]:
        """The same. What is done with each is not interrupted."""
        while True:
            try:
                self._is_reading = True
                found = next(everything, None)
                self._is_reading = False
            except KeyboardInterrupt:
                self.broken_off, found = True, None
            if found is None:
                return
            yield found

    def _look(self, number: int, at: FrameType | None) -> None:
        if callable(self._before):
            self._before(number, at)
        now = time.monotonic()
        if self._is_reading and now >= self._next_s and (now >= self._until or self._poll.poll(0)):
            self._next_s = now + _AGAIN_S
            raise KeyboardInterrupt

    def __enter__(self) -> _Watch:
        self._poll.register(sys.stdout.fileno(), 0)
        self._before = signal.signal(signal.SIGALRM, self._look)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_reading = False
        signal.signal(signal.SIGALRM, self._before)  # type: ignore[arg-type]
