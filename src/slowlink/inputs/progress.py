"""How far the reading of inputs is, for whoever waits for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

MOST_COUNTED = 100_000
"""Files of which the sizes are added up beforehand; more would take longer to count than it is worth."""


class Progress:
    """Counts bytes as they come from disks and pipes, packed as they are there. Who shows it overrides ``moved``."""

    def __init__(self) -> None:
        self.passed = 0
        self.broken_off = False
        """Was the reading interrupted? What was read until then counts."""

    def add(self, count: int) -> None:
        self.passed += count
        self.moved()

    def moved(self) -> None:
        """Called after every piece."""


def bytes_below(paths: Sequence[str]) -> int | None:
    """Bytes of all files that are named or lie below; None where that cannot be known or takes long to count."""
    total = files = 0
    for path in paths:
        if not Path(path).is_dir():
            if not Path(path).is_file():
                return None  # a pipe
            total += Path(path).stat().st_size
            continue
        for folder, _, names in os.walk(path):
            files += len(names)
            if files > MOST_COUNTED:
                return None
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118  (this is a loop over many)
                except OSError:
                    continue
    return total
