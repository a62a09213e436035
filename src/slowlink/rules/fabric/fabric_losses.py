"""A port of the fabric discarded packets, or lost its link, at some time.

A port counts a lost link whenever it goes down, also when a node starts again, and discards packets when nobody takes
them in time or its peer is gone. Read once, both may date from the day the cable was plugged in. So they are noted;
many lost links, or discards that are a part of what the port sent, are a warning.

Why it matters: lost packets are sent again, or break a queue pair; while a link is down nothing moves on it.
How to confirm: read the counters again after the job (``perfquery -x LID PORT``), and see whether they grew.
What to do: where links are lost, clean, reseat or replace the cable; where packets are, look for congestion, a slow
receiver, or a path whose end is gone.
When it is wrong: nodes that were started often, or maintenance, raised the counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.fabric import Picture, now
from slowlink.facts.readings import by_part, growth
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_counts import (
    DISCARDS,
    LOST_AT_START,
    LOST_LINKS,
    SOME_DISCARDS,
    Rise,
    counters_of_ports,
)
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, port_suspects, some

CAUSES = ("link-flapping", "fabric-congestion")
_SENT = "port-xmit-packets"
_WHAT = {"link-flapping": "lost the link", "fabric-congestion": "discarded packets"}


class Params(Struct, frozen=True):
    """From when on a warning is due."""

    many_downs: int = 10
    """Lost links: more than maintenance and starts of a node bring."""
    lost_share: float = 1e-4
    """Discarded packets of all that the port sent: one in ten thousand, where a sound lossless fabric has none."""


def check(
    counters: Annotated[Readings, Of(DISCARDS, LOST_LINKS)],
    packets: Annotated[Readings, Of(_SENT)] | None,
    fabric: Annotated[Readings, Of("link-lid", "link-guid", "link-peer", "fabric-node-type")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for lost links, one for discarded packets; ports that were read twice are left to the growth."""
    found = counters_of_ports(counters.all)
    sent = {r.part: int(r.value) for r in counters_of_ports(packets.all if packets else ()).get(_SENT, ())}
    picture = next(iter(now(fabric.all)), None) if fabric is not None else None
    for name, allowed, cause in ((LOST_LINKS, LOST_AT_START, CAUSES[0]), (DISCARDS, SOME_DISCARDS, CAUSES[1])):
        if once := _above(found.get(name, ()), allowed):
            yield _finding(cause, once, sent, picture, params)


def _above(series: Sequence[Reading], allowed: int) -> list[Rise]:
    """Ports with one reading above what each may have, the highest first."""
    twice = {each.last.part for each in growth(series)}
    last = [readings[-1] for readings in by_part(series).values()]
    high = [Rise(r, int(r.value)) for r in last if r.part not in twice and int(r.value) > allowed]
    return sorted(high, key=lambda rise: -rise.by)


def _is_much(rise: Rise, sent: Mapping[Part, int], params: Params) -> bool:
    if rise.last.attribute == LOST_LINKS:
        return rise.by >= params.many_downs
    return rise.by >= params.lost_share * sent.get(rise.last.part, float("inf"))


def _finding(
    cause: str, found: Sequence[Rise], sent: Mapping[Part, int], picture: Picture | None, params: Params
) -> Finding:
    ports = list(dict.fromkeys(rise.last.part.name for rise in found))
    much = any(_is_much(rise, sent, params) for rise in found)
    return finding(
        cause,
        f"{counted(len(ports), 'port')} of the fabric {_WHAT[cause]} at some time: "
        f"{some([rise.words for rise in found])}"
        "; a second reading shows whether it goes on",
        severity="warning" if much else "info",
        confidence="possible",
        evidence=[line_evidence(rise.last.ref) for rise in found[:4]],
        suspects=port_suspects(picture if picture is not None else Picture("", None, {}, {}), ports[:20]),
        remedy=[("Read them again after the job, and compare.", "perfquery -x LID PORT")],
        references=[FABRIC_TOOLS],
        title="" if cause == CAUSES[0] else "A port of the fabric discarded packets",
    )
