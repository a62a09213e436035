"""A link of the fabric goes down and up again.

The HCA told NCCL, or the kernel or UFM logged, that a port lost its link and got it back. Transfers in flight wait or
are lost. How sure that is depends on how often one port did so in one log, and on who says so:

- not at all: a port that is down after the kernel or its driver began, and was not up in between.
- once: a warning, possible. A restart of the switch looks the same, and of the node or the driver, where the log does
  not show it.
- 2 to 4 times: an error, likely, where NCCL, the HCA's driver or a bond says so; a warning where only network daemons
  (lost carriers) or UFM do, which log every restart.
- 5 times and more: an error, certain.

Why it matters: a flap of some seconds ends a job (completion status 12), a shorter one shows as a slow iteration.
How to confirm: ``dmesg -T | grep -iE 'link|carrier'`` on the node; link_downed in ``perfquery`` before and after a run;
``mlxlink -d HCA -m``.
What to do: clean or replace the cable or transceiver, then change the switch port; watch whether the flap moves with
it.
When it is wrong: links also go down and up when a node, a switch or a subnet manager is restarted on purpose, and a log
of many months holds many restarts: look at the times of the lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.model.facts import Events, Of, Readings, Sweeps, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC
from slowlink.rules.evidence.messages import (
    BROKEN_PATH,
    LogMessage,
    at_hosts,
    hosts_of,
    listed,
    overcome,
    refs_of,
)
from slowlink.rules.links.cable_command import cable_command
from slowlink.rules.links.link_starts import Starts
from slowlink.rules.links.port_events import by_device, flaps, ports_that_fell, returned

CAUSES = ("link-flapping",)


class Params(Struct, frozen=True):
    """How many losses of one port in one log mean what. Limits of ours: a log need not say how long it is."""

    losses: int = 2
    """An error from here on where NCCL, the HCA's driver or a bond says so; one loss is no flapping."""
    lost_carriers: int = 5
    """An error from here on whoever says so, and certain."""


def check(
    warnings: Warnings | None,
    events: Events | None,
    sweeps: Sweeps | None,
    releases: Annotated[Readings, Of("kernel-release")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for all ports that fell and came back."""
    back = returned(warnings, events)
    fell = Starts(events, releases).lost(ports_that_fell(warnings, events), back)
    flapped = {port: messages for port, messages in fell.items() if port in back}
    found = [message for messages in flapped.values() for message in messages]
    if not found:
        return
    first = next(iter(flapped))
    names = [port.name for port in flapped if port.name]
    severity, confidence = _judged(list(flapped.values()), params)
    in_the_job = any(isinstance(message, LogWarning) for message in found)
    breaks = (severity == "error" or in_the_job) and not overcome(refs_of(found), sweeps)
    yield finding(
        "link-flapping",
        f"{at_hosts(hosts_of(found))}{listed(names) or 'a port'} {_lost(list(flapped.values()))} and got it back",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(
            (*refs_of(found[:3]), *(ref for port in flapped for ref in refs_of(back[port])[:1])), 5
        ),
        suspects=(*suspects("port", names), *suspects("node", hosts_of(found))),
        explains=("bandwidth-unstable", *(BROKEN_PATH if breaks else ())),
        remedy=[
            ("Read the cable's and the port's own counters.", cable_command(first.name, first.named_by)),
            ("See when it happened before.", "dmesg -T | grep -iE 'link|carrier'"),
        ],
        references=[IBV_ASYNC],
    )


def _judged(ports: Sequence[Sequence[LogMessage]], params: Params) -> tuple[Severity, Confidence]:
    """How bad and how sure, from the messages of a lost link of each port."""
    most = max(map(flaps, ports))
    if most >= params.lost_carriers:
        return "error", "certain"
    if max(flaps(by_device(messages)) for messages in ports) >= params.losses:
        return "error", "likely"
    return "warning", "likely" if most > 1 else "possible"


def _lost(ports: Sequence[Sequence[LogMessage]]) -> str:
    """``lost its link once``, ``lost their links once each``, ``lost their links 7 times``."""
    times = [flaps(messages) for messages in ports]
    link = "its link" if len(ports) == 1 else "their links"
    if max(times) == 1:
        return f"lost {link} once{' each' if len(ports) > 1 else ''}"
    return f"lost {link} {sum(times)} times"
