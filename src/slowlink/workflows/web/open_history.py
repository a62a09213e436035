"""The history, held open between requests. One that was moved away, or made anew, is then opened as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from slowlink.errors import SlowlinkError
from slowlink.store.connect import Store, open_store
from slowlink.store.newest import KeptSoFar, kept_so_far
from slowlink.store.place import is_postgresql

FRESH_S = 1.0
"""What is shown may be so old."""


class OpenHistory:
    """For several threads."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._lock = Lock()
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None
        self._kept: KeptSoFar | None = None
        self._looked_at = float("-inf")
        self.generation = 0
        """Grows with every look that finds something new: an answer of an earlier one may hold no more."""
        self.opened = 0
        """Grows whenever another store was opened: runs of an earlier one are none of it."""

    @property
    def is_fresh(self) -> bool:
        """Was it looked at just now?"""
        return monotonic() - self._looked_at < FRESH_S

    def look(self) -> None:
        """See whether anything was kept since. Raises SlowlinkError."""
        with self._lock:
            if self.is_fresh:
                return
            try:
                kept = kept_so_far(self._now())
            except SlowlinkError:
                self._let_go()
                raise
            if kept != self._kept:
                self._kept = kept
                self.generation += 1
            self._looked_at = monotonic()

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """The open store. Raises SlowlinkError; after one it is opened anew."""
        with self._lock:
            store = self._now()
        try:
            yield store
        except SlowlinkError as error:
            if error.slug == "history-unusable":
                with self._lock:
                    self._let_go()
            raise

    def close(self) -> None:
        """Give everything back."""
        with self._lock:
            self._let_go()

    def _now(self) -> Store:
        file = self._identity()
        if self._store is None or file != self._file:
            self._let_go()
            self._store = open_store(self._place, create=False)
            self._file = self._identity()
            self.opened += 1
            self.generation += 1
        return self._store

    def _identity(self) -> tuple[int, int] | None:
        if is_postgresql(self._place):
            return None
        try:
            found = os.stat(self._place)  # noqa: PTH116  (asked for each page)
        except OSError:
            return (0, 0)
        return (found.st_dev, found.st_ino)

    def _let_go(self) -> None:
        store, self._store, self._kept = self._store, None, None
        self._looked_at = float("-inf")
        if store is not None:
            store.close()
