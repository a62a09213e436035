"""Weighs findings against one another before the root is looked for: success, hearsay and order in time.

- What a later success in the same source overcame did not stop the job; what came after the last success cost no work.
- What somebody said in other words is never graver than what a tool's own output says of the same cause.
- A launcher's failure is explained by what is wrong on a node that stands among its lines.
- A scheduler's want of GPUs, HCAs or nodes is explained by what took them away (``wants.py``).
- A line has one reason: who is sure of it explains who only thinks it possible.
- NCCL's failed call is explained by what names the cause of the warning that it quotes.
- Errors without a reason are explained by what is gravely wrong in the same source, and by who understands them.
- A peer that refused or broke a connection after it had failed for a reason of its own explains the connection.
- A peer that was lost before a process crashed explains the crash (``lost_before_crash.py``).
- Of a program's first error and another failure, the earlier explains the later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from slowlink.catalog.causes import cause as cause_entry
from slowlink.model.facts import Facts
from slowlink.model.job import JobEvent
from slowlink.model.report import Evidence, Finding, Remedy, Severity
from slowlink.patterns import regex
from slowlink.rules.evidence.early_stops import successes
from slowlink.rules.lost_before_crash import losses_first
from slowlink.rules.wants import with_reasons

_OF_THE_RUN = ("launch", "application")
_OTHERS = (
    *("nccl-error-unexplained", "rdma-retry-exceeded", "process-crashed", "rank-stuck", "output-truncated"),
    *("disk-full", "storage-failing"),
)
_LIMIT = "time-limit"
_HEARSAY = "said-in-other-words"
_ERROR = "application-error"
_UNEXPLAINED = "nccl-error-unexplained"
_WITHOUT_REASON = "error-unexplained"
_LAUNCH = "launcher-failed"
_CONNECTION = "tcp-unreachable"
_SPEAKER = regex(r"[\w.-]{1,80}:\d{1,10}:")
"""Host and process before a line of NCCL."""
_BELOW_A_LAUNCH = ("host", "gpu-net", "config")
"""Layers of what keeps a container or a task from starting."""
_ECHOES = (
    "tcp-unreachable",
    "rdma-retry-exceeded",
    "nccl-error-unexplained",
    "rank-stuck",
    "output-truncated",
    "rank-lost",
)
"""Failures that ranks report when another one has ended."""
_ORDER: tuple[Severity, ...] = ("info", "warning", "error", "critical")


def weighed(findings: Sequence[Finding], facts: Facts) -> tuple[Finding, ...]:
    """The findings with what speaks against them taken into account."""
    ends = _last_successes(successes(facts.events, facts.paces))
    found = _beside_successes(findings, ends) if ends else list(findings)
    found = _of_one_line(with_reasons(_at_the_launch(_without_hearsay(found))))
    found = losses_first(_at_the_peer(_in_other_findings(_with_a_reason(found))), facts)
    return tuple(_before_the_limit(list(_in_order(found))))


_AFTER_THE_WORK = Remedy(
    "See what keeps the processes after their work (a communicator that is closed by some ranks only, a thread): read "
    "their stacks in that state; more time does not help.",
    "py-spy dump --pid PID",
)


def _last_successes(told: Iterable[JobEvent]) -> dict[str, int]:
    """Source -> the line of its last success."""
    ends: dict[str, int] = {}
    for event in told:
        ends[event.ref.source] = max(ends.get(event.ref.source, 0), event.ref.line)
    return ends


def _beside_successes(findings: Sequence[Finding], ends: dict[str, int]) -> list[Finding]:
    """What a run survived explains no failure; of several such things one may still be why the others came."""
    found = [_beside_success(item, ends) for item in findings]
    survived = {new.cause for old, new in zip(findings, found, strict=True) if new is not old and not new.explains}
    return [
        replace(new, explains=tuple(each for each in old.explains if each in survived and each != new.cause))
        if new is not old and not new.explains
        else new
        for old, new in zip(findings, found, strict=True)
    ]


def _beside_success(found: Finding, ends: dict[str, int]) -> Finding:
    if found.severity != "critical" or not (found.layer in _OF_THE_RUN or found.cause in _OTHERS) or not found.evidence:
        return found
    if all(line.line < ends.get(line.source, 0) for line in found.evidence):
        return replace(
            found, severity="warning", explains=(), message=f"{found.message}; yet the run came to its end afterwards"
        )
    if all(line.source in ends and line.line > ends[line.source] for line in found.evidence):
        remedy = (_AFTER_THE_WORK,) if found.cause == "time-limit" else found.remedy
        return replace(found, severity="error", message=f"after the work was done: {found.message}", remedy=remedy)
    return found


def _without_hearsay(findings: Sequence[Finding]) -> list[Finding]:
    """Hearsay is as grave as the gravest finding of the same cause that rests on a tool's output."""
    worst: dict[str, int] = {}
    for found in findings:
        if found.rule != _HEARSAY:
            worst[found.cause] = max(worst.get(found.cause, 0), _ORDER.index(found.severity))
    return [
        replace(found, severity=_ORDER[min(worst[found.cause], _ORDER.index(found.severity))], confidence="possible")
        if found.rule == _HEARSAY and found.cause in worst
        else found
        for found in findings
    ]


