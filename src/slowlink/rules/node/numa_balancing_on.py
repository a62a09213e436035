"""Automatic NUMA balancing moves pages under running ranks.

From time to time the kernel unmaps pages to see which NUMA node touches them, and moves them there. The setting itself
shows it, and RCCL warns of it.

Why it matters: the threads that drive the network stall at times, which shows as slow iterations without a pattern.
How to confirm: ``cat /proc/sys/kernel/numa_balancing`` shows 1.
What to do: ``sysctl kernel.numa_balancing=0``, and keep it in /etc/sysctl.d; bind ranks to the cores of their GPU.
When it is wrong: if ranks are bound to memory and cores there is little to move; the setting alone proves no loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings, Warnings
from slowlink.model.report import Evidence, Finding, Suspect
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import KERNEL_SYSCTL, RCCL
from slowlink.rules.evidence.messages import at_hosts, hosts_of, refs_of, warned
from slowlink.rules.evidence.node_readings import by_prepare, node_suspects, on_nodes, reading_evidence

CAUSES = ("numa-balancing-on",)


def check(warnings: Warnings | None, settings: Annotated[Readings, Of("numa-balancing")] | None) -> Iterator[Finding]:
    """One finding for all nodes where the setting is on; where none was read, for all that RCCL warns of."""
    now = list(latest(settings.all).values()) if settings is not None else []
    found = warned(warnings, "numa-balancing-on")
    if any(reading.value for reading in now):
        bad = [reading for reading in now if reading.value]
        yield _finding(
            on_nodes(bad),
            reading_evidence(bad, expected="off"),
            node_suspects(bad),
            by_prepare("numa-balancing", bad),
        )
    elif found:
        yield _finding(at_hosts(hosts_of(found)), lines_evidence(refs_of(found)), suspects("node", hosts_of(found)))


def _finding(
    where: str, evidence: tuple[Evidence, ...], nodes: tuple[Suspect, ...], *remedies: tuple[str, str]
) -> Finding:
    return finding(
        "numa-balancing-on",
        f"{where}automatic NUMA balancing is on: the kernel may move memory under running ranks",
        severity="warning",
        confidence="certain",
        evidence=evidence,
        suspects=nodes,
        explains=("bandwidth-unstable", "bandwidth-bimodal"),
        remedy=[("Switch it off.", "sysctl -w kernel.numa_balancing=0"), *remedies],
        references=[KERNEL_SYSCTL, RCCL],
    )
