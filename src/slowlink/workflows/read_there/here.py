"""On a node: reads its files for another machine, and prints what was found, without secrets."""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.inputs import Input, open_inputs
from slowlink.inputs.directory import kind_of_file
from slowlink.inputs.progress import Progress
from slowlink.parsers.reading.read import Found, found_in
from slowlink.parsers.reading.redacted import read_redacted
from slowlink.parsers.reading.sent import packed
from slowlink.workflows.read_there.frames import coded, frame
from slowlink.workflows.read_there.paths import matches_of

MOST_SENT = 15 << 20
"""Of all frames: the other side keeps 16 MiB of a node's output."""
_STUB = 4096
NO_ROOM = f"read there and left out: what this node has to say takes more than {MOST_SENT >> 20} MiB; name fewer files"
_AGAIN_S = 5.0
File = tuple[int, int]


def send(paths: Sequence[str], mark: str, write: Callable[[str], None], seconds: float) -> None:
    """Print what was found in each input. Ends early, with what it has, after ``seconds``, and when nobody listens."""
    write(frame(mark, "reads"))
    files: dict[str, File] = {}
    told: list[tuple[str, str]] = []
    progress = Progress()
    left = MOST_SENT
    with ended_in_time(seconds):
        for found in found_in(_inputs(paths, files, told, progress), None, progress, read_redacted):
            text = _frame_of(found, mark, files, left)
            left -= len(text)
            write(text)
    for path, why in told:
        write(frame(mark, "missing", coded(path), coded(why)))
    write(frame(mark, "done"))


def _frame_of(found: Found, mark: str, files: dict[str, File], left: int) -> str:
    _, stats, _ = found
    data = packed(found, files.get(stats.path.partition("!")[0]))
    if len(data) * 4 // 3 + _STUB > left:
        data = packed(([], replace(stats, unread_samples=(), problem=stats.problem or NO_ROOM, partial=True), b""))
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


@contextmanager
def ended_in_time(seconds: float) -> Iterator[None]:
    """Raises KeyboardInterrupt inside the block once the time is over, and once nobody reads standard output any more:
    who asked has gone, and left no other sign. The timer of ``cli.ending`` ticks."""
    until = time.monotonic() + seconds
    next_s = 0.0
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    before = signal.getsignal(signal.SIGALRM)

    def look(number: int, at: FrameType | None) -> None:
        nonlocal next_s
        if callable(before):
            before(number, at)
        now = time.monotonic()
        if now >= next_s and (now >= until or poll.poll(0)):
            next_s = now + _AGAIN_S
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, look)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
