"""Somebody says that a job is slow, hangs or crashes, and shows nothing that tells why.

A sentence such as "our all_reduce is very slow" above the output of a tool is no fault by itself, and names no part.
But whoever wrote it knows that something is wrong: sound parts alone do not prove the contrary. A collective that was
measured does; a link only where the network is complained about.

Why it matters: sound GPUs below such a sentence would otherwise be called a healthy job.
How to confirm: measure what is said to be slow, or keep the log of what is said to end.
What to do: see the remedy: which output would show it.
When it is wrong: the sentence speaks of another job, or of what was mended meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.expectations import Expectations
from slowlink.model.facts import Observations
from slowlink.model.report import Finding
from slowlink.parsers.complaints.told_trouble import KIND
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, line_evidence

CAUSES = ("trouble-told",)

_SAID = {"slow": "is slow", "hanging": "hangs", "crashing": "crashes"}
_WANTED = {
    "slow": (
        "Measure it over the same ranks, with NCCL's own log.",
        "NCCL_DEBUG=INFO all_reduce_perf -b 8 -e 8G -f 2 -g 1",
    ),
    "hanging": ("Read the stacks of all ranks while it hangs.", "py-spy dump --pid PID"),
    "crashing": ("Keep the log of every rank up to its end, with NCCL's own.", "NCCL_DEBUG=INFO"),
}


_OF_LINKS = regex(
    r"(?i)(?:network|bandwidth|through-?put|performance|speed|communication|it|带宽|吞吐|性能|速度|速率|网络|通信)$"
)
"""A measured link answers a complaint about these, and none about a collective or a job."""


def check(observations: Observations, expectations: Expectations | None) -> Iterator[Finding]:
    """One finding, with what would show it."""
    answered = expectations is not None and expectations.links
    told = [
        seen
        for seen in observations.all
        if seen.kind == KIND and seen.value in _SAID and not (answered and _OF_LINKS.match(seen.subject))
    ]
    if not told:
        return
    how = list(dict.fromkeys(seen.value for seen in told))
    words = " and ".join(_SAID[each] for each in how)
    yield finding(
        "trouble-told",
        f"somebody says that something {words}, and nothing that was read proves why",
        severity="info",
        confidence="possible",
        evidence=[line_evidence(seen.ref) for seen in told[:3]],
        remedy=[_WANTED[each] for each in how],
    )
