"""Runs plans. The only user of subprocess outside ``lab``; afterwards no process of the plan is left.

The plan's processes are children of a guard (``guard.py``), not of slowlink: the guard ends them when slowlink asks for
it and also when slowlink is gone. slowlink itself reads what they print, keeps the time, and listens to signals.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, NamedTuple

from slowlink.errors import SlowlinkError
from slowlink.launch import guard
from slowlink.launch.temporary import places
from slowlink.launch.watchdog import Look, Watchdog
from slowlink.model.plan import Ended, Plan

GRACE_S = 5.0
"""Time between SIGTERM and SIGKILL: mpirun tells its daemons on other nodes to end their ranks."""
_CHUNK = 1 << 20
"""Read at a time, and what a pipe is to hold: a launcher keeps in memory what nobody has read."""
_TICK_S = 0.5
_DRAIN_S = 2.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SCRATCH = "{scratch}"

Sink = Callable[[bytes], None]


class Captured(NamedTuple):
    """What a small query printed."""

    status: int | None
    """Exit status; None when it was ended (time-out, signal); 127 when there is no such program."""
    stdout: str
    stderr: str


def capture(
    argv: Sequence[str], timeout_s: float, *, env: Mapping[str, str] | None = None, stdin: str | None = None
) -> Captured:
    """Run a small query (``mpirun --version``) to its end. Its process group is ended when its time is over."""
    try:
        process = subprocess.Popen(  # noqa: S603  argv is ours, and there is no shell
            list(argv),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if env is None else {**os.environ, **env},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Captured(127, "", f"{argv[0]}: {getattr(error, 'strerror', None) or error}")
    try:
        out, err = process.communicate(None if stdin is None else stdin.encode(), timeout=timeout_s)
    except subprocess.TimeoutExpired:
        guard.to_group(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Captured(None, _decoded(out), _decoded(err) + f"\n{argv[0]}: no answer within {timeout_s:g} s")
    except BaseException:
        guard.to_group(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    status = process.returncode
    return Captured(status if status >= 0 else None, _decoded(out), _decoded(err))


def execute(
    plan: Plan,
    scratch: Path,
    on_stdout: Sink,
    on_stderr: Sink,
    *,
    timeout_s: float | None = None,
    silent_after_s: float | None = None,
    is_alive: Callable[[str], bool] | None = None,
    look: Look | None = None,
    on_start: Callable[[], None] | None = None,
    grace_s: float = GRACE_S,
) -> Ended:
    """Run a plan to its end, whatever end that is.

    ``scratch``: directory to make for the plan's files; must not exist, and is removed afterwards. ``on_stdout`` and
    ``on_stderr`` get bytes as they come (output of prepare and cleanup steps too). ``timeout_s`` bounds the whole plan
    without its cleanup; None: ``plan.timeout_s``. ``silent_after_s`` and ``is_alive`` (node name -> answers) arm the
    watchdog, which looks at the ranks with ``look``. ``on_start`` is called once, when the program runs: it takes its
    time before it says anything, and this is the time to load what its output needs. The first SIGINT, SIGTERM or
    SIGHUP ends the run orderly, the second at once; ``Ended.reason`` tells.

    Raises SlowlinkError when the plan's files cannot be written or nothing can be started, and whatever a sink raises,
    after the run was ended.
    """
    write_files(plan, scratch)
    limit = timeout_s if timeout_s is not None else plan.timeout_s
    watchdog = (
        Watchdog(plan.nodes, is_alive, silent_after_s, look) if silent_after_s and is_alive and plan.nodes else None
    )
    with _begun(plan, scratch, grace_s) as run:
        run.on_start = on_start
        return run.until_end(on_stdout, on_stderr, limit, watchdog)


def resolved(plan: Plan, scratch: Path) -> tuple[str, ...]:
    """The plan's argv with its scratch directory filled in."""
    return _filled(plan.argv, scratch)


def _filled(argv: Sequence[str], scratch: Path) -> tuple[str, ...]:
    return tuple(word.replace(_SCRATCH, str(scratch)) for word in argv)


