"""One script on many nodes, so many at once. Nothing is installed there, and nothing is left running here.

The script goes to each node's shell by its standard input. A node that does not answer costs its own time-out and no
other's: its process is ended, the others go on. Nodes that say nothing for a while leave the window, so that dead ones
do not keep living ones waiting. The first Ctrl-C, SIGTERM or SIGHUP ends all processes and becomes a KeyboardInterrupt.
"""

from __future__ import annotations

import errno
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import IO, Any

from msgspec import Struct, field

from slowlink.launch.fanout.end_sessions import GRACE_S, end_sessions, signal_sessions
from slowlink.launch.fanout.no_answer import words_of
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Node

MOST_OUTPUT = 16 << 20
"""Bytes of each stream of a node that are kept; what comes after them is read and dropped."""
_CHUNK = 1 << 16
_TICK_S = 0.1
_REAP_S = 0.002
_SILENT_S = 3.0
"""A node that has said nothing for so long is not counted in the window any more."""
_WAITING = 3
"""So many times the window may wait for silent nodes besides."""
_DRAIN_S = 1.0
"""How long a stream may stay open after its process: something that it started may hold it for ever."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Answer(Struct, frozen=True):
    """What one node said."""

    node: str
    status: int | None
    """Of the script, or of the way to it; None when it was ended or never began."""
    stdout: str
    """UTF-8; what is none became U+FFFD. Also of a node in trouble: as far as it came."""
    stderr: str
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    trouble: str
    """Empty when the script ran to its end and all of its output is here; else why not, in words."""


def ask(
    nodes: Sequence[Node],
    script: str,
    way: Way,
    *,
    timeout_s: float,
    fanout: int = 64,
    on_answer: Callable[[Answer], None] | None = None,
) -> list[Answer]:
    """Run ``script`` by ``sh -s`` on every node and give the answers in the order of ``nodes``.

    ``timeout_s`` is each node's own. ``on_answer`` hears of each as it comes. Never raises for what a node does.
    Raises KeyboardInterrupt after everything was ended.
    """
    found: dict[int, Answer] = {}
    for number, answer in answers(nodes, script, way, timeout_s=timeout_s, fanout=fanout):
        found[number] = answer
        if on_answer is not None:
            on_answer(answer)
    return [found[number] for number in range(len(nodes))]


def answers(
    nodes: Sequence[Node],
    script: str | Callable[[int], str],
    way: Way,
    *,
    timeout_s: float,
    fanout: int = 64,
    stop: threading.Event | None = None,
    most_output: int | None = None,
    held: bool = False,
) -> Iterator[tuple[int, Answer]]:
    """As ``ask``, one by one as they come, with the node's place in ``nodes``: for answers too large to keep.

    ``script``: the same for all, or what gives the one of the node in this place.
    ``stop``: once set, scripts that still run are ended, and what they have printed is their answer: for scripts that
    run until they are told. With it, the first Ctrl-C sets it, and only the second raises. ``most_output``: bytes of a
    stream that are kept, where they are not ``MOST_OUTPUT``. ``held``: a script's standard input stays open behind it,
    as long as it is listened to: for those that must end when we are gone.
    """
    most_output = most_output or MOST_OUTPUT
    of_place = (lambda _: script) if isinstance(script, str) else script
    with _FanOut(nodes, of_place, way, timeout_s, max(1, fanout), stop, most_output, held) as work:
        yield from work.until_end()


class _Asked(Struct):
    """One node while it is asked."""

    number: int
    node: Node
    process: subprocess.Popen[bytes]
    started_at: float
    began: float
    """By the clock that never goes back."""
    waited: float = 0.0
    """For us, while answers of others were worked on."""
    streams: dict[int, bytearray] = field(default_factory=dict)
    """Of its open streams: descriptor -> what came."""
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)
    cut: bool = False
    late: bool = False
    stopped: bool = False
    kill_at: float | None = None
    ended: float | None = None

    @property
    def silent(self) -> bool:
        return not self.out and time.monotonic() - self.began > _SILENT_S


class _FanOut:
    """The processes of one question."""

    def __init__(
        self,
        nodes: Sequence[Node],
        script: Callable[[int], str],
        way: Way,
        timeout_s: float,
        fanout: int,
        stop: threading.Event | None = None,
        most_output: int = MOST_OUTPUT,
        held: bool = False,
    ) -> None:
        self._todo = deque(enumerate(nodes))
        self._script, self._way, self._timeout_s, self._window = script, way, timeout_s, fanout
        self._asked: dict[int, _Asked] = {}
        self._selector = selectors.DefaultSelector()
        self._stop = stop
        self._most_output = most_output
        self._held = held
        self._inputs: list[int] = []
        """Our ends of what scripts read."""
        self._interrupted = False
        self._old_handlers: dict[signal.Signals, Any] = {}
        self._done: list[tuple[int, Answer]] = []

    def __enter__(self) -> _FanOut:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._old_handlers[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            end_sessions([asked.process.pid for asked in self._asked.values()])
            for asked in self._asked.values():
                self._close(asked)
                asked.process.wait()
        finally:
            self._selector.close()
            for descriptor in self._inputs:
                os.close(descriptor)
            for number, handler in self._old_handlers.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (the signature of a handler)
        if self._stop is None or self._stop.is_set():
            self._interrupted = True
        else:
            self._stop.set()

    def until_end(self) -> Iterator[tuple[int, Answer]]:
        while self._todo or self._asked:
            self._fill()
            # A stream's end comes a moment before its process can be asked how it ended.
            reaping = any(not asked.streams for asked in self._asked.values())
            for key, _ in self._selector.select(_REAP_S if reaping else _TICK_S):
                self._read(key.data, key.fd)
            self._keep_time()
            ready, self._done = self._done, []
            for each in ready:
                if self._interrupted:
                    break
                handed_out = time.monotonic()
                yield each
                self._do_not_count(time.monotonic() - handed_out)
            if self._interrupted:
                raise KeyboardInterrupt

    def _do_not_count(self, seconds: float) -> None:
        """Nobody listened meanwhile: it is no time that nodes took."""
        for asked in self._asked.values():
            asked.waited += seconds

    def _fill(self) -> None:
        silent = sum(asked.silent for asked in self._asked.values()) if len(self._asked) >= self._window else 0
        room = self._window + min(silent, _WAITING * self._window) - len(self._asked)
        while self._todo and room > 0 and not self._interrupted:
            self._start(*self._todo.popleft())
            room -= 1

    def _start(self, number: int, node: Node) -> None:
        started_at, began, argv = time.time(), time.monotonic(), self._way.argv(node)
        try:
            with self._input(self._script(number).encode()) as stdin:
                process = subprocess.Popen(  # noqa: S603  argv is ours, and there is no shell here
                    argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
                )
        except (OSError, ValueError) as error:
            words = f"cannot start {argv[0]}: {getattr(error, 'strerror', None) or error}"
            self._done.append((number, Answer(node.name, None, "", "", started_at, 0.0, words)))
            return
        asked = self._asked[process.pid] = _Asked(number, node, process, started_at, began)
        for stream, kept in ((process.stdout, asked.out), (process.stderr, asked.err)):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            asked.streams[stream.fileno()] = kept
            self._selector.register(stream, selectors.EVENT_READ, asked)

    @contextmanager
    def _input(self, script: bytes) -> Iterator[int]:
        """The script to read. A file of its own without a name: it is gone with its process, also when we are killed.
        Held open, it is a pipe whose other end is ours until all have ended: it closes with us, whatever ends us."""
        if not self._held:
            with tempfile.TemporaryFile() as file:
                file.write(script)
                file.seek(0)
                yield file.fileno()
            return
        theirs, ours = os.pipe()
        self._inputs.append(ours)
        try:
            os.set_blocking(ours, False)
            if os.write(ours, script) < len(script):
                raise OSError(errno.E2BIG, "the script does not fit into a pipe")
            yield theirs
        finally:
            os.close(theirs)

    def _read(self, asked: _Asked, descriptor: int) -> None:
        kept = asked.streams.get(descriptor)
        if kept is None:
            return  # closed by an event before this one
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._close_one(asked, descriptor)
            return
        room = self._most_output - len(kept)
        asked.cut = asked.cut or len(chunk) > room
        kept += chunk[: max(room, 0)]

    def _keep_time(self) -> None:
        now = time.monotonic()
        stopping = self._stop is not None and self._stop.is_set()
        if stopping:
            self._todo.clear()
        for asked in list(self._asked.values()):
            if asked.process.poll() is not None:
                asked.ended = asked.ended or now
                if not asked.streams or now - asked.ended >= _DRAIN_S:
                    self._finish(asked)
            elif asked.kill_at is None and (stopping or now - asked.began - asked.waited >= self._timeout_s):
                asked.late, asked.stopped, asked.kill_at = not stopping, stopping, now + GRACE_S
                signal_sessions([asked.process.pid], signal.SIGTERM)
            elif asked.kill_at is not None and now >= asked.kill_at:
                asked.kill_at = float("inf")
                signal_sessions([asked.process.pid], signal.SIGKILL)

    def _finish(self, asked: _Asked) -> None:
        self._close(asked)
        del self._asked[asked.process.pid]
        if asked.late or asked.stopped or self._way.name == "local":
            # Where the script ran here, what it left in the background is here, too.
            end_sessions([asked.process.pid])
        stderr = _text(asked.err)
        answer = Answer(
            node=asked.node.name,
            status=None if asked.late or asked.process.returncode < 0 else asked.process.returncode,
            stdout=_text(asked.out),
            stderr=stderr,
            started_at=asked.started_at,
            seconds=(asked.ended or asked.began) - asked.began,
            trouble=self._trouble(asked, stderr),
        )
        self._done.append((asked.number, answer))

    def _trouble(self, asked: _Asked, stderr: str) -> str:
        status = asked.process.returncode
        if asked.stopped:
            return ""
        if asked.late:
            return f"{'not finished' if asked.out else 'no answer'} within {self._timeout_s:g} s"
        if status < 0:
            return f"ended by signal {-status}"
        if status and self._way.lost(status, stderr):
            # ssh ends without a word when a server that had answered is silent.
            return words_of(stderr, status) if stderr.strip() or not asked.out else "the connection was lost"
        return f"more than {self._most_output >> 20} MiB of output; the rest was dropped" if asked.cut else ""

    def _close(self, asked: _Asked) -> None:
        for descriptor in list(asked.streams):
            self._close_one(asked, descriptor)

    def _close_one(self, asked: _Asked, descriptor: int) -> None:
        del asked.streams[descriptor]
        stream: IO[bytes] | None
        for stream in (asked.process.stdout, asked.process.stderr):
            if stream is not None and not stream.closed and stream.fileno() == descriptor:
                self._selector.unregister(stream)
                stream.close()


def _text(output: bytearray) -> str:
    return output.decode("utf-8", "replace")
