"""The one place where words become a shell's text: remote shells, batch scripts, what ``--dry-run`` prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping


def quote(words: Iterable[str]) -> str:
    """Words as one line that a POSIX shell splits into the same words."""
    return shlex.join(words)


def assignments(env: Mapping[str, str]) -> list[str]:
    """``NAME=value`` in order of the names, quoted for a POSIX shell."""
    return [f"{name}={shlex.quote(env[name])}" for name in sorted(env)]
