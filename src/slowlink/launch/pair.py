"""What both ranks of a perftest pair run: rank 0 its server, rank 1 its client. Standard library only.

``python -m slowlink.launch.pair --server PROGRAM ... --client PROGRAM ... HOST [--server ... --client ... HOST]``

mpirun starts both at once, so the client tries again while nobody listens yet. The port is not probed for that: a
server of perftest accepts one connection, and a probe would take it. Each ``--server``/``--client`` is one HCA, one
after another; one that fails does not keep the next from being measured. What the client prints is the result; the
server's words are shown, on standard error, only where it failed.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any

from msgspec import Struct

_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
"""Where Open MPI, Hydra and srun say which rank this is."""
_NOBODY = b"Couldn't connect to"
_WAIT_S = 30.0
"""How long a client waits for its server."""
_PAUSE_S = 0.3
_RELEASE_S = 3.0
_NOT_FOUND = 127


class Step(Struct, frozen=True):
    """One test: both command lines."""

    server: tuple[str, ...]
    client: tuple[str, ...]

    @property
    def meeting(self) -> tuple[str, int]:
        """Host and TCP port where the two meet."""
        return self.client[-1], int(self.client[self.client.index("-p") + 1])


def parse(words: Sequence[str]) -> tuple[Step, ...]:
    """The steps of a command line. Raises ValueError for another shape."""
    sides: list[tuple[str, list[str]]] = []
    for word in words:
        if word in ("--server", "--client"):
            sides.append((word, []))
        elif sides:
            sides[-1][1].append(word)
    order = [name for name, _ in sides]
    if not sides or order != ["--server", "--client"] * (len(sides) // 2) or not all(argv for _, argv in sides):
        raise ValueError("give --server PROGRAM ... --client PROGRAM ... HOST, once or more")
    each = [tuple(argv) for _, argv in sides]
    return tuple(Step(server, client) for server, client in zip(each[::2], each[1::2], strict=True))


def rank_of(environment: Mapping[str, str]) -> int | None:
    """Which rank this process is; None outside a launch."""
    found = next((environment[name] for name in _RANKS if name in environment), "")
    return int(found) if found.isascii() and found.isdecimal() else None


class _Done(Struct, frozen=True):
    status: int
    out: bytes
    err: bytes


class _Child:
    """One program at a time, which is not left behind when this process is told to end."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._out: IO[bytes] | None = None
        self._err: IO[bytes] | None = None
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._end)

    def run(self, argv: Sequence[str]) -> _Done:
        program = shutil.which(argv[0])
        if program is None:
            return _Done(_NOT_FOUND, b"", f"slowlink: {argv[0]} is not on {socket.gethostname()}\n".encode())
        with TemporaryFile() as self._out, TemporaryFile() as self._err:
            actions = [(os.POSIX_SPAWN_DUP2, self._out.fileno(), 1), (os.POSIX_SPAWN_DUP2, self._err.fileno(), 2)]
            try:
                self._pid = os.posix_spawn(program, list(argv), os.environ, file_actions=actions)
            except OSError as error:
                return _Done(_NOT_FOUND, b"", f"slowlink: {program}: {error.strerror}\n".encode())
            _, ended = os.waitpid(self._pid, 0)
            self._pid = None
            return _Done(os.waitstatus_to_exitcode(ended), _content(self._out), _content(self._err))

    def _end(self, number: int, frame: Any) -> None:  # noqa: ARG002  (the signature of a signal handler)
        if self._pid is not None:
            with suppress(OSError):
                os.kill(self._pid, signal.SIGTERM)
                time.sleep(0.2)
                os.kill(self._pid, signal.SIGKILL)
            for file in (self._out, self._err):
                if file is not None:
                    _say(2, _content(file))
        os._exit(128 + number)


def _content(file: IO[bytes]) -> bytes:
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0)


def _say(fd: int, text: bytes) -> None:
    with suppress(OSError):
        while text:
            text = text[os.write(fd, text) :]


def serve(child: _Child, step: Step) -> int:
    """The server's side of one step."""
    done = child.run(step.server)
    if done.status:
        _say(2, f"slowlink: the server on {socket.gethostname()} failed:\n".encode() + done.out + done.err)
    return done.status


def connect(child: _Child, step: Step, wait_s: float = _WAIT_S) -> int:
    """The client's side of one step: again while there is no server, for ``wait_s`` seconds at most."""
    end = time.monotonic() + wait_s
    done = child.run(step.client)
    while done.status and _NOBODY in done.out + done.err and time.monotonic() < end:
        time.sleep(_PAUSE_S)
        done = child.run(step.client)
    _say(1, done.out)
    _say(2, done.err)
    if done.status and _NOBODY in done.out + done.err:
        host, port = step.meeting
        _say(2, f"slowlink: no server answered on {host}, TCP port {port}, for {wait_s:g} s\n".encode())
    return done.status


def release(step: Step) -> None:
    """End a server that still waits for a client that failed: it accepts one connection, and reads its end."""
    end = time.monotonic() + _RELEASE_S
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(step.meeting, timeout=_RELEASE_S):
            return
        time.sleep(_PAUSE_S)


def main(words: Sequence[str]) -> int:
    """The first status that is not 0, or 0."""
    try:
        steps = parse(words)
    except ValueError as error:
        _say(2, f"slowlink: {error}\n".encode())
        return 2
    rank = rank_of(os.environ)
    if rank not in (0, 1):
        _say(2, f"slowlink: a pair is rank 0 and rank 1; this is rank {rank}\n".encode())
        return 2
    child = _Child()
    statuses = []
    for step in steps:
        statuses.append(serve(child, step) if rank == 0 else connect(child, step))
        if rank == 1 and statuses[-1]:
            # After the last one, too: Hydra does not end a rank because another one failed (seen with MPICH 5.0).
            release(step)
    failed = next((status for status in statuses if status), 0)
    return failed if failed >= 0 else 128 - failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
