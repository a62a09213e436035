"""A process that lost its peer and then crashed: the loss explains the crash, and not the other way round.

A crash elsewhere is why peers are refused, reset or left without an answer, whoever tells of it first: launchers tell
late. But where the process that crashed had itself reported the loss before, its crash is what became of that. And no
crash is why a node does not answer at all: its kernel refuses for a process that is gone, so that a connection that
timed out, or had no route, before anybody crashed has a reason of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.facts import Facts
from slowlink.model.report import Finding
from slowlink.rules.evidence.messages import LogMessage
from slowlink.rules.evidence.speakers import Speakers

_CRASH = "process-crashed"
_LOST = ("tcp-unreachable", "rdma-retry-exceeded", "rank-lost")
_CONNECT = "connect-failed"
_NO_ANSWER = ("timed out", "no route", "unreachable", "host is down")
"""Words of the operating system's error where the node itself did not answer."""


def losses_first(findings: Sequence[Finding], facts: Facts) -> list[Finding]:
    """The findings; a lost peer explains the crash that came after it in the same process."""
    crash = next((found for found in findings if (found.cause, found.severity) == (_CRASH, "critical")), None)
    lost = [found for found in findings if found.cause in _LOST and found.severity == "critical"]
    if crash is None or not lost:
        return list(findings)
    by_line = _by_line(facts)
    crashes = [by_line[place] for place in _places(crash) if place in by_line]
    speakers = Speakers.of(facts.warnings, facts.communicators, facts.network)
    first = [found for found in lost if _leads_to(_messages(found, by_line)[:1], crashes, speakers)]
    named, leading = {found.cause for found in first}, {id(found) for found in first}
    return [
        replace(found, explains=tuple(each for each in found.explains if each not in named))
        if found is crash
        else replace(found, explains=(*found.explains, _CRASH))
        if id(found) in leading
        else found
        for found in findings
    ]


def _leads_to(loss: Sequence[LogMessage], crashes: Sequence[LogMessage], speakers: Speakers) -> bool:
    if not loss or not crashes:
        return False
    unanswered = _is_unanswered(loss[0])
    known = [speakers.before(loss[0], crash) for crash in crashes]
    return all(each or (each is None and unanswered) for each in known)


def _is_unanswered(loss: LogMessage) -> bool:
    said = f"{loss.groups.get('error', '')} {loss.groups.get('returned', '')}".lower()
    named = getattr(loss, "message", "") == _CONNECT
    return named and any(words in said for words in _NO_ANSWER)


def _by_line(facts: Facts) -> Mapping[tuple[str, int], LogMessage]:
    """NCCL's warnings and other messages by the line where each stands."""
    events: tuple[LogMessage, ...] = facts.events.all if facts.events is not None else ()
    warnings: tuple[LogMessage, ...] = facts.warnings.all if facts.warnings is not None else ()
    return {(each.ref.source, each.ref.line): each for each in (*events, *warnings)}


def _places(found: Finding) -> list[tuple[str, int]]:
    return [(line.source, line.line) for line in found.evidence]


def _messages(found: Finding, by_line: Mapping[tuple[str, int], LogMessage]) -> list[LogMessage]:
    """What it rests on, first lines first."""
    known = [by_line[place] for place in _places(found) if place in by_line]
    return sorted(known, key=lambda each: each.ref.line)