def write_files(plan: Plan, scratch: Path) -> None:
    """Make ``scratch`` with the plan's files in it. Raises SlowlinkError (``scratch-unwritable``)."""
    made = False
    try:
        scratch.mkdir(mode=0o700, parents=True)
        made = True
        for file in plan.files:
            path = scratch / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content, encoding="utf-8")
            path.chmod(file.mode)
    except OSError as error:
        if made:
            guard.remove(str(scratch))
        raise SlowlinkError(
            f"cannot write the launch files to {scratch}: {error.strerror}",
            hint="free some space, or set TMPDIR to a directory that can be written",
            slug="scratch-unwritable",
        ) from error


def _decoded(output: bytes) -> str:
    return output.decode("utf-8", "replace")


def _begun(plan: Plan, scratch: Path, grace_s: float) -> _Run:
    try:
        run = _Run(plan, scratch, grace_s)
        run.begin()
    except OSError as error:
        guard.remove(str(scratch))
        raise SlowlinkError(
            f"cannot start the process that watches over the run: {error.strerror or error}",
            hint="see this shell's limits of open files and processes (ulimit -n, ulimit -u), and free memory and disk",
            slug="run-unstartable",
        ) from error
    return run


class _Run:
    """One plan while it runs: the guard's process, three descriptors to read, and the signals of slowlink."""

    def __init__(self, plan: Plan, scratch: Path, grace_s: float) -> None:
        self._grace_s = grace_s
        self._scratch = scratch
        self._began, self._clock = time.time(), time.monotonic()
        self._events: dict[str, dict[str, Any]] = {}
        self._words = b""
        self._reason = "exited"
        self._detail = ""
        self._nodes: tuple[str, ...] = ()
        self._interrupts = 0
        self._told = ""
        self._old_handlers: dict[signal.Signals, Any] = {}
        self._selector = selectors.DefaultSelector()
        self.on_start: Callable[[], None] | None = None
        self._plan = plan

    def __enter__(self) -> _Run:
        return self

    def begin(self) -> None:
        """Start the guard and give it its order. Raises OSError."""
        ours, theirs = socket.socketpair()
        self._control = ours
        self._woken, self._wake_up = os.pipe()
        inherited = (theirs.fileno(), *places.held_until_end())
        with theirs, _input(self._plan.stdin) as stdin:
            self._guard = subprocess.Popen(  # noqa: S603
                # By path, isolated and without site: it needs nothing of slowlink and is there at once.
                [sys.executable, "-I", "-S", guard.__file__, *map(str, inherited)],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=inherited,
                start_new_session=True,
            )
        assert self._guard.stdout is not None
        assert self._guard.stderr is not None
        self._out, self._err = self._guard.stdout, self._guard.stderr
        for pipe in (self._out, self._err):
            _widen(pipe)
        for source in (self._out, self._err, self._control, self._woken):
            self._selector.register(source, selectors.EVENT_READ)
        # The order follows the handlers: a Ctrl-C in between must find somebody who listens.
        self._listen_to_signals()
        with suppress(OSError):
            self._control.sendall(json.dumps(self._order()).encode() + b"\n")

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        # The end of this socket is an order to end what still runs.
        self._control.close()
        self._out.close()
        self._err.close()
        try:
            self._guard.wait(self._grace_s + 60)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        os.close(self._woken)
        os.close(self._wake_up)

    def until_end(self, on_stdout: Sink, on_stderr: Sink, limit_s: float | None, watchdog: Watchdog | None) -> Ended:
        """Read and watch until everything has ended."""
        too_long = None if limit_s is None else time.monotonic() + limit_s
        open_ends = 3
        drain_until: float | None = None
        while open_ends and (drain_until is None or time.monotonic() < drain_until):
            ready = self._selector.select(self._patience(too_long, watchdog))
            for key, _ in ready:
                if key.fileobj is self._out:
                    open_ends -= self._pump(self._out, on_stdout, watchdog)
                elif key.fileobj is self._err:
                    open_ends -= self._pump(self._err, on_stderr, watchdog)
                elif key.fileobj is self._control:
                    open_ends -= self._hear()
                else:
                    os.read(self._woken, 512)
            if self._interrupts:
                self._end("interrupted", "kill" if self._interrupts > 1 else "end")
            self._keep_time(too_long, limit_s, watchdog)
            if "done" in self._events and drain_until is None:
                drain_until = time.monotonic() + _DRAIN_S
        return self._ended()

    def _patience(self, too_long: float | None, watchdog: Watchdog | None) -> float | None:
        waits = [] if watchdog is None else [_TICK_S]
        if too_long is not None and not self._told:
            waits.append(max(too_long - time.monotonic(), 0.0))
        if "done" in self._events:
            waits.append(_DRAIN_S)
        return min(waits) if waits else None

    def _pump(self, stream: IO[bytes], sink: Sink, watchdog: Watchdog | None) -> int:
        chunk = os.read(stream.fileno(), _CHUNK)
        if not chunk:
            self._selector.unregister(stream)
            return 1
        if watchdog is not None:
            watchdog.heard()
        sink(chunk)
        return 0

    def _hear(self) -> int:
        try:
            words = self._control.recv(_CHUNK)
        except OSError:
            words = b""
        if not words:
            self._selector.unregister(self._control)
            return 1
        *lines, self._words = (self._words + words).split(b"\n")
        for line in lines:
            message = json.loads(line)
            self._events[message["event"]] = message
        if self.on_start is not None and "started" in self._events:
            on_start, self.on_start = self.on_start, None
            on_start()
        return 0

    def _keep_time(self, too_long: float | None, limit_s: float | None, watchdog: Watchdog | None) -> None:
        if self._told or "ended" in self._events:
            return
        if too_long is not None and time.monotonic() >= too_long:
            self._detail = f"not finished after {limit_s:g} s"
            self._end("timeout", "end")
        elif watchdog is not None:
            given_up = watchdog.given_up()
            if given_up is not None:
                self._nodes, self._detail = given_up.nodes, given_up.detail
                self._end(given_up.reason, "end")

    def _end(self, reason: str, word: str) -> None:
        """Ask the guard, once for each word."""
        if self._told in (word, "kill"):
            return
        if not self._told and "ended" not in self._events:
            self._reason = reason
        self._told = word
        with suppress(OSError):
            self._control.sendall(word.encode() + b"\n")

    def _ended(self) -> Ended:
        ended, failed = self._events.get("ended"), self._events.get("failed")
        seconds = time.monotonic() - self._clock if ended is None else float(ended["seconds"])
        started_at = float(self._events.get("started", {}).get("at", self._began))
        left = self._events.get("done", {}).get("left", [])
        details = [self._detail, failed["detail"] if failed else ""]
        if left:
            details.append(f"processes that could not be ended: {', '.join(map(str, left))}")
        reason = self._reason
        if ended is None and reason == "exited":
            reason = "not-started"
            if failed is None:
                details.append(self._without_guard())
        return Ended(
            status=None if ended is None else ended["status"],
            signal=None if ended is None else ended["signal"],
            reason=reason,
            started_at=started_at,
            seconds=seconds,
            detail="; ".join(detail for detail in details if detail),
            nodes=self._nodes,
        )

    def _without_guard(self) -> str:
        """The guard itself was killed: end the main step's group, which is all that is known here."""
        pid = self._events.get("started", {}).get("pid")
        if pid is not None:
            guard.to_group(int(pid), signal.SIGKILL)
        guard.remove(str(self._scratch))
        return "the process that watches over the run was killed"

    def _order(self) -> dict[str, Any]:
        env = {**os.environ, **self._plan.env}
        return {
            "argv": _filled(self._plan.argv, self._scratch),
            "env": env,
            "prepare": [self._step(step.argv, step.timeout_s, env) for step in self._plan.prepare],
            "cleanup": [self._step(step.argv, step.timeout_s, env) for step in self._plan.cleanup],
            "scratch": str(self._scratch),
            "grace_s": self._grace_s,
        }

    def _step(self, argv: Sequence[str], timeout_s: float | None, env: Mapping[str, str]) -> dict[str, Any]:
        return {"argv": _filled(argv, self._scratch), "timeout_s": timeout_s, "env": env}

    def _listen_to_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup: SIGHUP stays ignored
                self._old_handlers[number] = signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (the signature of a handler)
        self._interrupts += 1
        self._detail = self._detail or f"ended by {signal.Signals(number).name}"
        os.write(self._wake_up, b".")


def _widen(pipe: IO[bytes]) -> None:
    import fcntl

    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _CHUNK)


def _input(text: str | None) -> IO[bytes]:
    """Standard input as a file, so that nobody has to write while others read."""
    if text is None:
        return Path(os.devnull).open("rb")
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    file.write(text.encode())
    file.seek(0)
    return file
