"""Reads of a pipe that Ctrl-C always ends.

Python looks for a noted signal between two of its own steps. A signal that comes after that look and before the
system's read begins to wait is noted, but the read waits on: one Ctrl-C in four was lost so. Here the signal also
writes to a pipe, and the wait is for either, so there is no moment at which it can be lost.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO


def pieces(file: BinaryIO, most: int) -> Iterator[bytes]:
    """The bytes of ``file`` as they come, at most ``most`` at a time: a pipe gives what it has."""
    read = getattr(file, "read1", file.read)
    _wait(file)
    while data := read(most):
        yield data
        _wait(file)


def _wait(file: BinaryIO) -> None:
    """Return when ``file`` has bytes or has ended, and at once where it cannot be waited for."""
    woken = _wake_up()
    if woken is None:
        return
    try:
        number = file.fileno()
    except (OSError, ValueError):
        return
    wait = select.poll()
    wait.register(number, select.POLLIN)
    wait.register(woken, select.POLLIN)
    if woken in dict(wait.poll()):
        os.read(woken, 1 << 10)


@cache
def _wake_up() -> int | None:
    """The end to wait on of the pipe that every signal writes to; None in a thread that hears of no signals."""
    woken, noted = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        signal.set_wakeup_fd(noted, warn_on_full_buffer=False)
    except ValueError:
        os.close(woken)
        os.close(noted)
        return None
    return woken
