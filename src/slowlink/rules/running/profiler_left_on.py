"""slowlink switched the profiler of a running job on, and nothing says that it is off again.

``slowlink attach --profile`` switches it on by NCCL's RAS for a while. What switches it off again outlives slowlink and
tries three times; where the node or the network fails in that time, or the process that was asked, nobody answers.

Why it matters: a profiler costs the job time and fills a disk for as long as it is on.
How to confirm: do the files of the profiler still grow?
What to do: switch it off by any node of the job.
When it is wrong: the process that was asked has ended, and the job with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Observations
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS

CAUSES = ("profiler-left-on",)


def check(observations: Observations) -> Iterator[Finding]:
    """One finding for all places where it was left on."""
    left = [each for each in observations.all if each.kind == "nccl-profiler" and each.value == "left-on"]
    if left:
        yield finding(
            "profiler-left-on",
            f"the profiler of the job may still be on: {left[0].subject} did not confirm that it is off",
            severity="warning",
            confidence="likely",
            evidence=lines_evidence([each.ref for each in left], 3),
            suspects=suspects("node", (each.host for each in left)),
            remedy=[("Switch it off by any node of the job.", "ncclras CONTROL PROFILER_MASK none")],
            references=[NCCL_RAS],
        )
