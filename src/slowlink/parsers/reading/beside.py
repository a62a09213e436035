"""A second process for a second half of the work, where this one holds what both need: no half waits for the other.

It is forked, which is safe while this process has one thread, and shares what was read without a copy. Where that
cannot be, or would not pay, the half is done here, later.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from slowlink.parsers.reading.workers import cores

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")


@contextmanager
def beside(work: Callable[[], T], *, pays: bool) -> Iterator[Callable[[], T]]:
    """Begin ``work`` in another process; what is given waits for it and gives its result, the same as ``work()``.

    ``pays``: is it worth a process? None is left when the block is left, however it is left.
    """
    if not (pays and cores() > 1 and sys.platform == "linux" and threading.active_count() == 1):
        yield work
        return
    import multiprocessing  # most runs have no use for it

    forking = multiprocessing.get_context("fork")
    here, there = forking.Pipe(duplex=False)
    process = forking.Process(target=_send, args=(work, there), daemon=True)
    process.start()
    there.close()

    def result() -> T:
        try:
            found: T = here.recv()
        except (EOFError, OSError):  # it failed or was ended; done here, it shows why
            return work()
        return found

    try:
        yield result
    finally:
        here.close()
        process.kill()
        process.join()


def _send(work: Callable[[], T], pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever interrupts means the process that waits for this one
    with suppress(Exception), pipe:
        pipe.send(work())
