"""A program ended with an error: the first one in time.

When a job fails, one rank prints what went wrong, and then all others print that it is gone. This rule looks for the
first line that a program marks as an error (an exception, a fatal error, a logger's, a launcher's), whether or not
anybody knows its words, and says which rank printed it and on which node. Where many ranks print the same, that is the
answer: a missing file, a wrong argument, a full GPU. What others print because of it is counted and not shown.

Why it matters: the last lines of a log tell how the job was torn down, and not why.
How to confirm: read the lines above the one that is shown, in the output of that rank.
What to do: what the error says; the title names the cause where its words are known.
When it is wrong: the exit status of a tool that shows the state of a node is no end of a job: a warning. A program may
print errors that it survives. So an error that ends no program and does not stand at
the end of the output is a warning only; so is one that a success follows. What the libraries of MPI print as errors in
a run that came to its end is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.first_errors import Told, told_by
from slowlink.model.benchmark import MpiTables
from slowlink.model.facts import Events, Paces, Sources, State, Sweeps
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LOST_PEER,
    at_hosts,
    counted,
    happened,
    listed,
    overcome,
    refs_of,
    shortened,
)
from slowlink.rules.job.errors_in_order import Errors, errors_of, is_status_of_a_tool, said_by
from slowlink.rules.job.grumbles import runs_ended
from slowlink.rules.job.process_ends import LIMITS, deaths, lost_abruptly, stopped_by_user

CAUSES = (
    "application-error",
    "rank-lost",
    "gpu-out-of-memory",
    "gpus-over-requested",
    "file-descriptor-limit",
    "rank-start-failed",
    "tool-failed",
)

_EXPLAINS = tuple(dict.fromkeys((*LOST_PEER, *FAILED_RUN, "process-crashed", "launcher-failed", "collective-mismatch")))
"""What others print when a rank has ended. An order in time decides beside the application's own errors."""
_MOST_WORDS = 200


def check(
    events: Events,
    sweeps: Sweeps | None,
    sources: Sources,
    tables: MpiTables | None,
    paces: Paces | None,
    state: State | None,
) -> Iterator[Finding]:
    """One finding: the first error, by its words where they are known."""
    events = Events(runs_ended(events, sweeps, tables).without_grumbles(events.all))
    errors = errors_of(events, sources)
    if errors is None or (errors.echo and (lost_abruptly(events) or deaths(events) or _ended_from_outside(events))):
        return  # rank-lost, process-crashed and time-limit know how processes ended
    if stopped_by_user(events) and _after_the_stop(errors, events):
        return  # what a program was about to do, and not why it ended
    if not errors.ended and paces is not None and _work_went_on(errors, paces):
        return
    if is_status_of_a_tool(errors, events, state, sources) and not (sweeps or tables or paces):
        yield _tool_ended(errors)
        return
    survived = overcome(refs_of(errors.alike), sweeps)
    told = None if errors.echo else told_by(said_by(errors.first)) or told_by(errors.first.text)
    yield _finding(errors, told, survived)


def _tool_ended(errors: Errors) -> Finding:
    """What nvidia-smi, a diagnosis or a script of checks returned to whoever called it."""
    words = shortened(said_by(errors.first), _MOST_WORDS)
    return finding(
        "tool-failed",
        f"something ended with an error, and nothing shows that it was a job: {words}",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(errors.alike), 4),
        suspects=suspects("node", errors.hosts),
        remedy=[(f"Read the lines around line {errors.first.ref.line} of {errors.first.ref.source}.", "")],
    )


def _work_went_on(errors: Errors, paces: Paces) -> bool:
    """Did steps of the job follow each line of this error, which ended no program?"""
    last = {pace.last.source: pace.last.line for pace in paces.all}
    return all(int(e.groups.get("last", e.ref.line)) < last.get(e.ref.source, 0) for e in errors.alike)


def _ended_from_outside(events: Events) -> bool:
    """Did somebody end the job, or the scheduler at its limit? Then what processes print at their end is no riddle."""
    return stopped_by_user(events) or bool(happened(events, *LIMITS))


def _after_the_stop(errors: Errors, events: Events) -> bool:
    """Does each line of this error stand below the one that says that somebody ended the job?"""
    stops = happened(events, "user-interrupt", "slurm-cancelled")
    stopped = {stop.ref.source: stop.ref.line for stop in reversed(stops)}
    return all(event.ref.line > stopped.get(event.ref.source, event.ref.line) for event in errors.alike)


def _finding(errors: Errors, told: Told | None, survived: bool) -> Finding:
    ended = (errors.ended or (told is not None and errors.last)) and not survived
    over: Severity = "info" if errors.echo and survived else "warning"
    severity: Severity = "critical" if ended else "error" if errors.last and not survived else over
    words = shortened(said_by(errors.first), _MOST_WORDS)
    own = [(f"Read the lines around line {errors.first.ref.line} of {errors.first.ref.source}.", "")]
    return finding(
        told.cause if told else "rank-lost" if errors.echo else "application-error",
        f"{told.says}: {_who(errors)}{words}" if told else f"{_who(errors)}{words}{_unknown(errors)}",
        severity=severity,
        confidence="possible" if errors.echo or not ended else "likely",
        evidence=lines_evidence(refs_of(errors.alike), 4),
        suspects=(*suspects("rank", (str(rank) for rank in errors.ranks[:64])), *suspects("node", errors.hosts)),
        explains=() if not ended else LOST_PEER if errors.echo else (*_EXPLAINS, "application-error"),
        remedy=[*(told.remedy if told else ()), *own],
    )


def _who(errors: Errors) -> str:
    """``the first of 31 errors, on rank 12 of node07: ``."""
    ranks = errors.ranks
    many = f"the first of {errors.count} errors" if errors.count > 1 else "an error"
    if len(ranks) > 1:
        where = f", on {counted(len(ranks), 'rank')} ({listed([str(rank) for rank in ranks])})"
        return f"{at_hosts(errors.hosts)}{many}{where}: "
    rank = f"rank {ranks[0]}" if ranks else ""
    node = errors.hosts[0] if len(errors.hosts) == 1 else ""
    where = " of ".join(filter(None, (rank, node))) or listed(errors.hosts)
    return f"{many}, on {where}: " if where else f"{many}: "


def _unknown(errors: Errors) -> str:
    return "; why it ended, this output does not show" if errors.echo else ""
