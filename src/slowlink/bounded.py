"""A shell's ``$limit``: a word before a program that bounds its time, also of one that takes no notice of SIGTERM."""

from __future__ import annotations

_GRACE_S = 2


def limit_line(seconds: int) -> str:
    """A line of POSIX sh that sets it. Empty where there is no timeout(1); BusyBox's old ones know no ``-k``."""
    return (
        f"limit=; if timeout -k 1 5 true 2>/dev/null; then limit='timeout -k {_GRACE_S} {seconds}'; "
        f"elif timeout 5 true 2>/dev/null; then limit='timeout {seconds}'; fi"
    )
