"""A reader of our output (head, less) may leave before its end. That is no failure, and changes no exit status."""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import Any, TextIO

from slowlink import exits
from slowlink.errors import SlowlinkError

_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO, errno.ENXIO}
"""A full disk, a stream that is open for reading alone, a terminal that is gone."""
_LOST: set[str] = set()
"""Streams that came closed."""


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Ends the block quietly when nobody reads standard output any more. Raises SlowlinkError when it cannot be written
    for another reason."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, ConnectionResetError):
        # What is still in the buffer goes nowhere, so that the interpreter does not complain about it when it ends.
        _drop_the_rest(sys.stdout)
    except OSError as error:
        if error.errno not in _UNWRITABLE or error.filename is not None:
            raise
        _drop_the_rest(sys.stdout)
        raise SlowlinkError(
            f"cannot write to standard output: {error.strerror}",
            hint="make room, or choose another place",
            slug="output-unwritable",
        ) from error


def say(line: str) -> int:
    """Print one line where no command runs that would tell of a failed write; gives the exit status."""
    try:
        with reader_may_leave():
            print(line)
    except SlowlinkError as error:
        tell(error)
        return exits.USAGE
    return exits.HEALTHY


def tell(error: SlowlinkError) -> None:
    """What happened and what to try, on standard error."""
    note(f"slowlink: {error.message}" + (f"\n  {error.hint}" if error.hint else ""))


def note(text: str) -> None:
    """Lines on standard error. What they quote (a key, a node, a file's name) may be a stranger's, so nothing in them
    can command the terminal. Where standard error is full, too, the exit status has to do."""
    from slowlink.report.escape import terminal_safe_lines

    with suppress(OSError):
        print(terminal_safe_lines(text), file=sys.stderr, flush=True)


def hold_standard_streams() -> None:
    """Where standard input, output or error came closed, put the null device there: a file that is opened later must
    not get their numbers, and what a program of ours prints must not land in it."""
    if sys.stdout is None:
        _LOST.add("stdout")
    if sys.stdout is None and sys.stderr is not None:
        print("slowlink: standard output is closed; what it would show is lost", file=sys.stderr)
    if sys.stdin is None:
        from slowlink.inputs.standard_input import note_closed

        note_closed()
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            while (opened := os.open(os.devnull, os.O_RDWR)) < number:
                continue
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream.buffer, RawIOBase) or not os.get_blocking(stream.fileno()):
            setattr(sys, name, _patient(stream))


class _Patient(FileIO):
    """A stream whose writer waits for a slow reader, where whoever opened it said that writes shall not wait."""

    def write(self, data: Any) -> int:
        while True:
            written: int | None = super().write(data)
            if written is not None:
                return written
            select.select((), (self.fileno(),), ())


def _patient(stream: TextIO) -> TextIO:
    """``stream`` with a buffer that writes everything, and is emptied at the end of each line: without one
    (PYTHONUNBUFFERED) a text that a signal interrupts on its way into a full pipe is cut there, in silence."""
    raw = _Patient(stream.fileno(), "w", closefd=False)
    return TextIOWrapper(BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True)


def output_is_lost() -> bool:
    """Did standard output come closed?"""
    return "stdout" in _LOST


def drop_what_cannot_be_written() -> None:
    """The last thing before the process ends: the interpreter would change the exit status for what is left."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _drop_the_rest(stream)


def _drop_the_rest(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
