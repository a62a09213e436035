"""Picks messages by name out of the facts, and puts their hosts and numbers into words: most rules begin here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TypeVar

from slowlink.facts.stretches import Same
from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.nccl import LogWarning
from slowlink.model.source import Ref
from slowlink.parsers.nccl.nccl_log.last_error import NCCL_FAILURES as NCCL_FAILURES
from slowlink.parting import by_key

FAILED_RUN = ("nccl-error-unexplained", "rank-stuck", "rank-lost", "output-truncated")
"""What follows when something specific made a run fail."""

BROKEN_PATH = ("rdma-retry-exceeded", *FAILED_RUN)
"""What follows when a path of the fabric carries nothing."""

LOST_PEER = ("tcp-unreachable", "rdma-retry-exceeded", "nccl-error-unexplained", "rank-stuck", "output-truncated")
"""What the other ranks report when one is gone."""

LogMessage = LogWarning | JobEvent
"""One message, folded where it was printed again and again: NCCL's own, or another program's."""
Message = TypeVar("Message", LogWarning, JobEvent, LogMessage)
_ByName = dict[str, list[tuple[int, Message]]]


def warned(warnings: Warnings | None, *ids: str) -> tuple[LogWarning, ...]:
    """Messages of NCCL with one of these ids that are not the echo of another rank's failure."""
    if warnings is None:
        return ()
    return _in_order(_warnings_by_id(Same(warnings.all)), ids)


def happened(events: Events | None, *kinds: str) -> tuple[JobEvent, ...]:
    """Events of one of these kinds that are not the echo of another rank's failure."""
    if events is None:
        return ()
    return _in_order(_events_by_kind(Same(events.all)), kinds)


@lru_cache(maxsize=2)
def _warnings_by_id(same: Same[LogWarning]) -> _ByName[LogWarning]:
    """Every rule asks for those of a few names."""
    told = ((place, warning) for place, warning in enumerate(same.records) if not warning.secondary)
    return by_key(told, lambda each: each[1].message)


@lru_cache(maxsize=2)
def _events_by_kind(same: Same[JobEvent]) -> _ByName[JobEvent]:
    told = ((place, event) for place, event in enumerate(same.records) if not event.secondary)
    return by_key(told, lambda each: each[1].kind)


def _in_order(by_name: _ByName[Message], names: Iterable[str]) -> tuple[Message, ...]:
    found = [each for name in dict.fromkeys(names) for each in by_name.get(name, ())]
    return tuple(record for _, record in sorted(found, key=itemgetter(0)))


def reported(warnings: Warnings | None, events: Events | None, *names: str) -> tuple[LogMessage, ...]:
    """Messages of NCCL and events with one of these names, echoes left out."""
    return (*warned(warnings, *names), *happened(events, *names))


def host_of(message: LogMessage) -> str | None:
    """The node that a message is about: who logged it, or whom it names."""
    if isinstance(message, LogWarning):
        return message.process.host
    return message.host or message.groups.get("host")


def hosts_of(messages: Iterable[LogMessage]) -> tuple[str, ...]:
    """Distinct nodes in order of appearance."""
    return tuple(dict.fromkeys(host for host in map(host_of, messages) if host))


def by_fault(found: Sequence[Message], fault: Callable[[Message], str]) -> list[tuple[Message, ...]]:
    """Messages of nodes with the same faults together, those of nodes with other faults apart: two nodes that are sick
    in two ways are two findings. Messages without a node are one node's."""
    faults: dict[str | None, set[str]] = {}
    for message in found:
        faults.setdefault(host_of(message), set()).add(fault(message))
    alike: dict[frozenset[str], list[Message]] = {}
    for message in found:
        alike.setdefault(frozenset(faults[host_of(message)]), []).append(message)
    return [tuple(group) for group in alike.values()]


def device_of(event: JobEvent, kind: str) -> str:
    """``node07 GPU 3``, ``node07 GPU 0000:9b:00.0``: node and part as far as they are known; "" where neither is."""
    part = event.groups.get("part", event.groups.get("pci", ""))
    return " ".join(word for word in (host_of(event) or "", f"{kind} {part}" if part else "") if word)


def devices_of(events: Iterable[JobEvent], kind: str) -> list[str]:
    """Distinct ones of them, in order."""
    return list(dict.fromkeys(filter(None, (device_of(event, kind) for event in events))))


def shortened(words: str, most: int) -> str:
    """What a program says, whole up to ``most`` letters; else up to the end of a sentence, or of a word: ``out of
    memory. Tried to allocate 2.50 GiB. ...``."""
    if len(words) <= most:
        return words
    cut = words[:most]
    sentences, blanks = cut.rfind(". ") + 1, cut.rfind(" ")
    end = next((place for place in (sentences, blanks) if place > most // 3), most)
    return f"{cut[:end].rstrip()} ..."


def listed(names: Sequence[str], most: int = 4) -> str:
    """``node01, node02 and 3 more``."""
    if len(names) <= most:
        return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def at_hosts(names: Sequence[str]) -> str:
    """``node07: `` before a message, or nothing when no node is known."""
    return f"{listed(names)}: " if names else ""


def refs_of(messages: Iterable[LogMessage]) -> tuple[Ref, ...]:
    """The line of each message."""
    return tuple(message.ref for message in messages)


def groups_of(messages: Iterable[LogMessage], name: str) -> tuple[str, ...]:
    """Distinct values of one named part, in order."""
    return tuple(dict.fromkeys(m.groups[name].strip() for m in messages if m.groups.get(name, "").strip()))


def times_printed(messages: Iterable[LogMessage]) -> int:
    """How often they were printed in all, repetitions that were folded into one message included."""
    return sum(message.count for message in messages)


def counted(number: int, one: str, many: str = "") -> str:
    """``1 transfer``, ``2 transfers``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def overcome(refs: Sequence[Ref], sweeps: Sweeps | None) -> bool:
    """Did a benchmark run begin after each of these lines in the same source, and come to its end? Then what the
    lines report did not stop the job."""
    if sweeps is None or not refs:
        return False
    last = last_complete(sweeps)
    return all(last.get(ref.source, -1) > ref.line for ref in refs)


def last_complete(sweeps: Sweeps | None) -> dict[str, int]:
    """Source -> the line where the last of its benchmark runs that came to their end begins."""
    last: dict[str, int] = {}
    for sweep in sweeps.all if sweeps is not None else ():
        if sweep.complete and sweep.points:
            last[sweep.run.source] = max(sweep.run.header.line, last.get(sweep.run.source, 0))
    return last


def elsewhere_fine(refs: Sequence[Ref], sweeps: Sweeps | None, least: int = 3) -> bool:
    """Is this one failure among many runs of other sources that came to their end, as in a survey of node pairs? Many
    are ``least``, and twice as many as failed."""
    failed = {ref.source for ref in refs}
    fine = {s.run.source for s in sweeps.all if s.complete and s.points} if sweeps is not None else set()
    return len(fine - failed) >= max(least, 2 * len(failed))
