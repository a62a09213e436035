"""Pages that were made once, until what they show is not so any more: fifty readers cost as much as one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
_LOCKS = 64


class Remembered(Generic[T]):
    """By key, the one that was asked for longest ago goes first. For several threads; one at a time makes what several
    ask for."""

    def __init__(self, most: int, size: Callable[[T], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._held: OrderedDict[Hashable, T] = OrderedDict()
        self._total = 0
        self._lock = Lock()
        self._making = tuple(Lock() for _ in range(_LOCKS))

    def known(self, key: Hashable) -> T | None:
        """Without making it."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key]

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` gives, now or earlier."""
        found = self.known(key)
        if found is not None:
            return found
        with self._making[hash(key) % _LOCKS]:
            found = self.known(key)
            if found is None:
                found = make()
                self._keep(key, found)
            return found

    def _keep(self, key: Hashable, value: T) -> None:
        with self._lock:
            if (old := self._held.pop(key, None)) is not None:
                self._total -= self._size(old)
            self._held[key] = value
            self._total += self._size(value)
            while self._total > self._most and self._held:
                self._total -= self._size(self._held.popitem(last=False)[1])
