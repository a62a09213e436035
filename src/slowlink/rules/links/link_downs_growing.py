"""A link went down between two readings, or has gone down very often.

link_downed, or the carrier changes of the interface (two for each loss), grew from one reading to the next: the link
was lost in between. A total says only that something happened since the last reset. It is noted where the counter of
eight bits is full (255), from 1000 on, and where one port lost its link far more often than all its like on the node,
which have been through the same restarts.

Why it matters: a flap of some seconds ends a job (completion status 12), a shorter one shows as a slow iteration.
How to confirm: ``dmesg -T | grep -i link`` on the node; read the counter again after some hours.
What to do: clean or replace the cable or transceiver, then change the switch port; watch whether the flap moves with
it.
When it is wrong: the node, its driver or the switch was restarted between the readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.readings import Growth, latest, without
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.counters import far_above_their_like, growth_evidence, growth_of_each
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC
from slowlink.rules.evidence.messages import BROKEN_PATH, counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.cable_command import cable_command_of

CAUSES = ("link-flapping",)

_COUNTERS = ("port-link-downed", "interface-link-down-events", "interface-carrier-changes")
Counters = Annotated[Readings, Of(*_COUNTERS)]
_EIGHT_BITS = 255
"""Where link_downed stops, as the InfiniBand specification defines it (PortCounters)."""
_CHANGES_A_FLAP = 2
"""The carrier changes when the link goes down, and again when it comes up."""


class Params(Struct, frozen=True):
    """Totals that are noted although nothing is known to have grown."""

    huge: int = 1000
    """Losses since the counter was last reset: restarts alone hardly make as many. A limit of ours."""
    many: int = 10
    """Losses of one port that are many beside those of its like. A limit of ours."""
    times: int = 5
    """How many times as many as any other of its like has it has."""


def check(counters: Counters, params: Params) -> Iterator[Finding]:
    """Growth first; totals only where nothing grew."""
    mine = [reading for reading in counters.all if reading.part.kind != "fabric-port"]
    losses = {(grown.last.host, grown.last.part): grown for grown in _losses(mine) if grown.by > 0}
    if losses:
        yield _flapped(list(losses.values()))
        return
    downed = [r for r in mine if r.attribute == "port-link-downed"]
    often = [r for r in latest(downed).values() if r.value == _EIGHT_BITS or _count(r) >= params.huge]
    if often:
        yield _often(often)
    unlike = (
        r
        for name in _COUNTERS
        for r in far_above_their_like([r for r in mine if r.attribute == name], params.many, params.times, _total)
    )
    odd = without(unlike, often)
    if odd:
        yield _odd(odd)


def _total(reading: Reading) -> int:
    """Losses, whatever the counter counts."""
    return _count(reading) // (_CHANGES_A_FLAP if reading.attribute == "interface-carrier-changes" else 1)


def _losses(readings: Sequence[Reading]) -> list[Growth]:
    """How often each link was lost between its first and its last reading."""
    return [
        replace(g, by=g.by // _CHANGES_A_FLAP) if g.last.attribute == "interface-carrier-changes" else g
        for g in growth_of_each(readings)
    ]


def _count(reading: Reading) -> int:
    return reading.value if isinstance(reading.value, int) else 0


def _ports(readings: Sequence[Reading]) -> list[str]:
    return list(dict.fromkeys(reading.part.name.removesuffix("/1") for reading in readings))


def _flapped(losses: Sequence[Growth]) -> Finding:
    readings = [each.last for each in losses]
    most = max(each.by for each in losses)
    ports = _ports(readings)
    return finding(
        "link-flapping",
        f"{on_nodes(readings)}{listed(ports)} lost {'its' if len(ports) == 1 else 'their'} link "
        f"{'up to ' if len(losses) > 1 else ''}{counted(most, 'time')} between two readings",
        severity="error",
        confidence="certain",
        evidence=growth_evidence(losses),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("bandwidth-unstable", "link-errors", *BROKEN_PATH),
        remedy=[("Read the cable's and the port's own counters.", cable_command_of(readings[0]))],
        references=[IBV_ASYNC],
    )


def _odd(odd: Sequence[Reading]) -> Finding:
    return finding(
        "link-flapping",
        f"{on_nodes(odd)}{listed(_ports(odd))} lost the link {counted(_total(odd[0]), 'time')} since the counter was "
        "last reset, far more often than the other ports of the node; when, a total cannot say",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(odd),
        suspects=(*part_suspects("port", odd), *node_suspects(odd)),
        explains=("bandwidth-unstable",),
        remedy=[
            ("See when it happened.", "dmesg -T | grep -iE 'link|carrier'"),
            ("Read the cable's and the port's own counters.", cable_command_of(odd[0])),
        ],
        references=[IBV_ASYNC],
    )


def _often(often: Sequence[Reading]) -> Finding:
    full = any(reading.value == _EIGHT_BITS for reading in often)
    end = ", where its eight bits end" if full else ""
    return finding(
        "link-flapping",
        f"{on_nodes(often)}{listed(_ports(often))} lost the link {often[0].value} times since the counter was last "
        f"reset{end}; when, a total cannot say: read it again",
        severity="info",
        confidence="possible",
        evidence=reading_evidence(often),
        suspects=(*part_suspects("port", often), *node_suspects(often)),
        remedy=[("Read it before and after a run.", "perfquery")],
        references=[IBV_ASYNC],
    )
