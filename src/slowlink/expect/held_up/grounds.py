"""What a verdict rests on, and what is missing for it: records of ranks, and of sends."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from slowlink.model.timed import Timed


class Lacking(Struct, frozen=True):
    """What would have to be known before it is excluded that somebody else is to blame."""

    groups: tuple[int, ...] = ()
    """Communicators of which not all ranks are known: one that is not may be the one that was waited for."""
    sends: bool = False
    """No sends or receives that could be compared: whether it waited in them nothing tells."""

    def __bool__(self) -> bool:
        return bool(self.groups) or self.sends


def lacking_of(timed: Timed, groups: Iterable[int], *, sends: bool = False) -> Lacking:
    """Of a verdict that rests on these communicators."""
    some = sorted({number for number in groups if len(timed.groups[number].members) < timed.groups[number].nranks})
    return Lacking(tuple(some), sends)


def together(each: Iterable[Lacking]) -> Lacking:
    """What any of them lacks."""
    some = list(each)
    return Lacking(
        tuple(sorted({number for one in some for number in one.groups})),
        any(one.sends for one in some),
    )


def known_share(timed: Timed) -> float:
    """Of all places in communicators, those whose rank is known; 1 where there is no communicator."""
    places = sum(group.nranks for group in timed.groups)
    return sum(len(group.members) for group in timed.groups) / places if places else 1.0
