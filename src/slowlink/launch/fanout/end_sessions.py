"""Ends process sessions: what ``timeout`` and shells start has a group of its own, but the session of its parent."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from slowlink.launch import guard

GRACE_S = 2.0
"""Between SIGTERM and SIGKILL: srun ends its step on the node, ssh closes its channel."""
_LOOK_S = 0.02
_LAST_S = 2.0
"""How long after SIGKILL a process may take to go; one that hangs in the kernel does not go at all."""


def end_sessions(leaders: Sequence[int], grace_s: float = GRACE_S) -> None:
    """End every process of these sessions: SIGTERM, after the grace SIGKILL. Waits for their end."""
    if not leaders:
        return
    until = time.monotonic() + grace_s
    signal_sessions(leaders, signal.SIGTERM)
    while members(leaders):
        now = time.monotonic()
        if now >= until + _LAST_S:
            return
        if now >= until:
            signal_sessions(leaders, signal.SIGKILL)
        time.sleep(_LOOK_S)


def signal_sessions(leaders: Sequence[int], number: int) -> None:
    """Signal the sessions that these processes, our children, lead or led. Where there is no /proc: their groups."""
    if not sys.platform.startswith("linux"):
        for leader in leaders:
            guard.to_group(leader, number)
    for pid in members(leaders):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def members(leaders: Sequence[int]) -> list[int]:
    """Living processes of these sessions, as Linux's /proc tells; empty elsewhere.

    The kernel gives no new process the number of a session that still has a member.
    """
    wanted = set(leaders)
    try:
        names = os.listdir("/proc")  # noqa: PTH208  (a Path a process is slow)
    except OSError:
        return []
    found = []
    for name in names:
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                # The program's name in brackets may hold anything, blanks and brackets too.
                state, _, _, session = file.read().rpartition(b")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if state not in (b"Z", b"X") and int(session) in wanted:
            found.append(int(name))
    return found
