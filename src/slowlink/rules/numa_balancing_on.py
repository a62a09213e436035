"""Automatic NUMA balancing moves pages under running ranks.

The kernel unmaps pages now and then to see which node touches them, and moves them. RCCL warns of it.

Why it matters: the threads that drive the network stall at times, which shows as slow iterations without a pattern.
How to confirm: ``cat /proc/sys/kernel/numa_balancing`` shows 1.
What to do: ``sysctl kernel.numa_balancing=0``, and keep it in /etc/sysctl.d; bind ranks to the cores of their GPU.
When it is wrong: with ranks bound to memory and cores there is little to move; the setting alone proves no loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Warnings
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.references import KERNEL_SYSCTL, RCCL
from slowlink.rules.seen import at, hosts_of, refs_of, warned


def check(warnings: Warnings) -> Iterator[Finding]:
    """One finding for all nodes that warn."""
    found = warned(warnings, "numa-balancing-on")
    if not found:
        return
    hosts = hosts_of(found)
    yield finding(
        "numa-balancing-on",
        f"{at(hosts)}automatic NUMA balancing is on: the kernel may move memory under running ranks",
        severity="warning",
        confidence="certain",
        evidence=lines(refs_of(found)),
        suspects=suspects("node", hosts),
        remedy=[("Switch it off.", "sysctl -w kernel.numa_balancing=0")],
        references=[KERNEL_SYSCTL, RCCL],
    )
