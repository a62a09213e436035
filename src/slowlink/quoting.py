"""The one place where words become a shell's text: remote shells, batch scripts, what ``--dry-run`` prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping


def quote(words: Iterable[str]) -> str:
    """Words as one line that a POSIX shell, or zsh, splits into the same words."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """zsh takes the rest of a word that begins with = for the name of a program."""
    quoted = shlex.quote(word)
    return f"'{quoted}'" if quoted.startswith("=") else quoted


def assignments(env: Mapping[str, str]) -> list[str]:
    """``NAME=value`` in order of the names, quoted for a POSIX shell."""
    return [f"{name}={shlex.quote(env[name])}" for name in sorted(env)]
