"""Directories that slowlink makes for a while, here and on nodes: nothing of them stays, also when slowlink is killed.

Whoever makes one says so first: a process that outlives slowlink (``remover.py``) then knows how to remove it. That is
the only way to make one; a test holds it for all of slowlink.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.launch.temporary import remover

_INTERPRETER = sys.executable


class _Remover:
    """The process, as long as there is something to remove."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[int] = set()
        self._last = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1

    @property
    def pipe(self) -> int | None:
        """While something is to be removed: who holds this, too, keeps the removal waiting for its own end."""
        return self._pipe if self._process is not None else None

    def order(self, what: dict[str, object], number: int | None = None) -> int:
        """``number``: of the order that this one replaces. Raises SlowlinkError (``run-unstartable``)."""
        with self._lock:
            if self._process is None:
                self._begin()
            if number is None:
                number = self._last = self._last + 1
            self._open.add(number)
            self._write({"id": number, **what})
            return number

    def kept(self, number: int) -> None:
        with self._lock:
            if number not in self._open:
                return
            self._open.discard(number)
            self._write({"id": number, "kept": True})
            if self._open or self._process is None:
                return
            os.close(self._pipe)
            process, self._process = self._process, None
        process.wait()

    def _begin(self) -> None:
        theirs, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603
                # By path, isolated and without site: it needs nothing of slowlink.
                [_INTERPRETER, "-I", "-S", remover.__file__, str(theirs)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                pass_fds=(theirs,),
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._pipe)
            raise SlowlinkError(
                f"cannot start the process that removes what a killed slowlink leaves: {error.strerror or error}",
                hint="see this shell's limits of open files and processes (ulimit -n, ulimit -u)",
                slug="run-unstartable",
            ) from error
        finally:
            os.close(theirs)

    def _write(self, message: dict[str, object]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with suppress(BrokenPipeError):  # somebody ended it: what is made now is removed by us alone
            while line:
                line = line[os.write(self._pipe, line) :]


_remover = _Remover()


def held_until_end() -> tuple[int, ...]:
    """Descriptors that a guard holds as long as its programs may write into our directories."""
    return () if _remover.pipe is None else (_remover.pipe,)


@contextmanager
def temporary(parent: Path | None = None) -> Iterator[str]:
    """A new directory for us alone, removed afterwards. Raises SlowlinkError when there is no room for one."""
    try:
        path = Path(parent or tempfile.gettempdir()).absolute() / f"slowlink-{secrets.token_hex(6)}"
    except OSError as error:
        raise _no_place(error) from error
    number = _remover.order({"directory": str(path)})
    made = False
    try:
        try:
            path.mkdir(mode=0o700)
        except OSError as error:
            raise _no_place(error) from error
        made = True
        yield str(path)
    finally:
        if made:
            shutil.rmtree(path, ignore_errors=True)
        _remover.kept(number)


class OnNodes:
    """The removal of something that is made on nodes. Use ``begin``, make it, ``made``, remove it, ``removed``."""

    def __init__(self, argvs: Sequence[Sequence[str]], script: str) -> None:
        """``argvs``: for each node what is started here with the node's shell at its end; ``script``: what goes in."""
        self._order: dict[str, object] = {"argvs": [list(argv) for argv in argvs], "script": script}
        self._number: int | None = None

    def begin(self) -> None:
        """Before it is made."""
        self._number = _remover.order({**self._order, "unsure": True}, self._number)

    def made(self) -> None:
        """Nothing that makes it is on its way any more."""
        if self._number is not None:
            _remover.order({**self._order, "unsure": False}, self._number)

    def removed(self) -> None:
        """Nobody else has to."""
        if self._number is not None:
            _remover.kept(self._number)
            self._number = None


def _no_place(error: OSError) -> SlowlinkError:
    return SlowlinkError(
        f"cannot make a temporary directory: {error.strerror}",
        hint="free some space, or set TMPDIR to a directory that can be written",
        slug="scratch-unwritable",
    )
