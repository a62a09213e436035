"""The run says that it came to its end and did its work.

A benchmark suite prints its result, a launcher that its workers finished, an accounting that the job COMPLETED. What
failed before such a line in the same output was overcome: a helper step, an attempt that was started again.

Why it matters: most of the errors in the log of a good run belong to something that did not matter.
How to confirm: ``sacct -j JOB -o JobID,State,ExitCode``, or the exit status of the launcher.
What to do: nothing. It says that the work was done, and not how fast.
When it is wrong: when the line is of a part of the job, and another part failed elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.rules.evidence.findings import Proof, line_evidence
from slowlink.rules.evidence.messages import happened

CAUSES = ()
DENIES = ("application-error", "rank-lost", "rank-stuck", "process-crashed", "nccl-error-unexplained", "time-limit")


def check(events: Events) -> Iterator[Proof]:
    """A proof of no weight for each output: nothing was measured."""
    last = {event.ref.source: event for event in happened(events, "run-succeeded")}
    for event in last.values():
        yield Proof(
            f"the run came to its end: {event.text[:120]}",
            (line_evidence(event.ref, observed="success"),),
            weight=0,
        )
