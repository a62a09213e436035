"""A link of the fabric goes down and up again.

The HCA told NCCL, or the kernel logged, that a port lost its link and got it back. Transfers in flight wait or are
lost.

Why it matters: a flap of some seconds ends a job (completion status 12), a shorter one shows as a slow iteration.
How to confirm: ``dmesg -T | grep -i 'link'`` on the node; link_downed in ``perfquery`` before and after a run;
``mlxlink -d HCA -m``.
What to do: clean or replace the cable or transceiver, then change the switch port; watch whether the flap moves with
it.
When it is wrong: links also go down and up when a node, a switch or a subnet manager is restarted on purpose; one loss
while the node itself starts is only a warning. Lost carriers alone, as the network daemon logs them, and links that
UFM saw go down are a fault from five on (Azure's limit for a day, docs/physics.md 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC
from slowlink.rules.evidence.messages import (
    BROKEN_PATH,
    LogMessage,
    at_hosts,
    counted,
    hosts_of,
    listed,
    overcome,
    refs_of,
)
from slowlink.rules.links.port_events import flaps, ports_that_fell, returned

CAUSES = ("link-flapping",)

_UPTIME = regex(r"\[ {0,8}(\d{1,10}\.\d{1,9})\]")


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    lost_carriers: int = 5
    """Of one log: fewer are a warning."""
    start_s: float = 300.0
    """After a start of the kernel, during which a link that is lost once says nothing."""


def _seconds_up(message: LogMessage) -> float:
    """Seconds since the kernel started, as its log stamps lines; infinite where it does not."""
    stamp = _UPTIME.match(message.text)
    return float(stamp[1]) if stamp is not None else math.inf


def check(warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None, params: Params) -> Iterator[Finding]:
    """One finding for all ports that fell and came back."""
    fell = ports_that_fell(warnings, events)
    back = returned(warnings, events)
    flapped = {port: messages for port, messages in fell.items() if port in back}
    found: Sequence[LogMessage] = [message for messages in flapped.values() for message in messages]
    if not found:
        return
    ports = [port for _, port in flapped if port]
    carriers = all("arrier" in message.text or "Link went down:" in message.text for message in found)
    most = max(flaps(messages) for messages in flapped.values())
    starting = most == 1 and all(_seconds_up(message) < params.start_s for message in found)
    proven = not starting and (not carriers or most >= params.lost_carriers)
    yield finding(
        "link-flapping",
        f"{at_hosts(hosts_of(found))}{listed(ports) or 'a port'} "
        f"lost {'its' if len(ports) < 2 else 'their'} link {counted(sum(map(flaps, flapped.values())), 'time')}"
        " and got it back",
        severity="error" if proven else "warning",
        confidence="certain" if proven else "likely",
        evidence=lines_evidence(
            (*refs_of(found[:3]), *(ref for port in flapped for ref in refs_of(back[port])[:1])), 5
        ),
        suspects=(*suspects("port", ports), *suspects("node", hosts_of(found))),
        explains=("bandwidth-unstable", *(BROKEN_PATH if proven and not overcome(refs_of(found), sweeps) else ())),
        remedy=[
            ("Read the cable's and the port's own counters.", f"mlxlink -d {(ports or ['mlx5_0'])[0]} -m -c -e"),
            ("See when it happened before.", "dmesg -T | grep -iE 'link (up|down)'"),
        ],
        references=[IBV_ASYNC],
    )
