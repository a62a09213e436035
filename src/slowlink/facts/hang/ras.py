"""Answers of RAS over time. One mismatch is normal, since RAS counts launches; one that stays is not."""

from __future__ import annotations

from slowlink.model.hang import Ras, RasMismatch, RasShare, RasSnapshot, StuckMismatch
from slowlink.model.records import Records


def ras(records: Records) -> Ras | None:
    """None when no answer of RAS was read."""
    if not records.ras:
        return None
    seen: dict[tuple[str, str | None], list[tuple[RasSnapshot, RasMismatch]]] = {}
    for snapshot in records.ras:
        for communicator in snapshot.communicators:
            for mismatch in communicator.mismatches:
                if mismatch.kind == "operations" and communicator.hash:
                    seen.setdefault((communicator.hash, mismatch.collective), []).append((snapshot, mismatch))
    stuck, moved = [], []
    for (communicator_hash, collective), found in seen.items():
        pair = _last_two(found)
        if pair is None:
            continue
        first, last = map(_counts, pair)
        moved.append(max(first) != max(last))
        if first.keys() == last.keys() and len(last) > 1:
            ahead, *behind = (last[count] for count in sorted(last, reverse=True))
            stuck.append(StuckMismatch(communicator_hash, collective, ahead, tuple(behind), pair[0].ref, pair[1].ref))
    return Ras(records.ras, tuple(stuck), any(moved) if moved else None)


def _last_two(found: list[tuple[RasSnapshot, RasMismatch]]) -> tuple[RasMismatch, RasMismatch] | None:
    """The newest mismatch and the one before it, of another answer and another time."""
    *before, (last, newest) = found
    for snapshot, mismatch in reversed(before):
        same_time = snapshot.timestamp is not None and snapshot.timestamp == last.timestamp
        if snapshot is not last and not same_time and mismatch.shares and newest.shares:
            return mismatch, newest
    return None


def _counts(mismatch: RasMismatch) -> dict[int, RasShare]:
    """Shares by how far their ranks came; -1 for those that launched nothing."""
    return {-1 if share.operation is None else share.operation: share for share in mismatch.shares}
