"""Who waits for whom: from what every rank has not finished to the ranks that hold all others up.

Each rank that waits is blocked in its oldest unfinished operation. That operation lacks the ranks that have not
enqueued it, and those that are themselves blocked in something older. Following these arrows ends at ranks that wait
for nobody: they are the ones to look at. The idea is that of PyTorch's own analyzer (``torchfrtrace``), taken across
process groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.hang.progress import Key, Progress
from slowlink.model.hang import Blocked, FlightEntry, ProcessGroup, Wait
from slowlink.patterns import regex

_P2P = regex(r"(?P<what>send|recv) (?P<me>\d{1,9})(?P<arrow>->|<-)(?P<peer>\d{1,9})")
_OTHER_SIDE = {"send": ("recv", "<-"), "recv": ("send", "->")}


class Blame(Struct, frozen=True):
    """The end of all arrows."""

    waits: tuple[Wait, ...]
    blocked: tuple[Blocked, ...]
    circle: tuple[Wait, ...]
    together: tuple[Wait, ...]


def blame(ranks: Mapping[int, Progress]) -> Blame:
    """Waits of all ranks, and where they end."""
    heads = {rank: _key_of(each, each.oldest) for rank, each in ranks.items() if each.oldest is not None}
    found: dict[Key | tuple[Key, int], Wait] = {}
    wait_of: dict[int, Wait] = {}
    inside: dict[Key, list[int]] = {}
    for rank, key in heads.items():
        inside.setdefault(key, []).append(rank)
    for rank, key in heads.items():
        at = (key, rank) if key.p2p else key
        if at not in found:
            found[at] = _pair(rank, key, ranks, heads) if key.p2p else _collective(key, ranks, inside[key])
        wait_of[rank] = found[at]
    lacks = {rank: (*wait.absent, *wait.elsewhere, *wait.unknown) for rank, wait in wait_of.items()}
    waits = tuple(sorted(found.values(), key=lambda wait: (-len(wait.waiting), wait.group.name, wait.seq)))
    wanted = {rank for lacking in lacks.values() for rank in lacking}
    ends = sorted(rank for rank in wanted if not lacks.get(rank))
    together = tuple(wait for wait in waits if _all_there(wait) and not wanted.intersection(wait.waiting))
    waits_for: dict[int, list[Wait]] = {}
    for wait in waits:
        for rank in (*wait.absent, *wait.elsewhere, *wait.unknown):
            waits_for.setdefault(rank, []).append(wait)
    blocked = _surest([_blocked(rank, ranks.get(rank), waits_for[rank]) for rank in ends])
    circle = () if blocked or together or not waits else _circle(wait_of, lacks)
    return Blame(waits, blocked, circle, together)


def _surest(ends: list[Blocked]) -> tuple[Blocked, ...]:
    """Those whose own dump shows it; else those that left none; else those whose dump does not tell."""
    for reasons in (("absent", "behind"), ("silent",), ("idle",)):
        if found := tuple(each for each in ends if each.reason in reasons):
            return found
    return ()


def _key_of(progress: Progress, entry: FlightEntry) -> Key:
    return next(key for key, each in progress.unfinished.items() if each is entry)


def _collective(key: Key, ranks: Mapping[int, Progress], waiting: Iterable[int]) -> Wait:
    """Where each member of the group stands in one collective that these ranks wait in."""
    members = key.group.ranks or [rank for rank, each in ranks.items() if (key.group, False) in each.last]
    places: dict[str, list[int]] = {"waiting": list(waiting), "absent": [], "elsewhere": [], "done": [], "unknown": []}
    for rank in set(members).difference(places["waiting"]):
        progress = ranks.get(rank)
        stage: str = "unknown" if progress is None else progress.stage(key)
        places["elsewhere" if stage == "waiting" else stage].append(rank)
    return _wait(key, places, ranks)


def _pair(rank: int, key: Key, ranks: Mapping[int, Progress], heads: Mapping[int, Key]) -> Wait:
    """A send or recv of one rank, and its peer."""
    places: dict[str, list[int]] = {"waiting": [rank], "absent": [], "elsewhere": [], "done": [], "unknown": []}
    peer, counterpart = _peer(key.group, ranks[rank].unfinished[key])
    if peer is not None and peer != rank:
        places[_stage_of_peer(ranks.get(peer), heads.get(peer), key.group, counterpart)].append(peer)
    return _wait(key, places, ranks)


def _peer(group: ProcessGroup, entry: FlightEntry) -> tuple[int | None, str]:
    """Global rank of the other side, and how its own entry must read."""
    found = _P2P.match(entry.operation)
    number = int(found["peer"]) if found else -1
    if not found or not 0 <= number < len(group.ranks):
        return None, ""
    what, arrow = _OTHER_SIDE[found["what"]]
    return group.ranks[number], f"{what} {found['peer']}{arrow}{found['me']}"


def _stage_of_peer(peer: Progress | None, head: Key | None, group: ProcessGroup, counterpart: str) -> str:
    if peer is None or peer.dump.partial:
        return "unknown"
    matching = {key for key, each in peer.unfinished.items() if key.group is group and each.operation == counterpart}
    if head in matching:
        return "waiting"
    return "elsewhere" if matching else "absent"


def _wait(key: Key, places: Mapping[str, list[int]], ranks: Mapping[int, Progress]) -> Wait:
    first = places["waiting"][0]
    entry = ranks[first].unfinished[key]
    group = (
        key.group if key.group.ranks else replace(key.group, ranks=tuple(sorted(chain.from_iterable(places.values()))))
    )
    if not group.description and entry.description:
        group = replace(group, description=entry.description)
    ordered = {name: tuple(sorted(members)) for name, members in places.items()}
    return Wait(group=group, operation=entry.operation, seq=key.seq, p2p=key.p2p, sample=(first, entry), **ordered)


def _all_there(wait: Wait) -> bool:
    """Every rank entered, none finished: what carries the operation is at fault, not a rank that did not come."""
    return not (wait.absent or wait.elsewhere or wait.unknown or wait.done) and len(wait.waiting) > 1


def _blocked(rank: int, progress: Progress | None, waits: Iterable[Wait]) -> Blocked:
    """A rank with what others wait for it in."""
    mine = tuple(waits)
    if progress is None:
        return Blocked(rank, "silent", mine, None, None)
    status = progress.status.get(mine[0].group.name) if mine else None
    last = status.enqueued if status is not None else None
    if mine and last is None:
        last = next(
            (seq for (group, p2p), seq in progress.last.items() if group.name == mine[0].group.name and not p2p), None
        )
    return Blocked(rank, _reason(progress, mine), mine, progress.oldest, last)


def _reason(progress: Progress, waits: Iterable[Wait]) -> Literal["absent", "behind", "idle", "silent"]:
    if progress.oldest is not None:
        return "behind"
    if progress.dump.partial:
        return "silent"
    return "absent" if any(progress.dump.rank in wait.absent for wait in waits) else "idle"


def _circle(wait_of: Mapping[int, Wait], lacks: Mapping[int, tuple[int, ...]]) -> tuple[Wait, ...]:
    """The operations of one circle of ranks that wait for one another; found by walking until a rank comes again."""
    rank = min(wait_of)
    seen: dict[int, int] = {}
    path: list[int] = []
    while rank not in seen:
        seen[rank] = len(path)
        path.append(rank)
        following = [other for other in lacks.get(rank, ()) if other in wait_of]
        if not following:
            return ()
        rank = following[0]
    return tuple(dict.fromkeys(wait_of[each] for each in path[seen[rank] :]))
