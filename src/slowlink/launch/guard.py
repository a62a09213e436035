"""The parent of everything that one plan starts. It outlives slowlink, so that nothing else does.

slowlink starts this file by its path (``python -I -S guard.py FD HELD``): standard library only, ready in a few
hundredths of a second. It takes one order, a JSON line, over the socket FD and runs the plan's steps: prepare, main,
cleanup. Two things make it dependable:

- It is a *child subreaper* (Linux, prctl(2)): a process whose parent died becomes its child, however often it forked,
  changed its group or session. So it can end every process of this run and no other, and it knows when none is left.
- When slowlink goes away (killed, crashed) the socket ends; that counts as the order to end the run. Cleanup follows.

Where there is no subreaper (macOS) it ends the process group of the main step, the best that is to be had there.

Socket, towards slowlink: ``{"event": "started", "pid", "at"}``, ``{"event": "ended", "status", "signal", "seconds"}``,
``{"event": "failed", "detail"}`` (could not be started, or a prepare step failed), last ``{"event": "done", "left"}``.
Towards the guard: ``end`` (orderly: SIGTERM, after the grace SIGKILL) and ``kill`` (SIGKILL at once).
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

_SUBREAPER = 36
_CLEANUP_S = 60.0
"""Limit of a cleanup step that has none."""
_SWEEP_S = 1.0
"""How long a process that the run left behind has between SIGTERM and SIGKILL."""
_LAST_S = 5.0
"""How long after SIGKILL a process may take to go; one that hangs in the kernel does not go at all."""


class Guard:
    """Runs the steps of one order, one after another."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._asked = ""
        """``end`` or ``kill`` once somebody wants the run to end."""
        self._owned = True
        """slowlink is still there."""
        self._cleaning = False
        """Cleanup is not cut short, whoever hurries: its steps have their own time limits."""
        self._grace_s = 5.0
        self._wake, wake_up = os.pipe()
        os.set_blocking(wake_up, False)
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        become_subreaper()

    def run(self) -> None:
        """Take the order and see it through."""
        order = self._order()
        if order is None:
            return
        self._grace_s = float(order["grace_s"])
        if self._prepare(order["prepare"]):
            self._main(order["argv"], order["env"])
        self._cleaning = True
        for step in order["cleanup"]:
            self._run_step({**step, "timeout_s": step["timeout_s"] or _CLEANUP_S})
        self._sweep()
        remove(order["scratch"])
        self._say({"event": "done", "left": descendants()})

    def _order(self) -> dict[str, Any] | None:
        text = b""
        while b"\n" not in text:
            received = self._control.recv(1 << 16)
            if not received:
                return None
            text += received
        line, _, words = text.partition(b"\n")
        order: dict[str, Any] = json.loads(line)
        self._note(words)
        return order

    def _prepare(self, steps: Sequence[dict[str, Any]]) -> bool:
        for step in steps:
            status = self._run_step(step)
            if status != 0:
                self._say({"event": "failed", "detail": f"{' '.join(step['argv'])}: {in_words(status)}"})
                return False
        if self._asked:
            self._say({"event": "failed", "detail": "ended before it began"})
        return not self._asked

    def _main(self, argv: Sequence[str], env: dict[str, str]) -> None:
        began, clock = time.time(), time.monotonic()
        try:
            pid = start(argv, env, quiet=False, own_input=True)
        except OSError as error:
            self._say({"event": "failed", "detail": f"cannot start {argv[0]}: {error.strerror}"})
            return
        self._say({"event": "started", "pid": pid, "at": began})
        status = self._wait(pid, None)
        self._sweep()
        self._say(
            {
                "event": "ended",
                "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                "seconds": time.monotonic() - clock,
            }
        )

    def _run_step(self, step: dict[str, Any]) -> int:
        try:
            pid = start(step["argv"], step["env"], quiet=not self._owned, own_input=False)
        except OSError:
            return 127 << 8
        status = self._wait(pid, step["timeout_s"])
        self._sweep()
        return status

    def _wait(self, pid: int, timeout_s: float | None) -> int:
        """Wait for a child; end it when asked to, or when its time is over. Its raw wait status."""
        too_long = None if timeout_s is None else time.monotonic() + timeout_s
        kill_at: float | None = None
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            now = time.monotonic()
            asked = "" if self._cleaning else self._asked
            if kill_at is None and (asked or (too_long is not None and now >= too_long)):
                kill_at = now + self._grace_s
                to_group(pid, signal.SIGTERM)
            if kill_at is not None and (asked == "kill" or now >= kill_at):
                kill_at = float("inf")
                self._asked = "end"
                to_group(pid, signal.SIGKILL)
                to_all(descendants(), signal.SIGKILL)
            moments = [moment for moment in (too_long if kill_at is None else None, kill_at) if moment is not None]
            self._listen(min([*moments, now + 60.0]) - now)

    def _listen(self, seconds: float) -> None:
        """Wait for a word of slowlink or the end of a child."""
        watched: list[Any] = [self._wake] + ([self._control] if self._owned else [])
        ready, _, _ = select.select(watched, [], [], max(seconds, 0.0))
        if self._wake in ready:
            os.read(self._wake, 4096)
        if self._control in ready:
            try:
                words = self._control.recv(4096)
            except OSError:
                words = b""
            self._note(words or b"end")
            self._owned = bool(words)

    def _note(self, words: bytes) -> None:
        """What slowlink said after its order."""
        if b"kill" in words:
            self._asked = "kill"
        elif b"end" in words:
            self._asked = self._asked or "end"

    def _sweep(self) -> None:
        """End what a step left behind, and reap it."""
        began = time.monotonic()
        sent: int | None = None
        while reap():
            left = descendants()
            waited = time.monotonic() - began
            wanted = signal.SIGKILL if waited >= _SWEEP_S or self._asked == "kill" else signal.SIGTERM
            if not left or waited > _SWEEP_S + _LAST_S:
                return
            if wanted != sent or wanted == signal.SIGKILL:
                to_all(left, wanted)
                sent = wanted
            self._listen(0.05)

    def _say(self, message: dict[str, Any]) -> None:
        try:
            self._control.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self._owned = False
            # Nobody listens to the socket any more, so its end will not be seen: this is the order to end the run.
            self._note(b"end")