def _at_the_launch(findings: Sequence[Finding]) -> list[Finding]:
    """A launcher says that it failed, and among its lines stands what is wrong on the node: that is the reason."""
    launch = next((found for found in findings if found.cause == _LAUNCH and found.severity == "critical"), None)
    if launch is None:
        return list(findings)
    last: dict[str, int] = {}
    for line in launch.evidence:
        last[line.source] = max(last.get(line.source, 0), line.line)
    return [
        replace(found, explains=(*found.explains, _LAUNCH))
        if found.severity == "critical"
        and (found.layer in _BELOW_A_LAUNCH or found.cause == "library-missing")
        and found.rule != _HEARSAY
        and any(line.line <= last.get(line.source, 0) for line in found.evidence)
        else found
        for found in findings
    ]


def _of_one_line(findings: Sequence[Finding]) -> list[Finding]:
    """A line has one reason: where two causes begin with the same one, the one that is only possible is part of the
    other, which is sure of it."""
    vague: dict[tuple[str, int], set[str]] = {}
    for found in findings:
        if found.confidence == "possible" and found.evidence and found.cause not in (_ERROR, *_ECHOES):
            vague.setdefault((found.evidence[0].source, found.evidence[0].line), set()).add(found.cause)
    return [
        replace(found, explains=(*found.explains, *sorted(others)))
        if found.confidence != "possible"
        and found.severity in ("error", "critical")
        and found.cause not in _ECHOES
        and found.evidence
        and (others := vague.get((found.evidence[0].source, found.evidence[0].line), set()) - {found.cause})
        else found
        for found in findings
    ]


def _with_a_reason(findings: Sequence[Finding]) -> Sequence[Finding]:
    """What is gravely wrong is the reason for the errors beside it that name none. An error that a rule of its own
    understands is no question at all."""
    open_errors = [found for found in findings if found.cause == _WITHOUT_REASON]
    if not open_errors:
        return findings
    understood = {_place(line) for found in findings if found.cause != _WITHOUT_REASON for line in found.evidence}
    beside = {line.source for found in open_errors for line in found.evidence}
    return [
        replace(found, explains=(*found.explains, _WITHOUT_REASON))
        if found.severity in ("error", "critical")
        and not cause_entry(found.cause).is_symptom
        and any(line.source in beside for line in found.evidence)
        else found
        for found in findings
        if found.cause != _WITHOUT_REASON or not all(_place(line) in understood for line in found.evidence)
    ]


def _place(line: Evidence) -> tuple[str, int]:
    return line.source, line.line


def _in_other_findings(findings: Sequence[Finding]) -> Sequence[Finding]:
    """A failed call of NCCL quotes a warning: a grave cause that rests on this warning explains it."""
    vague = next((found for found in findings if found.cause == _UNEXPLAINED), None)
    if vague is None:
        return findings
    quoted = {(line.source, line.line) for line in vague.evidence}
    return [
        replace(found, explains=(*found.explains, _UNEXPLAINED))
        if found is not vague
        and found.severity in ("error", "critical")
        and not cause_entry(found.cause).is_symptom
        and any((line.source, line.line) in quoted for line in found.evidence)
        else found
        for found in findings
    ]


