"""A reader of our output (head, less) may leave before its end. That is no failure, and changes no exit status."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from slowlink.errors import SlowlinkError

_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Ends the block quietly when nobody reads standard output any more. Raises SlowlinkError when it cannot be written
    for another reason (a full disk)."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer goes nowhere, so that the interpreter does not complain about it when it ends.
        _drop_the_rest()
    except OSError as error:
        if error.errno not in _DISK:
            raise
        _drop_the_rest()
        raise SlowlinkError(
            f"cannot write to standard output: {error.strerror}",
            hint="make room, or choose another place",
            slug="output-unwritable",
        ) from error


def _drop_the_rest() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
