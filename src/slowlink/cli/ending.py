"""SIGTERM (scancel, systemd, timeout) and SIGHUP (a terminal that went away) end a command as Ctrl-C does: what it has
begun is taken away, and it says so. The parts of slowlink that wait for programs listen on their own meanwhile.

Python looks for a noted signal between two of its own steps. One that comes after that look, and before the system
begins to wait for bytes, is noted, and the wait goes on: one Ctrl-C in four was lost so. One that comes while we fork
is raised where Python drops what is raised. So a timer ticks: each tick breaks off a wait, and Python looks again.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ClassVar

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_DEFAULTS = {signal.SIGINT: signal.default_int_handler}
"""Python's own handlers; the others have the system's."""
_TICK_S = 0.1
_ONE_END_S = 5.0
"""timeout(1) signals a process and then its group: the second must not end the cleaning up that the first began."""


class _Heard:
    """The signal that ended us, for the last words."""

    name = ""
    at_s = float("-inf")
    mask: ClassVar[Iterable[int]] = ()
    """Signals that were blocked before a fork."""
    forking = False
    late = 0
    """A signal that came while we forked."""


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Meanwhile these signals raise KeyboardInterrupt; one that is ignored (nohup) stays ignored."""
    _Heard.name, _Heard.at_s, _Heard.late = "", float("-inf"), 0
    before = signal.signal(signal.SIGALRM, _look_again)
    signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)
    ours = [number for number in _SIGNALS if signal.getsignal(number) is _default(number)]
    for number in ours:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        end_ticking()
        signal.signal(signal.SIGALRM, before)
        for number in ours:
            signal.signal(number, _default(number))


def _default(number: signal.Signals) -> Callable[[int, FrameType | None], object] | signal.Handlers:
    return _DEFAULTS.get(number, signal.SIG_DFL)


def end_ticking() -> None:
    """Before this process becomes another program: the timer would go on, and end it."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def last_words() -> str:
    """What to say at the end of a command that was interrupted."""
    return f"slowlink: interrupted{f' by {_Heard.name}' if _Heard.name else ''}"


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if _Heard.forking:
        _Heard.late = number
        return
    if number == signal.SIGINT:  # by somebody who waits: each one counts, and its name is plain
        raise KeyboardInterrupt
    now = time.monotonic()
    if now - _Heard.at_s < _ONE_END_S:
        return
    _Heard.name, _Heard.at_s = signal.Signals(number).name, now
    raise KeyboardInterrupt


def _look_again(_number: int, frame: FrameType | None) -> None:
    if _Heard.late and not _Heard.forking:
        number, _Heard.late = _Heard.late, 0
        _interrupt(number, frame)


def _hold() -> None:
    """Before a fork: a signal to the new process that comes before it is one of its own would be lost."""
    _Heard.forking = True
    _Heard.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)


def _release() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _Heard.mask)
    _Heard.forking = False


def _as_it_was() -> None:
    """A process that we fork ends at once, and leaves the cleaning up to us."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, _default(number))
    _release()


os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_as_it_was)
