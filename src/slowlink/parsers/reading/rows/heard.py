"""Which lines of a part a greedy parser may hear: some after each line that a parser wants which may be greedy."""

from __future__ import annotations

_PATIENCE = 64
"""Quiet lines at the begin of a part that may be heard."""


class Heard:
    """How many lines are left to be heard, for each stream of one part."""

    def __init__(self, after: int, *, is_first: bool) -> None:
        """``after``: lines after a wanted one. ``is_first``: does nothing stand before this part? The part before may
        have ended with a line that is wanted."""
        self._after, self._at_begin = after, 0 if is_first else after
        self._left: dict[str, int] = {}
        self._waited: dict[str, int] = {}

    def goes_on(self) -> bool:
        """Is any line heard that stands in no stream of its own?"""
        return self._left.get("", self._at_begin) > 0

    def begin(self, stream: str) -> None:
        """A line is wanted by somebody who may go on with what follows."""
        self._left[stream] = self._after

    def hears(self, stream: str, *, quiet: bool) -> bool:
        """Is this line heard, which nobody wants? Any number of ``quiet`` ones may stand between others; but at the
        begin of a part only for so long, as no other line may come."""
        left = self._left.get(stream)
        if quiet:
            return left > 0 if left is not None else self._may_be_heard(stream)
        left = (self._after if left is None else left) - 1
        if left >= 0:
            self._left[stream] = left
        return left >= 0

    def _may_be_heard(self, stream: str) -> bool:
        self._waited[stream] = waited = self._waited.get(stream, 0) + 1
        if waited >= _PATIENCE:
            self._left[stream] = 0
        return self._at_begin > 0
