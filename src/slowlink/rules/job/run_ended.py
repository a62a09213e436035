"""A run that slowlink started did not come to its end.

slowlink notes how each process ended: by itself, at the time limit (``--timeout``), because somebody interrupted it, or
because it fell silent while a node no longer answered. MPI says nothing when a link is cut: the ranks wait for ever,
and only the silence shows. An interrupt accuses nobody: what ranks and launcher say of their end follows from it.
Where no end was noted, slowlink itself was killed, or is still at it: the run may have been about to fail.

Why it matters: what was printed before is still valid, but nothing is known of the sizes that were not reached.
How to confirm: try to log in to the silent node; read its console, and the counters of its switch port.
What to do: take the silent node out (``slowlink nodes --check`` tests all of them), and run again.
When it is wrong: a very slow run reaches its time limit although nothing is broken; give it more time. While all
nodes answer it is a warning only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects

CAUSES = ("rank-lost", "rank-stuck", "run-interrupted")

_EXPLAINS = ("output-truncated", "rank-stuck", "launcher-failed", "nccl-error-unexplained", "process-crashed")
_MOST_EVIDENCE = 4


def check(events: Events) -> Iterator[Finding]:
    """One finding for each run that was given up. Runs that ended by themselves are for other rules."""
    ends = [event for event in events.all if event.kind == "slowlink-run-ended"]
    for event in ends:
        reason = event.groups.get("reason", "")
        if reason == "silent":
            yield _silent(event)
        elif reason == "timeout":
            yield _timeout(event)
        elif reason == "interrupted":
            yield _interrupted(event)
    if cut_off := [event for event in ends if event.groups.get("reason") == "cut-off"]:
        yield _cut_off(cut_off)


def _nodes(event: JobEvent) -> list[str]:
    return [name for name in event.groups.get("nodes", "").replace(",", " ").split() if name]


def _silent(event: JobEvent) -> Finding:
    nodes = _nodes(event)
    who = ", ".join(nodes) if nodes else "a node"
    return finding(
        "rank-lost",
        f"{who} fell silent during the run and no longer answers; the other ranks waited for it",
        severity="critical",
        confidence="certain" if nodes else "likely",
        suspects=suspects("node", nodes),
        evidence=[line_evidence(event.ref, observed=event.text, expected="rows, or an answer of the node")],
        explains=_EXPLAINS,
        remedy=[
            ("See which nodes answer, and take the others out.", "slowlink nodes --nodes ... --check"),
            ("Look at the node's console and at its link.", ""),
        ],
    )


def _timeout(event: JobEvent) -> Finding:
    return finding(
        "rank-stuck",
        "the run did not end within its time limit and was ended; all nodes still answered",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(event.ref, observed=event.text)],
        remedy=[("Give it more time, or a smaller sweep, to tell slow from stuck.", "slowlink run ... --timeout 1800")],
    )


def _interrupted(event: JobEvent) -> Finding:
    seconds = event.groups.get("seconds", "")
    after = f" after {float(seconds):.0f} s" if seconds.replace(".", "", 1).isdecimal() else ""
    return finding(
        "run-interrupted",
        f"interrupted{after}: somebody ended the run; nothing is known of what was still to come",
        severity="info",
        confidence="certain",
        evidence=[line_evidence(event.ref, observed=event.text)],
        explains=("output-truncated", "rank-stuck"),
        remedy=[("Let it run to its end to know the rest.", "")],
    )


def _cut_off(events: Sequence[JobEvent]) -> Finding:
    """However many captures have no end: they all ended with slowlink. It explains no fault."""
    return finding(
        "run-interrupted",
        "the run was cut off: slowlink itself was killed; run it again",
        severity="warning",
        confidence="certain",
        evidence=[line_evidence(event.ref, observed=event.text) for event in events[:_MOST_EVIDENCE]],
        explains=("output-truncated",),
        remedy=[("Run it again, and let it run to its end; if it is still running, wait for it.", "")],
    )
