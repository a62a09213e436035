"""What a Python process does, by the frames of its stack, from ``python_frames.toml``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table


class Work(Struct, frozen=True):
    """One kind of work."""

    name: str
    """``data``, ``checkpoint``, ``collective`` ..."""
    words: str
    """Behind "it": ``reads or decodes data``."""
    weak: bool
    """Counts only where no other frame is known."""
    frames: tuple[re.Pattern[str], ...]

    def shows_in(self, frame: str) -> bool:
        return any(pattern.search(frame) for pattern in self.frames)


def work_of(frames: Sequence[str]) -> Work | None:
    """What these frames, innermost first, are about; None for frames of which nothing is known."""
    for weak in (False, True):
        for frame in frames:
            found = next((each for each in _works() if each.weak is weak and each.shows_in(frame)), None)
            if found is not None:
                return found
    return None


@cache
def _works() -> tuple[Work, ...]:
    return tuple(
        Work(
            entry["work"],
            entry["words"],
            entry.get("weak", False),
            tuple(re.compile(pattern, re.IGNORECASE) for pattern in entry["frames"]),
        )
        for entry in table("programs/python_frames.toml")["entry"]
    )
