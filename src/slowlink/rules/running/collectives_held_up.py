"""One rank, node, HCA or path holds the collectives of a running job up.

A collective ends for all its ranks at the same time. Who comes last finds all others waiting, so its time is the
*shortest*: a rank with long times waits, and is not slow. The shortest time of each call is what the transfer takes.
Ranks are held against those of their own communicators, transfers against others of the same size and number of ranks,
by medians over the calls; then arrows are followed from who is late to whom it waited for in its other communicators.

Why it matters: all ranks go at the pace of the last one, and a profile of any other rank shows time in collectives.
How to confirm: a rank is late for one of two reasons. If its GPU is slow, clocks, power or temperature differ from
those of its neighbours. If its process gets work late (data, a checkpoint, its cores), its stack says so. A slow
transfer is an HCA, its way to the GPU, or a path: tests of pairs (`slowlink isolate`) tell them apart.
What to do: drain the node that is named, or swap the part, and look at the same picture again.
When it is wrong: a rank that has more work by design (uneven experts, a last stage of a pipeline) is late without any
fault; communicators whose nodes lie further apart are slower without any. Records of few of the ranks, or times taken
by the processor, allow no more than a suspicion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.expect.held_up import HeldUp, Late, Slow, Tolerances, held_up
from slowlink.expect.held_up.grounds import Lacking, known_share, lacking_of, together
from slowlink.expect.held_up.queued import queued
from slowlink.expect.held_up.since import Since, late_since, slow_since
from slowlink.expect.held_up.transfers import crosses_nodes
from slowlink.model.report import Confidence, Evidence, Finding, Suspect
from slowlink.model.timed import Process, Timed
from slowlink.model.timed_calls import ACCL, INSPECTOR_METRICS
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.rules.running.collective_parts import consists_of
from slowlink.rules.running.held_up_words import (
    call_words,
    missing_words,
    others_words,
    queued_words,
    since_words,
    time_words,
    unclear_words,
    unfinished_words,
)

CAUSES = ("straggler-gpu", "straggler-node", "straggler-nic", "slow-path")

_MOST = 0.5
"""Of the ranks, and of the calls: where less than this is known, there is no more than a suspicion."""
_EXPLAINS = ("pace-drops", "busbw-below-expected", "bandwidth-unstable")
_WHY = "Its GPU is slow, or its process gets its work late"
_WHY_NODE = "Its GPUs or its processor are slow, or its processes get their work late"
_ASK_GPU = "Is its GPU slower than its neighbours?"
_ASK_PROCESS = ("Or does its process get its work late? See what its main thread does.", "py-spy dump --pid PID")
_LATE_REMEDY = ((_ASK_GPU, "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER,TEMPERATURE"), _ASK_PROCESS)
_LATE_REMEDY_AMD = ((_ASK_GPU, "amd-smi metric --clock --power --temperature --throttle"), _ASK_PROCESS)
_SLOW_REMEDY = (
    ("Test pairs of these nodes, HCA by HCA.", "slowlink isolate --nodes NODES --parts"),
    ("Ask them for the state of their HCAs and links.", "slowlink snapshot --nodes NODES"),
)


class Params(Struct, frozen=True):
    """When a rank is late, and a transfer slow."""

    fewest_calls: int = 8
    """Of a communicator; with fewer, single interruptions move the median."""
    fewest_alike: int = 4
    """Transfers of one kind; with fewer, nothing shows which one differs."""
    least_share: float = 0.03
    """Of the time of the job that the others wait for a rank; less is what GPUs of one kind differ by."""
    least_of_call: float = 0.1
    """Lateness over the time of a call, waiting included."""
    least_slower: float = 1.15
    """Time of a transfer over that of others alike."""
    later_share: float = 0.75
    """Share of the calls to which a late rank comes later than the middle of the others."""
    false_alarms: float = 0.005
    """Share of healthy jobs in which anybody is accused, were the differences between ranks normal
    (`bench/inside_the_job.py` measures it with others)."""

    def tolerances(self) -> Tolerances:
        """For the judge."""
        return Tolerances(*(getattr(self, name) for name in Tolerances._fields))


def check(timed: Timed, params: Params) -> Iterator[Finding | Proof]:
    """A finding for each rank or node that is late for nobody, and for each slow place; one where somebody holds the
    others up and nothing tells who. That there is none is worth saying and makes nothing healthy: all may be slow
    alike."""
    yield from consists_of(timed)
    tolerances = params.tolerances()
    if _are_means(timed):
        tolerances = tolerances._replace(fewest_calls=1)
    found = held_up(timed, tolerances)
    for some in _by_node(timed, found.late):
        yield _late_finding(timed, some)
    for slow in found.slow:
        yield _slow_finding(timed, slow)
    if found.late or found.slow:
        return
    if found.undecided and not _are_means(timed):  # of one mean nothing tells whether it is chance
        yield _undecided_finding(timed, found)
    elif found.compared and not found.undecided and _shows_most(timed):
        yield _nobody(timed, found)
    elif timed.unclear:
        yield _not_told(timed)


def _not_told(timed: Timed) -> Proof:
    """Why not: nobody was looked for."""
    return Proof(f"who holds the collectives up is not told: {unclear_words(timed)}", weight=0, undecided=True)


def _shows_most(timed: Timed) -> bool:
    """Are most ranks known, and most calls lined up? Else nobody was looked for where most of the job is."""
    return known_share(timed) >= _MOST and timed.unclear_calls <= (1 - _MOST) * timed.calls


def _nobody(timed: Timed, found: HeldUp) -> Proof:
    beside = f", and none of {found.transfers:,} transfers is slower than others alike" if found.transfers else ""
    of = f"{found.compared:,} ranks"
    if found.compared < len(timed.processes):
        of = f"{found.compared:,} ranks that could be compared, of {len(timed.processes):,},"
    unknown = missing_words(timed, lacking_of(timed, range(len(timed.groups))))
    missing = "; ".join(filter(None, (unknown, unfinished_words(timed))))
    first = next(group.members[0].ref for group in timed.groups if group.calls)
    return Proof(
        f"nobody holds the collectives up: of {of} none comes later than the others{beside}"
        f"{f'; not told of all: {missing}' if missing else ''}",
        evidence=(line_evidence(first),),
        weight=0,
    )


def _are_means(timed: Timed) -> bool:
    """Is each value one of many calls already?"""
    return timed.tools == (INSPECTOR_METRICS,)


def _confidence(timed: Timed, lacking: Lacking) -> Confidence:
    """What is not told may be what the others wait for."""
    sure = timed.on_gpu and not _are_means(timed) and not lacking and not timed.unclear and not timed.lossy
    return "likely" if sure and known_share(timed) >= _MOST else "possible"


def _by_node(timed: Timed, late: Sequence[Late]) -> Iterator[Sequence[Late]]:
    """Late processes; all of one node together."""
    of_node: dict[str, list[Late]] = defaultdict(list)
    for each in late:
        of_node[timed.processes[each.process].host or f"?{each.process}"].append(each)
    for some in of_node.values():
        if 1 < len(some) == timed.processes[some[0].process].of_node:
            yield some
        else:
            yield from ([each] for each in some)


def _worst(some: Sequence[Late]) -> Late:
    return max(some, key=lambda late: float(late.lateness.us[late.member]))


def _who(timed: Timed, some: Sequence[Late]) -> str:
    process = timed.processes[_worst(some).process]
    return f"all {len(some)} processes on {process.host}" if len(some) > 1 else _named(process)


def _late_finding(timed: Timed, some: Sequence[Late]) -> Finding:
    worst, whole = _worst(some), len(some) > 1
    lacking = together(late.lacking for late in some)
    why = _WHY_NODE if whole else queued_words(queued(timed, worst.lateness, worst.member)) or _WHY
    missing = missing_words(timed, lacking)
    waited = f"it waited for nobody itself. {why}"
    if missing:
        waited = f"whether it waited for another is not told: {missing}. {why}, or it waited for another"
    return finding(
        "straggler-node" if whole else "straggler-gpu",
        f"{_who(timed, some)}: last to come to the collectives, {_by_words(timed, worst)}; {waited}",
        severity="error",
        confidence=_confidence(timed, lacking),
        evidence=[_late_evidence(timed, worst)],
        suspects=_suspects(timed.processes[worst.process], whole=whole),
        explains=_EXPLAINS,
        remedy=_LATE_REMEDY_AMD if ACCL in timed.tools else _LATE_REMEDY,
    )


def _by_words(timed: Timed, late: Late) -> str:
    """By how much, in which calls, at whose cost, and since when."""
    lateness, member = late.lateness, late.member
    group = timed.groups[lateness.group]
    kind = lateness.kinds[0] if len(lateness.kinds) == 1 else None
    of = f"{f'{kind.collective} of ' if kind else ''}{call_words(group, kind)}"
    calls = f"the mean of its calls of {of}" if _are_means(timed) else f"the middle of {lateness.calls:,} calls of {of}"
    share = f"; the others wait for it {late.share:.0%} of the time" if late.share is not None else ""
    since = since_words(late_since(timed, lateness, member), lately=late.lately)
    by = time_words(float(lateness.us[member]))
    return f"by {by} in {calls}, last of all in {float(lateness.last[member]):.0%}{share}{since}"


def _undecided_finding(timed: Timed, found: HeldUp) -> Finding:
    """Somebody is always last, and nobody is accused."""
    some = max(_by_node(timed, found.undecided), key=len)
    worst, count = _worst(some), len(found.undecided)
    first = f", {_who(timed, some)} among them" if count > len(some) else ""
    who = f"{count:,} of {len(timed.processes):,} ranks{first}" if first else _who(timed, some)
    return finding(
        "straggler-node" if len(some) > 1 else "straggler-gpu",
        f"the collectives are held up, and by whom cannot be told apart: {who}, last to come to the collectives, "
        f"{_by_words(timed, worst)}; but others of their kind differ by as much, are too few to compare with, or "
        "are late themselves",
        severity="warning",
        confidence="possible",
        evidence=[_late_evidence(timed, worst)],
        remedy=_LATE_REMEDY_AMD if ACCL in timed.tools else _LATE_REMEDY,
    )


def _late_evidence(timed: Timed, late: Late) -> Evidence:
    member = timed.groups[late.lateness.group].members[late.member]
    middle, us = late.lateness.typical_us, float(late.lateness.us[late.member])
    return line_evidence(
        member.ref,
        observed=f"its calls take {time_words(max(0.0, middle - us))}: it finds all others waiting",
        expected=f"{time_words(middle)}, as those of the others",
    )


def _named(process: Process) -> str:
    """``rank 37 on node05 (process 4103, 4th of 8)``."""
    place = ""
    if process.pid is not None and process.place is not None and process.of_node > 1:
        pid = f"process {process.pid}, " if process.world_rank is not None else ""
        place = f" ({pid}number {process.place} of the {process.of_node} there)"
    return f"{process.name}{place}"


def _suspects(process: Process, *, whole: bool = False) -> list[Suspect]:
    """What can be drained first: the node; then the rank, or the process where ranks are not told."""
    found = [*suspects("node", [process.host])]
    if not whole:
        kind, name = ("rank", str(process.world_rank)) if process.world_rank is not None else ("process", process.name)
        found = [*suspects(kind, [name]), *found]
        found += suspects("gpu", [f"{process.host}:{process.gpu}"] if process.gpu is not None and process.host else ())
    return found


def _slow_finding(timed: Timed, slow: Slow) -> Finding:
    place = slow.place
    worst = max(slow.transfers, key=lambda each: each.ratio)
    group = timed.groups[worst.transfer.group]
    member = next(m for m in group.members if m.process in worst.transfer.ends)
    cause, where = _where(timed, slow)
    since: Since | None = slow_since(group, worst)
    sure = (
        place.candidates == 1
        and place.kind != "inside"
        and all(crosses_nodes(each.transfer, timed) is not None for each in slow.transfers)
    )
    missing = missing_words(timed, slow.lacking)
    message = (
        f"{where}: with everybody there, {worst.transfer.kind.collective} of "
        f"{call_words(group, worst.transfer.kind)} takes {time_words(worst.transfer.us)} where "
        f"{worst.alike - 1} alike take {time_words(worst.usual_us)} ({worst.ratio:.1f} times as long"
        f"{others_words(len(slow.transfers) - 1)})"
        f"{since_words(since, lately=slow.lately)}"
        f"{f'; not told of all: {missing}' if missing else ''}"
    )
    return finding(
        cause,
        message,
        severity="error",
        confidence=_confidence(timed, slow.lacking) if sure else "possible",
        evidence=[
            line_evidence(
                member.ref,
                observed=f"{worst.transfer.kind.collective}: {time_words(worst.transfer.us)}",
                expected=f"{time_words(worst.usual_us)}, as in {worst.alike - 1} others of this size",
            )
        ],
        suspects=_slow_suspects(timed, slow),
        explains=_EXPLAINS,
        remedy=_SLOW_REMEDY,
    )


def _slow_suspects(timed: Timed, slow: Slow) -> Sequence[Suspect]:
    place = slow.place
    if place.kind == "end":
        return _suspects(timed.processes[place.processes[0]])
    return suspects("node", place.nodes)


def _where(timed: Timed, slow: Slow) -> tuple[str, str]:
    """The cause, and the place in words, with what else it can be."""
    place = slow.place
    nodes = listed(place.nodes or [_named(timed.processes[end]) for end in place.processes])
    if place.kind == "end":
        name = _named(timed.processes[place.processes[0]])
        between = "its HCA, or what lies between it and the GPU,"
        if any(crosses_nodes(each.transfer, timed) is None for each in slow.transfers):
            between = "its HCA, or its links,"  # whether these transfers leave the node is not told
        return "straggler-nic", f"{name}: {between} is slow; its peers are not"
    if place.kind == "node":
        return "straggler-nic", f"{nodes}: all its HCAs, or its way to the network, are slow"
    if place.kind == "path" and place.candidates == 1:
        return "slow-path", f"the path between {nodes} is slow; both are fast elsewhere"
    if place.kind == "path":
        return "slow-path", f"a path between two of {len(place.nodes)} nodes ({nodes}) is slow; each is fast elsewhere"
    if place.kind == "inside" and len(place.processes) == 1:
        return "straggler-gpu", f"{_named(timed.processes[place.processes[0]])}: its links inside the node are slow"
    if place.kind == "inside":
        return "straggler-gpu", f"{nodes}: a GPU there or its links inside the node are slow"
    words = f"an HCA of one of {place.candidates} processes ({nodes}), or a path between them, is slow"
    return "straggler-nic", f"{words}; nothing here tells which"
