"""The judgement: who is late without having waited for anybody, and what is slow though nobody is late."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf

from msgspec import Struct

from slowlink.expect.held_up.grounds import Lacking, lacking_of
from slowlink.expect.held_up.lateness import Lateness, lateness_of
from slowlink.expect.held_up.marks import Mark, Tolerances, alike_of, marks_of, share_of
from slowlink.expect.held_up.neighbours import late_too
from slowlink.expect.held_up.places import Place, places_of
from slowlink.expect.held_up.since import late_since, slow_since
from slowlink.expect.held_up.transfers import SlowTransfer, judged_transfers
from slowlink.expect.held_up.unseen_sends import told_apart
from slowlink.expect.held_up.victims import Explained
from slowlink.model.timed import Timed

_PARTS = tuple(slice(start, 1000) for start in (0, 500, 750, 900))
"""All calls, and the last of them, in per mille: what began lately is not seen in the middle of all."""
_MOST_ASKED = 8
"""Late processes that are asked since when: they are of one cause, or too many."""


class Late(Struct, frozen=True, eq=False):
    """A process that comes late without having waited for another."""

    process: int
    lateness: Lateness
    """Of the communicator in which it costs most."""
    member: int
    share: float | None
    """Of the time of the job that the others wait for it; None where nothing tells how long that was."""
    lately: bool
    """Seen in the last of the calls alone."""
    lacking: Lacking
    """What keeps it open whether it waited for another."""


class Slow(Struct, frozen=True, eq=False):
    """A part of the network that is slow though everybody is there."""

    transfers: tuple[SlowTransfer, ...]
    place: Place
    lately: bool
    lacking: Lacking
    """A rank that is not known may be the last to come: then the shortest time that is known is waiting."""


class HeldUp(Struct, frozen=True, eq=False):
    """Who and what."""

    late: tuple[Late, ...]
    slow: tuple[Slow, ...]
    compared: int
    """Processes whose arrival could be judged."""
    transfers: int
    """Transfers that could be."""
    undecided: tuple[Late, ...] = ()
    """Where nobody is late: processes that come last call after call, and stand no further from their like than these
    from one another. One of two is always the last; where most are late, the others are early."""


def held_up(timed: Timed, tolerances: Tolerances) -> HeldUp:
    """Judged over all calls; where that finds nothing, over the last half, quarter and tenth. What began in the course
    of the job is judged once more from then on: before, its victims were sound."""
    tolerances = tolerances._replace(false_alarms=tolerances.false_alarms / len(_PARTS))
    found, seen_from = _first_found(timed, tolerances)
    if found.late and not found.slow:  # somebody may be late because of what is slow only now
        newest = _judged(timed, tolerances, _PARTS[-1])
        found, seen_from = (newest, _PARTS[-1].start) if newest.slow else (found, seen_from)
    start = _began(timed, found)
    if start > seen_from:
        again = _judged(timed, tolerances, slice(start, 1000))
        found = again if again.late or again.slow else found
    return found


def _first_found(timed: Timed, tolerances: Tolerances) -> tuple[HeldUp, int]:
    """Of the first part of the calls that shows anybody, with its begin; else of the first that leaves it open; else of
    all."""
    nobody = []
    for part in _PARTS:
        found = _judged(timed, tolerances, part)
        if found.late or found.slow:
            return found, part.start
        nobody.append((found, part.start))
    return next((each for each in nobody if each[0].undecided), nobody[0])


def _began(timed: Timed, found: HeldUp) -> int:
    """Per mille of the calls, of the last that began; 0 where nothing did."""
    told = [late_since(timed, late.lateness, late.member) for late in found.late[:_MOST_ASKED]]
    told += [slow_since(timed.groups[each.transfer.group], each) for slow in found.slow for each in slow.transfers[:1]]
    return max((-(-1000 * since.call // since.of) for since in told if since is not None), default=0)


def _judged(timed: Timed, tolerances: Tolerances, part: slice) -> HeldUp:
    transfers = judged_transfers(
        timed,
        part,
        fewest_calls=max(1, tolerances.fewest_calls // 2),
        fewest_alike=tolerances.fewest_alike,
        least=tolerances.least_slower,
        false_alarms=tolerances.false_alarms / 2,
    )
    each = [
        one
        for number, group in enumerate(timed.groups)
        for one in lateness_of(number, group, part, tolerances.fewest_calls)
    ]
    lately = part.start > 0
    marks = list(marks_of(timed, each, tolerances))
    late, undecided = _roots(timed, each, marks, Explained(timed, each, marks, transfers, part), lately=lately)
    places = places_of(transfers, timed) if transfers.slow else ()
    slow = tuple(
        Slow(some, place, lately, lacking_of(timed, (one.transfer.group for one in some))) for place, some in places
    )
    if slow and timed.sends_unseen:
        late = ()  # who comes out of what is slow comes late, and by which way is not told
    compared = {
        member.process
        for some, spread in alike_of(timed, each)
        if spread < inf
        for one in some
        for member in timed.groups[one.group].members
    }
    judged = len(transfers.slow) + len(transfers.sound)
    return HeldUp(late, slow, len(compared), judged, () if late or slow else undecided)


def _roots(
    timed: Timed, each: Sequence[Lateness], marks: Sequence[Mark], explained: Explained, *, lately: bool
) -> tuple[tuple[Late, ...], tuple[Late, ...]]:
    """Who is late for nobody; and where that is nobody, those of whom it is open."""
    late = _of_processes(mark for mark in marks if mark.apart)
    roots = {process: mine for process, mine in late.items() if not explained.is_victim(process, mine)}
    roots |= late_too(timed, each, roots, explained.is_victim)
    if roots and 2 * len(roots) <= len(timed.processes):
        told = told_apart(timed, roots) if timed.sends_unseen else roots
        if told:
            return tuple(_late(process, mine, explained, lately=lately) for process, mine in sorted(told.items())), ()
    # Where most are late, the others are early; where all waited for another, the one that all wait for is unknown.
    some = roots or _of_processes(marks)
    return (), tuple(_late(process, mine, explained, lately=lately) for process, mine in sorted(some.items()))


def _of_processes(marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    found: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        found[mark.process].append(mark)
    return found


def _late(process: int, marks: Sequence[Mark], explained: Explained, *, lately: bool) -> Late:
    worst = max(marks, key=lambda mark: mark.total_us)
    return Late(
        process=process,
        lateness=worst.lateness,
        member=worst.member,
        share=share_of(worst.lateness, worst.member),
        lately=lately,
        lacking=explained.lacking(process),
    )
