"""How many texts in other letters are read in one piece of a stream."""

from __future__ import annotations

_MOST_INNER = 4000
"""So often texts that stand in one piece in other letters are read: strings in strings, Base64, addresses."""


class TooManyReadingsError(Exception):
    """One piece holds more texts in other letters than are read."""


class Allowance:
    """How often texts in the piece at hand may still be read; all redactors of one stream share it."""

    def __init__(self) -> None:
        self.left = _MOST_INNER

    def renew(self) -> None:
        self.left = _MOST_INNER

    def take(self, times: int = 1) -> None:
        self.left -= times
        if self.left < 0:
            raise TooManyReadingsError
