"""Error counters of a port grew between two readings.

Only growth counts: a total since the last reset condemns good ports. Limits per reading: any symbol error, link
recovery, integrity error or buffer overrun; more than 100 received packets with errors (Azure's limit for totals,
docs/physics.md section 6.2). Links with PAM4 (HDR, NDR) correct bit errors all the time; symbol errors are what FEC
could not correct.

Why it matters: a corrupted packet is sent again after a time-out, which stalls the whole collective for milliseconds.
How to confirm: ``perfquery`` or ``mlxlink -d HCA -c -e`` twice, some minutes apart under load, at both ends.
What to do: clean or replace the cable or transceiver; move it to another switch port and see whether errors follow.
When it is wrong: while somebody plugs cables or a peer restarts, counters of that link grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import Growth, growth
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Evidence, Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects

CAUSES = ("link-errors",)

Counters = Annotated[
    Readings,
    Of(
        "port-symbol-errors",
        "port-link-error-recovery",
        "port-local-link-integrity-errors",
        "port-excessive-buffer-overruns",
        "port-rcv-errors",
        "rdma-rx-icrc-encapsulated",
        "interface-crc-errors",
        "interface-symbol-errors",
    ),
]


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    errors: int = 0
    """Growth above this is a fault."""
    rcv_errors: int = 100
    """The same for received packets with errors, which a peer's restart causes too; below it is a warning."""


def check(counters: Counters, params: Params) -> Iterator[Finding | Proof]:
    """One finding for all ports; a proof when counters were read twice and none grew."""
    mine = [reading for reading in counters.all if reading.part.kind != "fabric-port"]
    grown = _growth_of_each(mine)
    bad = [g for g in grown if g.by > (params.rcv_errors if g.last.attribute == "port-rcv-errors" else params.errors)]
    few = [g for g in grown if g.by > 0 and g not in bad]
    if bad or few:
        yield _finding(bad or few, sure=bool(bad))
    elif grown and all(g.by == 0 for g in grown):
        ports = {(g.last.host, g.last.part) for g in grown}
        yield Proof(
            f"error counters of {counted(len(ports), 'port')} did not grow", _shown(grown, most=2), weight=_weight(mine)
        )
    elif mine and all(reading.value == 0 for reading in mine):
        ports = {(reading.host, reading.part) for reading in mine}
        yield Proof(
            f"no errors were counted at {counted(len(ports), 'port')} since the counters were reset",
            weight=_weight(mine),
        )


def _weight(readings: Sequence[Reading]) -> int:
    """Sound ports of HCAs are a proof; interfaces may be anything, also the only one of a virtual machine."""
    return int(any(reading.part.kind == "port" for reading in readings))


def _growth_of_each(readings: Sequence[Reading]) -> list[Growth]:
    """Of one attribute after the other: ``growth`` takes readings of one."""
    names = dict.fromkeys(reading.attribute for reading in readings)
    return [g for name in names for g in growth(reading for reading in readings if reading.attribute == name)]


def _finding(grown: Sequence[Growth], sure: bool) -> Finding:
    readings = [g.last for g in grown]
    worst = max(grown, key=lambda g: g.by)
    ports = list(dict.fromkeys(reading.part.name.removesuffix("/1") for reading in readings))
    seconds = f" in {worst.seconds:.0f} s" if worst.seconds else ""
    return finding(
        "link-errors",
        f"{on_nodes(readings)}{listed(ports)}: {attribute(worst.last.attribute).title} grew by {worst.by}{seconds}"
        + (f", and {len(grown) - 1} more counters" if len(grown) > 2 else ""),
        severity="error" if sure else "warning",
        confidence="certain" if sure else "possible",
        evidence=_shown(grown),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("bandwidth-unstable", "rdma-retry-exceeded", "busbw-below-expected", "straggler-nic") if sure else (),
        remedy=[("Read the module and the link's counters.", f"mlxlink -d {ports[0].partition('/')[0]} -m -c -e")],
        references=[NCCL_TROUBLESHOOTING],
    )


def _shown(grown: Sequence[Growth], most: int = 4) -> tuple[Evidence, ...]:
    """The later line of each, with both values."""
    return tuple(
        Evidence(g.last.ref.source, g.last.ref.line, g.last.ref.text, f"{g.last.value}", f"as before: {g.first.value}")
        for g in grown[:most]
    )
