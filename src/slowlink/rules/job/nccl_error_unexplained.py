"""NCCL failed and the log does not say why.

A call of NCCL returned an error ("unhandled system error", "remote process exited or there was a network error"), but
NCCL's own log was off, or its warning is one that no rule explains. Then the finding quotes that warning. A call of
CUDA that failed in the benchmark is reported in the same way. A warning alone, in words that no rule knows, is quoted
as a warning, which leaves the verdict open; where a benchmark still measured behind it, as a note; where a process
ended badly in the same output, it is what is known of the reason.

Why it matters: the name of the error is only the class of the failure; the reason is in NCCL's log alone.
How to confirm: run again with ``NCCL_DEBUG=INFO`` and keep the output of all ranks.
What to do: read the first WARN line of the rank that failed first. "system error" is a failed call of the operating
system or the network, "remote process exited" is another rank's failure, "invalid usage" is the caller's.
When it is wrong: when the logs of the ranks are in other files, which were not given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV, NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import (
    NCCL_FAILURES,
    LogMessage,
    at_hosts,
    counted,
    elsewhere_fine,
    groups_of,
    happened,
    hosts_of,
    listed,
    overcome,
    refs_of,
    times_printed,
)
from slowlink.rules.job.process_ends import REMOTE_EXITED, deaths, lost_abruptly

CAUSES = ("nccl-error-unexplained",)

_CUDA = "nccl-tests-cuda-failure"
_API = ("init.cc", "group.cc", "enqueue.cc", "bootstrap.cc")
"""Where the trail of a failed call ends when the error reaches the caller; that of an attempt inside NCCL, which it
survives, ends before."""


def check(events: Events | None, warnings: Warnings | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all failures; any finding that explains them swallows it."""
    failed = happened(events, *NCCL_FAILURES, _CUDA)
    trails = _trails(warnings)
    said = [w for w in (warnings.all if warnings is not None else ()) if w.level == "WARN" and not w.secondary]
    found: tuple[LogMessage, ...] = failed or (trails if said else ())
    if not found:
        yield from _only_warned([w for w in said if w.message == "unknown"], events, sweeps)
        return
    if overcome(refs_of(found), sweeps):
        return  # what a completed run follows was an earlier attempt
    echo = lost_abruptly(events) or (bool(failed) and all(REMOTE_EXITED in e.text for e in failed))
    last = groups_of(failed, "last_error") or groups_of(failed, "detail")
    errors = groups_of(failed, "error")
    library = "CUDA" if failed and all(e.kind == _CUDA for e in failed) else "NCCL"
    what = f"{counted(times_printed(failed) or 1, 'call')} of {library} failed"
    word = said[0].text if said else (last[0] if last else "")
    silent = "" if library == "CUDA" and errors else f", and no line of {library}'s log says why"
    why = f"; NCCL says: {word[:160]}" if word else silent
    yield finding(
        "nccl-error-unexplained",
        f"{at_hosts(hosts_of(found))}{what}" + (f" ({listed(errors)[:160]})" if errors else "") + why,
        severity="error" if elsewhere_fine(refs_of(found), sweeps) else "critical",
        confidence="likely" if word else "certain",
        evidence=(*lines_evidence((w.ref for w in said), 2), *lines_evidence(refs_of(found))),
        suspects=suspects("node", hosts_of(found)),
        explains=("output-truncated", "rank-stuck", *(() if echo else ("rank-lost",))),
        title="NCCL failed, and no rule knows the reason that it gives" if word else "",
        remedy=[
            (
                "Run again with NCCL's log on, and keep what every rank prints.",
                "NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%h.%p.log ...",
            ),
        ],
        references=[f"{NCCL_ENV}#nccl-debug", NCCL_TROUBLESHOOTING],
    )


def _only_warned(said: Sequence[LogWarning], events: Events | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """Warnings in words that no rule knows, without a call that failed: grave only where a process ended badly."""
    if not said or overcome(refs_of(said), sweeps):
        return
    ended = deaths(events)
    hosts = hosts_of(said)
    first = said[0].process.rank
    rank = f"rank {first} says: " if first is not None else ""
    yield finding(
        "nccl-error-unexplained",
        f"{at_hosts(hosts)}NCCL warns{', and a process ended badly' if ended else ''}; {rank}{said[0].text[:160]}",
        severity="critical" if ended else "info" if _lived_through(said, sweeps) else "warning",
        confidence="likely" if ended else "possible",
        evidence=lines_evidence((*refs_of(said[:3]), *(death.event.ref for death in ended[:1])), 4),
        suspects=suspects("node", hosts),
        explains=("output-truncated", "rank-stuck", "rank-lost") if ended else (),
        remedy=[("See what NCCL printed before it.", "NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%h.%p.log ...")],
        references=[NCCL_TROUBLESHOOTING],
    )


def _lived_through(said: Sequence[LogWarning], sweeps: Sweeps | None) -> bool:
    """Did a benchmark of the same output, which came to its end, still measure behind each of these lines?"""
    last = [(s.run.source, s.points[-1].ref.line) for s in sweeps.all if s.complete and s.points] if sweeps else []
    return all(any(source == one.ref.source and line > one.ref.line for source, line in last) for one in said)


def _trails(warnings: Warnings | None) -> tuple[LogMessage, ...]:
    """Trails of errors (``init.cc:1263 -> 2``) that reached the caller. Without a warning they explain nothing."""
    said = warnings.all if warnings is not None else ()
    return tuple(w for w in said if w.message == "error-trail" and w.groups.get("where", "").startswith(_API))
