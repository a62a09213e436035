"""Every rank entered an operation and none finishes it, as flight recorders show.

No rank is missing: what carries the operation does not move. That is a path of the fabric, a GPU that hangs in its
kernel, or a setting that deadlocks the transport.

Why it matters: looking for the missing rank is in vain here.
How to confirm: run the same collective with nccl-tests over the same nodes. On all nodes of the group, look for Xid
and link messages (``dmesg -T``), and for ports whose counters do not grow.
What to do: isolate the node or the path (halves of the nodes), or take back the setting that changed last.
When it is wrong: dumps that were asked for while the job ran show this too, since some operation is always on its way.
It is only a warning where no watchdog gave up, and no rank enqueued other work a whole time-out later.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.hang import Flights, FlightSet, Wait
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING, TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import happened
from slowlink.rules.hang.flight_phrases import evidence_of_wait, operation_name

CAUSES = ("rank-stuck",)

_TIMED_OUT = ("torch-watchdog-timeout", "torch-watchdog-exception")


def check(flights: Flights, events: Events | None) -> Iterator[Finding]:
    """One finding for each operation that all its ranks are in; only a warning where no time-out shows."""
    for found in flights.all:
        if found.moved or found.blocked or found.circle or found.differences:
            continue  # the job ran on, or another rule about flight recorders names ranks
        for wait in found.together[:1]:
            yield _finding(found, wait, bool(happened(events, *_TIMED_OUT)) or _given_up(found, wait))


def _given_up(found: FlightSet, wait: Wait) -> bool:
    """Did a watchdog retire it unfinished, or did some rank enqueue work so much later that its time was over?"""
    newest = max((e.created_ns or 0 for dump in found.dumps.values() for e in dump.entries), default=0)
    entries = [found.oldest[rank] for rank in wait.waiting if rank in found.oldest]
    return any(
        entry.retired
        or (entry.created_ns and entry.timeout_ms and newest - entry.created_ns > entry.timeout_ms * 1_000_000)
        for entry in entries
    )


def _finding(found: FlightSet, wait: Wait, timed_out: bool) -> Finding:
    return finding(
        "rank-stuck",
        f"all {len(wait.waiting)} ranks entered {operation_name(wait)}, and none has finished it"
        + (
            ": the network or a GPU stands still, no rank is missing" if timed_out else "; a job that runs looks so too"
        ),
        severity="critical" if timed_out else "warning",
        confidence="likely" if timed_out else "possible",
        evidence=[evidence_of_wait(found, wait)],
        explains=("output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[
            ("Run the same collective over the same nodes.", "slowlink run all_reduce --nodes NODES"),
            ("Look for GPU and link faults on all of them.", "dmesg -T | grep -i -E 'xid|mlx5|link'"),
        ],
        references=[NCCL_TROUBLESHOOTING, TORCH_DISTRIBUTED],
    )
