"""A framework stopped its run itself, for a signal.

NeMo, Megatron-LM, Lightning, transformers, submitit and torchrun catch a signal, write a checkpoint and leave in order.
Schedulers send it ahead of preemption, of the end of a time limit, or when a node is drained; somebody may have sent
it by hand. The exit code is often 0, and torchrun says that its workers finished: the run did not come to its end.

Why it matters: it is no fault and no success. The steps until then are a measurement; what was still to come is not.
How to confirm: ``sacct -j JOB -o JobID,State,Elapsed,Timelimit`` shows PREEMPTED, TIMEOUT or CANCELLED.
What to do: start it again from its last checkpoint; to measure, on nodes that nobody takes away.
When it is wrong: a launcher sends the signal to those that are left when a rank has failed. So nothing is said beside
a process that failed before, or in another source, nor where the scheduler states why, and what a watchdog or NCCL
reported before stays a cause of its own; steps that follow in the same output are of a job that went on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from slowlink.averages import median
from slowlink.model.facts import Events, Paces, Warnings
from slowlink.model.job import JobEvent, TrainingPace
from slowlink.model.report import Finding
from slowlink.rules.evidence.early_stops import early_stops
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import SBATCH
from slowlink.rules.evidence.messages import (
    NCCL_FAILURES,
    LogMessage,
    at_hosts,
    counted,
    groups_of,
    happened,
    hosts_of,
    refs_of,
)
from slowlink.rules.evidence.pace_words import line_word, speed
from slowlink.rules.job.process_ends import LIMITS, OUT_OF_MEMORY, SIGNALS, STATED, deaths

CAUSES = ("run-interrupted",)

_SURE = "framework-stopped"
_STATED = (*LIMITS, *OUT_OF_MEMORY, *STATED, "slurm-cancelled", "user-interrupt")
_CONSEQUENCES = ("output-truncated", "rank-stuck", "rank-lost", "application-error", "nccl-error-unexplained")
_TROUBLES = (*NCCL_FAILURES, "torch-watchdog-timeout", "torch-watchdog-exception", "torch-heartbeat-timeout")
_STATES = {"preempted": " for preemption", "Preemption": " for preemption", "timed-out": " at its time limit"}


def check(events: Events, paces: Paces | None, warnings: Warnings | None) -> Iterator[Finding]:
    """One finding for all sources with such a stop."""
    by_source = early_stops(events, paces)
    stops = tuple(stop for told in by_source.values() for stop in told)
    failed = [*(death.event for death in deaths(events)), *happened(events, "rank-exception")]
    if not stops or happened(events, *_STATED) or not _all_after(failed, stops):
        return
    troubles: tuple[LogMessage, ...] = (*happened(events, *_TROUBLES), *(warnings.all if warnings is not None else ()))
    unprovoked = _all_after(troubles, stops)
    signal = next((_name(signal) for signal in groups_of(stops, "signal")), "a signal")
    why = next((_STATES[state] for state in groups_of(stops, "state")), "")
    hosts = hosts_of(stops)
    yield finding(
        "run-interrupted",
        f"{at_hosts(hosts)}the run was stopped by {signal}{why} and did not come to its end"
        f"{', which is no fault of its own' if unprovoked else ''}{_measured(by_source.keys(), paces)}",
        severity="info",
        confidence="certain" if any(stop.kind == _SURE for stop in stops) else "likely",
        evidence=lines_evidence(refs_of(stops), 4),
        suspects=suspects("node", hosts),
        explains=_CONSEQUENCES if unprovoked else (),
        remedy=[
            (
                "See who sent the signal: preemption, a time limit, or somebody.",
                "sacct -j JOB -o JobID,State,Elapsed,Timelimit",
            ),
            ("Start it again from its last checkpoint; to measure, on nodes that nobody takes away.", ""),
        ],
        references=[SBATCH],
    )


def _all_after(messages: Sequence[LogMessage], stops: Sequence[JobEvent]) -> bool:
    """Do all of them stand below the signal in its output? If not, it may have been sent for what they tell."""
    first = {stop.ref.source: stop.ref.line for stop in reversed(stops)}
    return all(each.ref.line > first.get(each.ref.source, each.ref.line) for each in messages)


def _name(signal: str) -> str:
    """``SIGTERM`` for ``15``; a number without a name as it is."""
    if not (signal.isascii() and signal.isdecimal()):
        return signal
    return SIGNALS.get(int(signal), f"signal {signal}")


def _measured(sources: Collection[str], paces: Paces | None) -> str:
    """The steps until then, of the first loop that was timed there."""
    timed = [pace for pace in (paces.all if paces is not None else ()) if pace.ref.source in sources]
    return f"; until then {_told(timed[0])}" if timed else ""


def _told(pace: TrainingPace) -> str:
    return (
        f"{counted(pace.count, line_word(pace))} of {pace.program}, {speed(median(pace.seconds), pace)} in the middle"
    )
