"""A script on some nodes that works until it is told to end: a load, something that is switched on for a while.

Each script's standard input stays open as long as it may work: it ends with us, whatever ends us, and over ssh with the
connection. Told to end, it has time to put things back; then its whole session gets SIGTERM, and SIGKILL.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

from msgspec import Struct

from slowlink.launch.fanout.end_sessions import end_sessions
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Node

_TICK_S = 0.03
_MOST_OUTPUT = 1 << 20


class HeldEnd(Struct, frozen=True):
    """What became of one script."""

    node: str
    status: int | None
    """None: it had to be killed."""
    stdout: str
    stderr: str
    started_at: float
    seconds: float
    ready: bool
    """It had said that it works."""


class _Script:
    def __init__(self, node: Node, process: subprocess.Popen[bytes], out: IO[bytes], err: IO[bytes]) -> None:
        self.node, self.process, self.out, self.err = node, process, out, err
        self.started_at, self.began = time.time(), time.monotonic()
        self.ready = False
        self.ended: float | None = None


class Held:
    """``ready``: the line that a script prints when it works. Use ``start`` and, whatever happens, ``stop``."""

    def __init__(self, nodes: Sequence[Node], script: Callable[[int], str], way: Way, ready: str) -> None:
        self._nodes, self._script, self._way = tuple(nodes), script, way
        self._ready = re.compile(rf"^{re.escape(ready)}$".encode(), re.MULTILINE)
        self._scripts: list[_Script] = []

    def start(self, patience_s: float) -> dict[str, str]:
        """Start it everywhere and wait until it works. Node -> why it does not."""
        troubles: dict[str, str] = {}
        for place, node in enumerate(self._nodes):
            try:
                self._scripts.append(self._started(place, node))
            except (OSError, ValueError) as error:
                troubles[node.name] = f"cannot start: {getattr(error, 'strerror', None) or error}"
        until = time.monotonic() + patience_s
        waiting = list(self._scripts)
        while waiting and time.monotonic() < until:
            waiting = [each for each in waiting if not self._is_ready(each) and each.process.poll() is None]
            time.sleep(_TICK_S)
        for each in self._scripts:
            if not self._is_ready(each):
                troubles[each.node.name] = _why(each, patience_s)
        return troubles

    def ended_early(self) -> dict[str, str]:
        """Node -> why, of those whose script works no more although nobody told it to end."""
        return {each.node.name: _why(each, 0.0) for each in self._scripts if each.process.poll() is not None}

    def stop(self, grace_s: float) -> list[HeldEnd]:
        """Tell all to end, and see to it."""
        for each in self._scripts:
            if each.process.stdin is not None:
                with suppress(OSError):
                    each.process.stdin.close()
        until = time.monotonic() + grace_s
        try:
            while time.monotonic() < until and any(each.process.poll() is None for each in self._scripts):
                time.sleep(_TICK_S)
        finally:
            # Also after a second Ctrl-C; and what a script left in the background here.
            left = [each.process.pid for each in self._scripts if each.process.poll() is None]
            local = [each.process.pid for each in self._scripts] if self._way.name == "local" else []
            end_sessions(sorted({*left, *local}))
        found = [self._end_of(each) for each in self._scripts]
        self._scripts = []
        return found

    def _started(self, place: int, node: Node) -> _Script:
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the script)
        process = subprocess.Popen(  # noqa: S603  argv is ours, and there is no shell here
            self._way.argv(node), stdin=subprocess.PIPE, stdout=out, stderr=err, start_new_session=True
        )
        found = _Script(node, process, out, err)
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(self._script(place).encode())
            process.stdin.flush()
        return found

    def _is_ready(self, script: _Script) -> bool:
        script.ready = script.ready or self._ready.search(_content(script.out)) is not None
        return script.ready

    def _end_of(self, script: _Script) -> HeldEnd:
        status = script.process.wait()
        out, err = _content(script.out), _content(script.err)
        script.out.close()
        script.err.close()
        return HeldEnd(
            script.node.name,
            status if status >= 0 else None,
            out.decode("utf-8", "replace"),
            err.decode("utf-8", "replace"),
            script.started_at,
            time.monotonic() - script.began,
            script.ready,
        )


def _content(file: IO[bytes]) -> bytes:
    import os

    # By its place: the process writes at the end of the same open file.
    return os.pread(file.fileno(), _MOST_OUTPUT, 0)


def _why(script: _Script, patience_s: float) -> str:
    words = _content(script.err).decode("utf-8", "replace").strip().splitlines()
    if script.process.poll() is None:
        return f"it did not say within {patience_s:g} s that it works"
    told = words[-1][:200] if words else "without a word"
    return f"it ended with status {script.process.returncode}: {told}"
