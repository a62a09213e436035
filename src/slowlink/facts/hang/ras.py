"""Answers of RAS over time. One mismatch is normal, since RAS counts launches; one that stays is not."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from msgspec import Struct

from slowlink.model.hang import (
    Ras,
    RasAsked,
    RasCommunicator,
    RasJob,
    RasMismatch,
    RasShare,
    RasSnapshot,
    StuckMismatch,
)
from slowlink.model.records import Records
from slowlink.parting import by_key

LEAST_APART_S = 5.0
"""Answers that come closer upon one another are one moment: nodes of one job that were asked together."""


class _Answer(Struct):
    """An answer, and where and when slowlink asked for it."""

    snapshot: RasSnapshot
    at: float | None = None
    asked: tuple[str, str] | None = None
    """Node and address; None for an answer that somebody else took."""


def ras(records: Records) -> Ras | None:
    """None when no answer of RAS was read."""
    if not records.ras:
        return None
    jobs = _jobs(_answers(records))
    return Ras(records.ras, tuple(_job(answers) for answers in jobs))


def _answers(records: Records) -> list[_Answer]:
    """Each answer with the first question of its source between whose lines it stands."""
    asked = by_key(records.ras_asked, lambda each: each.ref.source)
    found: dict[int, _Answer] = {}
    for source, snapshots in by_key(records.ras, lambda each: each.ref.source).items():
        waiting = sorted(enumerate(asked.get(source, ())), key=lambda each: each[1].ref.line, reverse=True)
        open_: list[tuple[int, RasAsked]] = []
        for snapshot in sorted(snapshots, key=lambda each: each.ref.line):
            while waiting and waiting[-1][1].ref.line < snapshot.ref.line:
                heappush(open_, waiting.pop())
            while open_ and _is_over(open_[0][1], snapshot.ref.line):
                heappop(open_)
            found[id(snapshot)] = _placed(snapshot, open_[0][1] if open_ else None)
    return [found[id(snapshot)] for snapshot in records.ras]


def _is_over(asked: RasAsked, line: int) -> bool:
    return asked.last_line is not None and line >= asked.last_line


def _placed(snapshot: RasSnapshot, asked: RasAsked | None) -> _Answer:
    if asked is None:
        return _Answer(snapshot)
    return _Answer(snapshot, asked.at, (asked.host or asked.ref.source, asked.address))


def _jobs(answers: Sequence[_Answer]) -> list[list[_Answer]]:
    """Answers job by job, each in order of time."""
    if any(each.asked is None for each in answers):
        return [list(answers)]
    jobs: list[list[_Answer]] = []
    first: dict[object, int] = {}
    """The first job that has what may join another answer to it."""
    for answer in sorted(answers, key=lambda each: each.at or 0.0):
        has, joins = _marks(answer)
        number = min((first[mark] for mark in joins if mark in first), default=len(jobs))
        if number == len(jobs):
            jobs.append([])
        jobs[number].append(answer)
        for mark in has:
            first[mark] = min(number, first.get(mark, number))
    return jobs


def _marks(answer: _Answer) -> tuple[list[object], list[object]]:
    """What an answer has, and what another one must have to be of its job: a communicator. Text names healthy ones not
    at all: then the same port of the same node has to answer for a job of the same shape."""
    hashes = {each.hash for each in answer.snapshot.communicators}
    names_all = bool(hashes) and answer.snapshot.timestamp is not None  # JSON
    port = answer.asked, _shape(answer.snapshot)
    return [*hashes, (port, names_all)], [*hashes, (port, False), *([] if names_all else [(port, True)])]


def _shape(snapshot: RasSnapshot) -> tuple[object, ...]:
    return snapshot.nccl, snapshot.cuda_runtime, snapshot.nodes, snapshot.gpus


def _job(answers: Sequence[_Answer]) -> RasJob:
    seen: dict[tuple[str, str | None], list[tuple[_Answer, RasMismatch]]] = {}
    for answer in answers:
        for communicator in answer.snapshot.communicators:
            for mismatch in communicator.mismatches:
                if mismatch.kind == "operations" and communicator.hash:
                    seen.setdefault((communicator.hash, mismatch.collective), []).append((answer, mismatch))
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
    still, going, seconds = _progress(answers)
    if still or going:
        moved.append(bool(going))
    asked = all(answer.asked is not None for answer in answers)
    all_of_it = tuple(answer.snapshot for answer in answers)
    return RasJob(all_of_it, tuple(stuck), any(moved) if moved else None, still, going, seconds, asked)


def _progress(answers: Sequence[_Answer]) -> tuple[tuple[RasCommunicator, ...], tuple[str, ...], float | None]:
    """Communicators of the newest answer that stood still and that went on since an answer of another time."""
    last = answers[-1]
    first = next((each for each in reversed(answers[:-1]) if _apart(each, last) and each.snapshot.communicators), None)
    if first is None:
        return (), (), None
    before = {each.hash: dict(each.launched) for each in first.snapshot.communicators}
    still, going = [], []
    for communicator in last.snapshot.communicators:
        old = before.get(communicator.hash)
        if old and communicator.launched and old.keys() >= {rank for rank, _ in communicator.launched}:
            grown = [total > old[rank] for rank, total in communicator.launched]
            if not any(grown):
                still.append(communicator)
            elif all(grown):
                going.append(communicator.hash)
    seconds = last.at - first.at if last.at is not None and first.at is not None else None
    return tuple(still), tuple(going), seconds


def _apart(one: _Answer, other: _Answer) -> bool:
    if one.at is not None and other.at is not None:
        return abs(one.at - other.at) >= LEAST_APART_S
    return one.snapshot.timestamp is None or one.snapshot.timestamp != other.snapshot.timestamp


def _last_two(found: list[tuple[_Answer, RasMismatch]]) -> tuple[RasMismatch, RasMismatch] | None:
    """The newest mismatch and the one before it, of another answer and another time."""
    *before, (last, newest) = found
    for answer, mismatch in reversed(before):
        if answer is not last and _apart(answer, last) and mismatch.shares and newest.shares:
            return mismatch, newest
    return None


def _counts(mismatch: RasMismatch) -> dict[int, RasShare]:
    """Shares by how far their ranks came; -1 for those that launched nothing."""
    return {-1 if share.operation is None else share.operation: share for share in mismatch.shares}
