"""Many things told apart in one pass, however many there are.

``x not in some`` in a loop compares each with all; so does a loop over all for each name. Twice the input is then four
times the work (tests/test_linear_facts.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def parted(items: Iterable[T], holds: Callable[[T], object]) -> tuple[list[T], list[T]]:
    """Those of which it holds, and the others; both in order."""
    those: list[T] = []
    others: list[T] = []
    for item in items:
        (those if holds(item) else others).append(item)
    return those, others


def by_key(items: Iterable[T], key_of: Callable[[T], K]) -> dict[K, list[T]]:
    """Key -> the items that have it, in order."""
    return by_keys(items, lambda item: (key_of(item),))


def by_keys(items: Iterable[T], keys_of: Callable[[T], Iterable[K]]) -> dict[K, list[T]]:
    """Key -> the items that have it, in order; an item may have several, and one twice counts twice."""
    found: dict[K, list[T]] = {}
    for item in items:
        for key in keys_of(item):
            found.setdefault(key, []).append(item)
    return found


def joined(items: Sequence[T], keys_of: Callable[[T], Iterable[K]]) -> list[list[T]]:
    """Those that share a key, directly or through others; in order of their first."""
    parents = list(range(len(items)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    first: dict[K, int] = {}
    for index, item in enumerate(items):
        for key in keys_of(item):
            parents[root(index)] = root(first.setdefault(key, index))
    found: dict[int, list[T]] = {}
    for index, item in enumerate(items):
        found.setdefault(root(index), []).append(item)
    return list(found.values())
