"""Packets of RDMA connections were lost and sent again.

Acknowledgements that came too late, gaps in sequence numbers that a peer reported, or transfers given up grew between
two readings. The HCA sends again after a time-out, which stalls a collective for milliseconds each time.

Why it matters: the slowest transfer decides the time of a collective, and after seven retries the job ends (completion
status 12).
How to confirm: two causes raise the same counters. Read symbol errors and discards of both ends and of the switch ports
between them: errors mean a bad link; discards without errors mean congestion (on RoCE: somewhere PFC is off, or on for
another priority).
What to do: replace the bad cable, or set up flow control; ``mlnx_qos -i IF`` shows the host's side.
When it is wrong: packets to a peer that crashed or was restarted are lost too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.catalog.attributes import attribute
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.counters import growth_evidence, growth_of_each
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects

CAUSES = ("link-errors",)

_GIVEN_UP = "rdma-req-transport-retries-exceeded"


def check(
    counters: Annotated[Readings, Of("rdma-local-ack-timeout-err", "rdma-packet-seq-err", _GIVEN_UP)],
) -> Iterator[Finding]:
    """One finding for all ports; an error where transfers were given up, else a warning."""
    grown = [each for each in growth_of_each(counters.all) if each.by > 0]
    if not grown:
        return
    grown.sort(key=lambda g: (g.last.attribute != _GIVEN_UP, -g.by))
    readings = [g.last for g in grown]
    ports = list(dict.fromkeys(reading.part.name.removesuffix("/1") for reading in readings))
    worst = grown[0]
    gave_up = worst.last.attribute == _GIVEN_UP
    yield finding(
        "link-errors",
        f"{on_nodes(readings)}{listed(ports)}: {attribute(worst.last.attribute).title} grew by {worst.by}: "
        "packets were lost, on a bad link or to congestion",
        severity="error" if gave_up else "warning",
        confidence="possible",
        evidence=growth_evidence(grown),
        suspects=(*part_suspects("port", readings[:8]), *node_suspects(readings)),
        explains=("bandwidth-unstable", "rdma-retry-exceeded"),
        remedy=[
            ("Look for errors on the link.", command("mlxlink", "-d", as_hca(ports[0]), "-c", "-e")),
            ("Look for discards instead.", "ethtool -S IF | grep -E 'discard|out_of_buffer'"),
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
