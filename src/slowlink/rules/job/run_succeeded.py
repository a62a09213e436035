"""The run says that it came to its end and did its work.

A benchmark suite prints its result, a launcher that its workers finished, an accounting that the job COMPLETED. What
failed before such a line in the same output was overcome: a helper step, an attempt that was started again.

Why it matters: most of the errors in the log of a good run belong to something that did not matter.
How to confirm: ``sacct -j JOB -o JobID,State,ExitCode``, or the exit status of the launcher.
What to do: nothing. It says that the work was done, and not how fast.
When it is wrong: when the line is of a part of the job, and another part failed elsewhere. After a framework stopped
itself for a signal in the same output, such a line is no success: its workers left in order, before the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Paces
from slowlink.rules.evidence.early_stops import successes
from slowlink.rules.evidence.findings import Proof, line_evidence

CAUSES = ()
DENIES = ("application-error", "rank-lost", "rank-stuck", "process-crashed", "nccl-error-unexplained", "time-limit")


def check(events: Events, paces: Paces | None) -> Iterator[Proof]:
    """A proof of no weight for each output: nothing was measured."""
    last = {event.ref.source: event for event in successes(events, paces)}
    for event in last.values():
        yield Proof(
            f"the run came to its end: {event.text[:120]}",
            (line_evidence(event.ref, observed="success"),),
            weight=0,
        )
