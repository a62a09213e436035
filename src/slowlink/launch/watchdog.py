"""Is a run that says nothing still alive? A cut link makes MPI wait for ever without a word.

Silence alone proves nothing: 8 GiB over a slow link take their time. A run is given up only when it is silent *and* a
node that answered when the run began does not answer any more, twice, or two looks at the ranks' processes saw the same
rank stopped or gone. A node that never answered (a firewall, no sshd) says nothing about itself, so it is never blamed.
"""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

PROBE_TIMEOUT_S = 3.0
_ATTEMPTS = 2
_LOOKS = 3
"""So many looks at the ranks while the run may be silent."""
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


class GivenUp(NamedTuple):
    """Why a run is given up: ``reason`` is that of its ``model.plan.Ended``."""

    reason: str
    detail: str
    nodes: tuple[str, ...]


Look = Callable[[], tuple[str, tuple[str, ...]]]
"""Gives words and nodes of ranks that certainly stand still; ("", ()) for none."""


class Watchdog:
    """Asks after the nodes and the ranks of one run in the background: the run's output is read meanwhile."""

    def __init__(
        self, nodes: Sequence[str], is_alive: Callable[[str], bool], silent_after_s: float, look: Look | None = None
    ) -> None:
        self._nodes = tuple(dict.fromkeys(nodes))
        self._is_alive = is_alive
        self._silent_after_s = silent_after_s
        self._look = look
        self._last_word = time.monotonic()
        self._known: frozenset[str] = frozenset()
        self._found: GivenUp | None = None
        self._busy: threading.Thread | None = None
        self._looking: threading.Thread | None = None
        """On its own: a login to a node that is gone takes long, and may not keep that from being seen."""
        self._asked_at = self._looked_at = 0.0
        self._ask(self._learn)

    def heard(self) -> None:
        """The run said something."""
        self._last_word = time.monotonic()
        self._found = None

    def given_up(self) -> GivenUp | None:
        """Why the run is not alive; None as long as it may be. Does not wait."""
        now = time.monotonic()
        silent_s = now - self._last_word
        if self._found is not None and silent_s >= self._silent_after_s:
            return self._found
        idle = self._busy is None or not self._busy.is_alive()
        late = silent_s >= self._silent_after_s and now - self._asked_at >= self._silent_after_s / 2
        if self._known and idle and late:
            self._ask(self._check)
        if self._look is not None and self._is_time_to_look(now, silent_s):
            self._looked_at = now
            self._looking = _started(self._see)
        return None

    def _is_time_to_look(self, now: float, silent_s: float) -> bool:
        """Twice before the run may be given up, and rarely later: a look is a login on each node."""
        if self._looking is not None and self._looking.is_alive():
            return False
        pause = self._silent_after_s / (_LOOKS if silent_s < self._silent_after_s else 1)
        return silent_s >= self._silent_after_s / _LOOKS and now - self._looked_at >= pause

    def _ask(self, question: Callable[[], None]) -> None:
        self._asked_at = time.monotonic()
        self._busy = _started(question)

    def _learn(self) -> None:
        self._known = self._answering(self._nodes)

    def _check(self) -> None:
        began = time.monotonic()
        missing: Sequence[str] = sorted(self._known, key=self._nodes.index)
        for _ in range(_ATTEMPTS):
            answering = self._answering(missing)
            missing = [node for node in missing if node not in answering]
        if missing and self._last_word < began:
            self._found = GivenUp(
                "silent", f"no output, and no answer any more from {', '.join(missing)}", tuple(missing)
            )

    def _see(self) -> None:
        assert self._look is not None
        began = time.monotonic()
        words, nodes = self._look()
        if words and self._last_word < began:
            self._found = GivenUp("standing", words, nodes)

    def _answering(self, nodes: Sequence[str]) -> frozenset[str]:
        if not nodes:
            return frozenset()
        # In the background, too: it loads logging, and the run should begin at once.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_AT_ONCE, len(nodes))) as pool:
            return frozenset(node for node, there in zip(nodes, pool.map(self._is_alive, nodes), strict=True) if there)


def _started(question: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=question, daemon=True)
    thread.start()
    return thread
