"""A link of the fabric is down that should be up.

A port had a link in an earlier picture and has none now; a host has fewer linked adapters than hosts of its kind; a
leaf switch has fewer links to other switches than its siblings; or a leaf has no host where all its siblings have one.
Ports that never had a link are no fault, and a picture that was cut off is compared with nothing.

Why it matters: the remaining adapters carry all traffic of the host; a lost link between switches narrows every path
over them.
How to confirm: ``iblinkinfo`` shows Down/Polling at the port; look at its light; ``mlxlink -d lid-LID -p PORT``.
What to do: check cable and transceiver at both ends; enable the port with ``ibportstate LID PORT enable``.
When it is wrong: the fabric may have been built unequal, or hosts be switched off on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated

from slowlink.facts.fabric import Picture, now, pictures
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.fabric.fabric_gaps import Gap, lost_links, poor_hosts, poor_leaves
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, LOST_LINK, port_suspects

CAUSES = ("port-down",)


def check(
    links: Annotated[Readings, Of("link-peer", "link-connected", "link-state", "fabric-node-type")],
) -> Iterator[Finding]:
    """Links that were lost, then hosts and switches with fewer links than their peers."""
    seen = [picture for picture in pictures(links.all) if any(port.peer for port in picture.ports.values())]
    for earlier, later in pairwise(seen):
        for gap in lost_links(earlier, later):
            yield _down(earlier, gap)
    for picture in (picture for picture in now(links.all) if picture.whole()):
        for gap in (*poor_hosts(picture), *poor_leaves(picture)):
            yield _down(picture, gap)


def _down(picture: Picture, gap: Gap) -> Finding:
    sure = gap.confidence != "possible"
    ports = tuple(port for port in gap.ports if not gap.hosts)
    return finding(
        "port-down",
        gap.text,
        severity="error" if sure else "warning",
        confidence=gap.confidence,
        evidence=lines_evidence((reading.ref for reading in gap.shown), 4),
        suspects=(
            *port_suspects(picture, ports),
            *suspects("hca", gap.ports if gap.hosts else ()),
            *suspects("node", gap.hosts),
        ),
        explains=LOST_LINK if sure else (),
        remedy=[
            ("See the state of the ports.", "iblinkinfo -l | grep -E 'Down|Polling'"),
            ("Read what the port says of its cable.", "mlxlink -d lid-LID -p PORT -m"),
        ],
        references=[FABRIC_TOOLS],
    )
