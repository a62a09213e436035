"""Processors or HCAs of a node are too hot.

The kernel logged that it slowed a processor down because of heat, or the driver of an HCA that a sensor is above its
limit; or lm-sensors shows a temperature at its critical limit. GPUs say so themselves; gpu-clocks-throttled is their
rule.

Why it matters: the proxy threads on a slowed processor drive the network late; an HCA that grows hotter still switches
itself off.
How to confirm: ``ipmitool sensor``; ``sensors``; ``mget_temp -d HCA``; compare with the node's neighbours.
What to do: look at fans, filters, inlet temperature, and the cooling of the cable modules.
When it is wrong: a processor that touches its limit for a moment logs this, too, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Events, Of, Readings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Suspect
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, counted, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("node-too-hot",)


_REMEDY = [
    ("Read temperatures and fans, beside those of another node.", "ipmitool sensor; mget_temp -d HCA"),
    ("Look at fans, filters and inlet temperature.", ""),
]


def check(events: Events | None, sensors: Annotated[Readings, Of("sensor-critical")] | None) -> Iterator[Finding]:
    """One finding for processors, one for HCAs, one for sensors."""
    hot = [r for r in latest(sensors.all).values() if r.value is True] if sensors is not None else []
    if hot:
        yield finding(
            "node-too-hot",
            f"{on_nodes(hot)}{listed(list(dict.fromkeys(r.part.name for r in hot)))} reached the critical temperature",
            severity="error",
            confidence="likely",
            evidence=reading_evidence(hot),
            suspects=node_suspects(hot),
            remedy=_REMEDY,
        )
    if processors := happened(events, "kernel-thermal"):
        number = len(groups_of(processors, "cpu"))
        yield _finding(f"heat slowed {counted(number, 'processor')} down", processors, ())
    if hcas := happened(events, "kernel-hca-hot"):
        devices = groups_of(hcas, "pci")
        yield _finding(f"HCA {listed(devices)} is too hot", hcas, suspects("hca", devices))


def _finding(what: str, found: Sequence[JobEvent], parts: Sequence[Suspect]) -> Finding:
    hosts = hosts_of(found)
    return finding(
        "node-too-hot",
        f"{at_hosts(hosts)}{what}",
        severity="warning",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*parts, *suspects("node", hosts)),
        remedy=_REMEDY,
    )