def become_subreaper() -> None:
    """Adopt every orphan among our descendants (Linux 3.4); without effect elsewhere."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def start(argv: Sequence[str], env: dict[str, str], *, quiet: bool, own_input: bool) -> int:
    """Start a child in a process group of its own. Raises OSError when the program cannot be run."""
    actions: list[tuple[Any, ...]] = []
    if not own_input:
        actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    if quiet:
        actions += [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    defaults = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD)
    # The program is looked up in the PATH of the plan, which is also what the child gets.
    program = find(argv[0], env.get("PATH", os.defpath))
    return os.posix_spawn(program, list(argv), env, file_actions=actions, setpgroup=0, setsigdef=defaults)


def find(name: str, path: str) -> str:
    """The file to execute. Raises FileNotFoundError."""
    if "/" in name:
        return name
    for folder in path.split(os.pathsep):
        candidate = os.path.join(folder or ".", name)  # noqa: PTH118  pathlib would double the start-up time
        if os.access(candidate, os.X_OK) and not os.path.isdir(candidate):  # noqa: PTH112
            return candidate
    raise FileNotFoundError(2, "not found on PATH", name)


def descendants() -> list[int]:
    """Ids of our children, their children and so on, without those that are dead already (zombies)."""
    try:
        ids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
    except OSError:
        return []
    children: dict[int, list[int]] = {}
    dead: set[int] = set()
    for pid in ids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
                # The name in brackets may hold anything, blanks and brackets too.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        children.setdefault(int(parent), []).append(pid)
        if state == b"Z":
            dead.add(pid)
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return [pid for pid in found if pid not in dead]


def reap() -> bool:
    """Take the status of every child that ended. True while there are children."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True


def to_group(pid: int, number: int) -> None:
    """Signal the process group that a child leads. The child is not reaped yet, so the number is still its own."""
    with suppress(ProcessLookupError, PermissionError):  # it is ending already
        os.killpg(pid, number)


def to_all(pids: Sequence[int], number: int) -> None:
    """Signal processes by id."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def remove(directory: str) -> None:
    """Remove a directory of this run."""
    import shutil

    shutil.rmtree(directory, ignore_errors=True)


def in_words(status: int) -> str:
    """A raw wait status as words."""
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
    code = os.WEXITSTATUS(status)
    return "not found" if code == 127 else f"exit status {code}"


if __name__ == "__main__":
    # What follows the socket is only held: its end says that we are gone (``remover.py``).
    for _inherited in sys.argv[1:]:
        os.set_inheritable(int(_inherited), False)
    Guard(socket.socket(fileno=int(sys.argv[1]))).run()
