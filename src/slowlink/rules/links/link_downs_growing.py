"""A link went down between two readings, or has gone down very often.

link_downed (and the interface's carrier changes) grew from one reading to the next: the link was lost meanwhile. A
total says only that something happened since the last reset; it is noted where the counter is at its end (255 in eight
bits) or huge.

Why it matters: a flap of some seconds ends a job (completion status 12), a shorter one shows as a slow iteration.
How to confirm: ``dmesg -T | grep -i link`` on the node; the counter again after some hours.
What to do: clean or replace the cable or transceiver, then change the switch port; see whether the flap moves with it.
When it is wrong: the node, its driver or the switch was restarted between the readings, or on purpose before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from slowlink.facts.readings import growth, latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Evidence, Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC
from slowlink.rules.evidence.messages import BROKEN_PATH, counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("link-flapping",)

Counters = Annotated[Readings, Of("port-link-downed", "interface-link-down-events", "interface-carrier-changes")]
_EIGHT_BITS = 255
_CHANGES_A_FLAP = 2
"""Down and up again."""


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    huge: int = 1000
    """A lifetime total from which it is worth a note."""


def check(counters: Counters, params: Params) -> Iterator[Finding]:
    """Growth first; totals only where nothing grew."""
    mine = [reading for reading in counters.all if reading.part.kind != "fabric-port"]
    names = dict.fromkeys(reading.attribute for reading in mine)
    grown = [g for name in names for g in growth(reading for reading in mine if reading.attribute == name)]
    flaps = {}
    for g in grown:
        by = g.by // _CHANGES_A_FLAP if g.last.attribute == "interface-carrier-changes" else g.by
        if by > 0:
            flaps[g.last.host, g.last.part] = (by, g.first, g.last)
    if flaps:
        yield _flapped(list(flaps.values()))
        return
    downed = [r for r in mine if r.attribute == "port-link-downed"]
    often = [r for r in latest(downed).values() if r.value == _EIGHT_BITS or _count(r) >= params.huge]
    if often:
        yield _often(often)


def _count(reading: Reading) -> int:
    return reading.value if isinstance(reading.value, int) else 0


def _ports(readings: Sequence[Reading]) -> list[str]:
    return list(dict.fromkeys(reading.part.name.removesuffix("/1") for reading in readings))


def _flapped(flaps: Sequence[tuple[int, Reading, Reading]]) -> Finding:
    readings = [last for _, _, last in flaps]
    most = max(by for by, _, _ in flaps)
    ports = _ports(readings)
    return finding(
        "link-flapping",
        f"{on_nodes(readings)}{listed(ports)} lost {'its' if len(ports) == 1 else 'their'} link "
        f"{'up to ' if len(flaps) > 1 else ''}{counted(most, 'time')} between two readings",
        severity="error",
        confidence="certain",
        evidence=[
            Evidence(last.ref.source, last.ref.line, last.ref.text, f"{last.value}", f"as before: {first.value}")
            for _, first, last in flaps[:4]
        ],
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("bandwidth-unstable", "link-errors", *BROKEN_PATH),
        remedy=[("Read the cable's and the port's own counters.", f"mlxlink -d {ports[0].partition('/')[0]} -m -c -e")],
        references=[IBV_ASYNC],
    )


def _often(often: Sequence[Reading]) -> Finding:
    full = any(reading.value == _EIGHT_BITS for reading in often)
    end = ", where its eight bits end" if full else ""
    return finding(
        "link-flapping",
        f"{on_nodes(often)}{listed(_ports(often))} lost the link {often[0].value} times since the counter "
        "was last reset"
        f"{end}; when, a total cannot say: read it again",
        severity="info",
        confidence="possible",
        evidence=reading_evidence(often),
        suspects=(*part_suspects("port", often), *node_suspects(often)),
        remedy=[("Read it before and after a run.", "perfquery")],
        references=[IBV_ASYNC],
    )
