"""A process for each question: what it takes of memory and time ends with it, and so does it when nobody waits.

It is forked, which is safe while this process has one thread. It reads nothing of ours and writes into one pipe.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress

import anyio

from slowlink.errors import SlowlinkError

MOST_BYTES = 8 << 20
"""Of one answer; they are a thousandth of it."""
_PIECE = 1 << 16
_MOST_DESCRIPTORS = 1 << 16
_SPARE_CPU = 64
"""Readers on so many cores may take the time that one has on the clock; what lives on beyond that is ended."""


async def done_apart(work: Callable[[], bytes], seconds: float) -> bytes:
    """What ``work`` gives, in a process of its own, which has that long and is gone afterwards, whatever happens.

    Raises SlowlinkError (``took-too-long``, ``ended-early``).
    """
    here, there = os.pipe()
    process = -1
    try:
        process = _forked(work, there, seconds)
        os.close(there)
        there = -1
        with anyio.move_on_after(seconds) as limit:
            return await _all_of(here)
        assert limit.cancelled_caught
        raise SlowlinkError(
            f"this took longer than {seconds:g} s and was ended",
            hint="give a smaller part of it; the user can allow more with --timeout",
            slug="took-too-long",
        )
    finally:
        os.close(here)
        if there >= 0:
            os.close(there)
        if process > 0:
            _end(process)


async def _all_of(pipe: int) -> bytes:
    os.set_blocking(pipe, False)
    data = bytearray()
    while len(data) <= MOST_BYTES:
        await anyio.wait_readable(pipe)
        with suppress(BlockingIOError):
            piece = os.read(pipe, _PIECE)
            if not piece:
                break
            data += piece
    if not data or len(data) > MOST_BYTES:
        raise SlowlinkError(
            "the process that answers ended early",
            hint="there may be too little memory; give it less to read",
            slug="ended-early",
        )
    return bytes(data)


def _forked(work: Callable[[], bytes], pipe: int, seconds: float) -> int:
    process = os.fork()
    if process:
        with suppress(OSError):
            os.setpgid(process, process)  # here, too: whoever ends the group must not come too early
        return process
    status = 1
    try:
        _alone(pipe, seconds)
        _write(pipe, work())
        status = 0
    except BaseException:  # noqa: BLE001, S110  (nothing of the parent may run here; it sees that there is no answer)
        pass
    os._exit(status)


def _alone(pipe: int, seconds: float) -> None:
    """Let go of everything that is our parent's: its client must see an end when the parent ends."""
    import resource

    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(null, standard)
    os.closerange(3, pipe)
    os.closerange(pipe + 1, _MOST_DESCRIPTORS)
    most = int(seconds * _SPARE_CPU) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or hard > most:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def _write(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _end(process: int) -> None:
    """Its readers are of its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(process, 0)
