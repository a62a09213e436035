"""Which lines of a part a greedy parser may hear: some after each line that a parser wants which may be greedy."""

from __future__ import annotations

from typing import Any, Protocol

_PATIENCE = 64
"""Quiet lines at the begin of a part that may be heard."""


class Hears(Protocol):
    """How many lines are left to be heard, for each stream of one part."""

    def goes_on(self) -> bool:
        """Is any line heard that stands in no stream of its own?"""

    def begin(self, stream: str) -> None:
        """A line is wanted by somebody who may go on with what follows."""

    def hears(self, stream: str, *, quiet: bool) -> bool:
        """Is this line heard, which nobody wants? Any number of ``quiet`` ones may stand between others; but at the
        begin of a part only for so long, as no other line may come."""


class Heard(Hears):
    """Counted here."""

    def __init__(self, after: int, *, is_first: bool) -> None:
        """``after``: lines after a wanted one. ``is_first``: does nothing stand before this part? The part before may
        have ended with a line that is wanted."""
        self._after, self._at_begin = after, 0 if is_first else after
        self._left: dict[str, int] = {}
        self._waited: dict[str, int] = {}

    def goes_on(self) -> bool:
        return self._left.get("", self._at_begin) > 0

    def begin(self, stream: str) -> None:
        self._left[stream] = self._after

    def hears(self, stream: str, *, quiet: bool) -> bool:
        left = self._left.get(stream)
        if quiet:
            return left > 0 if left is not None else self._may_be_heard(stream)
        left = (self._at_begin if left is None else left) - 1
        if left >= 0:
            self._left[stream] = left
        return left >= 0

    def _may_be_heard(self, stream: str) -> bool:
        self._waited[stream] = waited = self._waited.get(stream, 0) + 1
        if waited >= _PATIENCE:
            self._left[stream] = 0
        return self._at_begin > 0


class HeardInRows(Hears):
    """Counted in machine code, which counts what it reads itself."""

    def __init__(self, native: Any) -> None:
        """``native``: reads the rows of the part."""
        self._native = native

    def goes_on(self) -> bool:
        goes_on: bool = self._native.goes_on()
        return goes_on

    def begin(self, stream: str) -> None:
        self._native.begin(_bytes(stream))

    def hears(self, stream: str, *, quiet: bool) -> bool:
        heard: bool = self._native.hears(_bytes(stream), quiet)
        return heard


def _bytes(stream: str) -> bytes:
    return stream.encode("utf-8", "surrogatepass")
