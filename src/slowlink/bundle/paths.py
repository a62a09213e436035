"""Names inside a bundle: safe on every file system, and never a way out of it."""

from __future__ import annotations

import re

LONGEST_PART = 120
LONGEST_PATH = 400
_UNSAFE = re.compile(r"[^A-Za-z0-9._+=,@:-]")


def safe_relative(name: str) -> str:
    """``name`` as a relative path that stays where it is put: odd characters become ``_``, ``..`` and the root go."""
    parts = [_UNSAFE.sub("_", part)[:LONGEST_PART] for part in name.split("/")]
    kept = [part for part in parts if part.strip(".")]
    return "/".join(kept)[:LONGEST_PATH].rstrip("/") or "unnamed"


def unique(name: str, taken: set[str]) -> str:
    """``name``, or ``name-2``, ``name-3`` ... so that it is not in ``taken``."""
    if name not in taken:
        return name
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