def _at_the_peer(findings: Sequence[Finding]) -> Sequence[Finding]:
    """A connection that was refused or broken may be nobody's fault but the peer's: who failed before, elsewhere and
    for a grave reason, is no longer there to be reached."""
    broken = next((each for each in findings if each.cause == _CONNECTION and each.confidence == "possible"), None)
    if broken is None:
        return findings
    return [
        replace(found, explains=(*found.explains, _CONNECTION)) if _ended_before(found, broken) else found
        for found in findings
    ]


def _ended_before(found: Finding, broken: Finding) -> bool:
    """Did another process than the one that lost its connection fail, and not after that?"""
    if found.severity != "critical" or found.cause in (*_ECHOES, _ERROR) or cause_entry(found.cause).is_symptom:
        return False
    first, other = _begin(broken.evidence[:1]), _begin(found.evidence[:1])
    if not other or any(other[source] > first[source] for source in first.keys() & other.keys()):
        return False
    speakers = [_SPEAKER.match(each.evidence[0].text) for each in (found, broken)]
    if all(speakers):
        return len({speaker[0] for speaker in speakers if speaker}) > 1
    here, there = ({suspect.name for suspect in each.suspects if suspect.kind == "node"} for each in (found, broken))
    return bool(here) and bool(there) and here.isdisjoint(there)


def _in_order(findings: Sequence[Finding]) -> Iterable[Finding]:
    """The first error explains what came after it, and is explained by what stood before it or is no echo."""
    error = next((found for found in findings if found.cause == _ERROR), None)
    if error is None:
        return findings
    above = [found for found in findings if found is not error and _stands_above(found, error)]
    named, before = {found.cause for found in above}, {id(found) for found in above}
    mine = replace(error, explains=tuple(cause for cause in error.explains if cause not in named))
    return [
        mine if found is error else replace(found, explains=(*found.explains, _ERROR)) if id(found) in before else found
        for found in findings
    ]


def _before_the_limit(findings: Sequence[Finding]) -> list[Finding]:
    """A job that failed and then stood still until its time was over ended for its failure, not for want of time."""
    limits = [_begin(found.evidence) for found in findings if found.cause == _LIMIT]
    if not limits:
        return list(findings)
    return [
        replace(found, explains=(*found.explains, _LIMIT))
        if found.severity == "critical" and found.layer in _OF_THE_RUN and _before(found, limits)
        else found
        for found in findings
    ]


def _before(found: Finding, limits: Sequence[dict[str, int]]) -> bool:
    begin = _begin(found.evidence)
    above = any(begin[source] < limit[source] for limit in limits for source in begin.keys() & limit.keys())
    return above and found.cause not in (_LIMIT, "rank-lost", "output-truncated")


def _stands_above(found: Finding, error: Finding) -> bool:
    """Is this other failure the reason for the error, rather than its consequence?"""
    if _means(found, error):
        return True
    if found.severity != "critical" or cause_entry(found.cause).is_symptom:
        return False
    if found.cause == "rank-lost":
        return found.confidence == "certain"  # the scheduler or the kernel states why; an exit code alone tells less
    first, other = _begin(error.evidence), _begin(found.evidence)
    shared = first.keys() & other.keys()
    if not shared:
        return found.cause not in _ECHOES
    earlier = any(other[source] <= first[source] for source in shared)  # on the same line it is what the line means
    return earlier or found.cause not in (*_ECHOES, "process-crashed", "launcher-failed", "collective-mismatch")


def _means(found: Finding, error: Finding) -> bool:
    """Does this cause say what the very line means that the program ended with?"""
    line = error.evidence[0] if error.evidence else None
    grave = found.severity in ("error", "critical") and not cause_entry(found.cause).is_symptom
    return grave and any((each.source, each.line) == (line.source, line.line) for each in found.evidence if line)


def _begin(evidence: Iterable[Evidence]) -> dict[str, int]:
    """Source -> its first line."""
    begins: dict[str, int] = {}
    for line in evidence:
        begins[line.source] = min(begins.get(line.source, line.line), line.line)
    return begins
