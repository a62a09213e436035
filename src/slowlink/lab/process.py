"""Processes by pid *and* start time: a pid that was given to another process in the meantime is never killed."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from msgspec import Struct


class Process(Struct, frozen=True):
    """One process, for good: the kernel gives no two processes of one boot the same pair."""

    pid: int
    start: int
    """Clock ticks since boot, field 22 of ``/proc/PID/stat``."""


class Running(Struct, frozen=True):
    """What runs on a lab host."""

    pid: int
    """As this machine counts, not the host: it can be signalled from here."""
    argv: tuple[str, ...]


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets; it may itself hold blanks and brackets.
    return text.rpartition(")")[2].split()


def identify(pid: int) -> Process | None:
    """The process that has this pid now; None when there is none, or only a zombie."""
    fields = _stat(pid)
    if fields is None or fields[0] in "ZX":
        return None
    return Process(pid, int(fields[19]))


def alive(process: Process) -> bool:
    return identify(process.pid) == process


def children(pid: int) -> list[int]:
    """Pids of the direct children."""
    found = []
    for other in pids():
        fields = _stat(other)
        if fields is not None and int(fields[1]) == pid:
            found.append(other)
    return found


def pids() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal()]  # noqa: PTH208  (a Path a process is slow)


def namespace(pid: int, kind: str) -> str | None:
    """Identity of a namespace (``net:[4026531840]``); None when the process is gone."""
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")  # noqa: PTH115
    except OSError:
        return None


def running_in(pid_namespace: str) -> list[Running]:
    """Everything that runs in this pid namespace, zombies left out."""
    found = []
    for pid in pids():
        if namespace(pid, "pid") != pid_namespace or identify(pid) is None:
            continue
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
        except OSError:
            continue
        found.append(Running(pid, tuple(word.decode(errors="replace") for word in words)))
    return found


def end(processes: list[Process], patience_s: float = 5.0) -> list[Process]:
    """Kills these processes and waits until they are gone. Returns those that are still there."""
    for process in processes:
        if alive(process):
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    return await_end(processes, patience_s)


def await_end(processes: list[Process], patience_s: float) -> list[Process]:
    """Waits until these processes are gone. Returns those that are still there."""
    deadline = time.monotonic() + patience_s
    left = processes
    while left := [process for process in left if not _gone(process)]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    return left


def _gone(process: Process) -> bool:
    with contextlib.suppress(ChildProcessError):
        # Our own children stay zombies until somebody asks for them.
        os.waitpid(process.pid, os.WNOHANG)
    return not alive(process)
