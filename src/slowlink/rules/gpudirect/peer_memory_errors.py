"""The peer-memory module is loaded and reports errors.

nvidia_peermem lets an HCA read GPU memory. It logs "ERROR detected invalid context" when memory that it still serves
belongs to a context that is gone.

Why it matters: direct access to GPU memory may fail for the process that runs then; it mostly is one that ends.
How to confirm: ``dmesg -T | grep peermem`` beside the times at which jobs began and ended.
What to do: look at the process that ended first. If a running job logs it, reload nvidia_peermem, or move to DMA-BUF.
When it is wrong: a process that is killed leaves such lines behind, and nothing else is wrong with the node.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import GPUDIRECT_RDMA
from slowlink.rules.evidence.messages import (
    at_hosts,
    counted,
    groups_of,
    happened,
    hosts_of,
    listed,
    refs_of,
    times_printed,
)

CAUSES = ("peer-memory-error",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all errors."""
    found = happened(events, "kernel-peer-memory-error")
    if not found:
        return
    said = listed(groups_of(found, "error"), 2)
    yield finding(
        "peer-memory-error",
        f"{at_hosts(hosts_of(found))}nvidia_peermem reported {counted(times_printed(found), 'error')}: {said}",
        severity="warning",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts_of(found)),
        remedy=[
            ("See what ended at that time.", "dmesg -T | grep -B5 peermem"),
            ("Load the module anew while no job runs.", "modprobe -r nvidia_peermem && modprobe nvidia_peermem"),
        ],
        references=[GPUDIRECT_RDMA],
    )
