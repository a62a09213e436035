"""Is a run that says nothing still alive? A cut link makes MPI wait for ever without a word.

Silence alone proves nothing: 8 GiB over a slow link take their time. A run is given up only when it is silent *and* a
node that answered when the run began does not answer any more, twice. A node that never answered (a firewall, no sshd)
says nothing about itself, so it is never blamed.
"""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Sequence

PROBE_TIMEOUT_S = 3.0
_ATTEMPTS = 2
_AT_ONCE = 64
_THERE = frozenset({errno.ECONNREFUSED, errno.ECONNRESET})


def answers(address: str, port: int = 22, timeout_s: float = PROBE_TIMEOUT_S) -> bool:
    """Does a host answer TCP? A refusal is an answer: the host is there. Never raises."""
    try:
        socket.create_connection((address, port), timeout_s).close()
    except OSError as error:
        return error.errno in _THERE
    except (ValueError, UnicodeError, OverflowError):
        return False  # no host can have such a name or port
    return True


class Watchdog:
    """Asks the nodes of one run whether they are there, in the background: the run's output is read meanwhile."""

    def __init__(self, nodes: Sequence[str], is_alive: Callable[[str], bool], silent_after_s: float) -> None:
        self._nodes = tuple(dict.fromkeys(nodes))
        self._is_alive = is_alive
        self._silent_after_s = silent_after_s
        self._last_word = time.monotonic()
        self._known: frozenset[str] = frozenset()
        self._silent: tuple[str, ...] = ()
        self._busy: threading.Thread | None = None
        self._asked_at = 0.0
        self._ask(self._learn)

    def heard(self) -> None:
        """The run said something."""
        self._last_word = time.monotonic()
        self._silent = ()

    def silent_nodes(self) -> tuple[str, ...]:
        """Nodes that stopped answering while the run is silent; empty as long as it may be alive. Does not wait."""
        now = time.monotonic()
        if self._silent:
            return self._silent
        idle = self._busy is None or not self._busy.is_alive()
        quiet = now - self._last_word >= self._silent_after_s
        if quiet and idle and self._known and now - self._asked_at >= self._silent_after_s / 2:
            self._ask(self._check)
        return ()

    def _ask(self, question: Callable[[], None]) -> None:
        self._asked_at = time.monotonic()
        self._busy = threading.Thread(target=question, daemon=True)
        self._busy.start()

    def _learn(self) -> None:
        self._known = self._answering(self._nodes)

    def _check(self) -> None:
        began = time.monotonic()
        missing: Sequence[str] = sorted(self._known, key=self._nodes.index)
        for _ in range(_ATTEMPTS):
            answering = self._answering(missing)
            missing = [node for node in missing if node not in answering]
        if missing and self._last_word < began:
            self._silent = tuple(missing)

    def _answering(self, nodes: Sequence[str]) -> frozenset[str]:
        if not nodes:
            return frozenset()
        # In the background, too: it loads logging, and the run should begin at once.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_AT_ONCE, len(nodes))) as pool:
            return frozenset(node for node, there in zip(nodes, pool.map(self._is_alive, nodes), strict=True) if there)
