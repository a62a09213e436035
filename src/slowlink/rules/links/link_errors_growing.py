"""Error counters of a port grew between two readings, or are far above those of its like.

Growth counts: by the total since the last reset, good ports would look bad. Of a single reading only a port is noted
that counted far more than all its like on the node, which have been through the same restarts. From the first reading
to the last, any symbol error, link recovery, integrity error, buffer overrun or checksum error is an error; more than
100 received packets with errors are, and fewer are a warning. Links with PAM4 (HDR, NDR) correct bit errors all the
time; symbol errors are what error correction could not repair. Of those that mlxlink counts (symbol and effective
errors) a sound link has one now and then: more than 100 are an error, fewer a warning. For links between switches see
docs/fabric.md, "How it is judged". Packets that an interface dropped are no errors of its link; where some were, its
counters are no proof that it is well.

Why it matters: a corrupted packet is sent again after a time-out, which stalls the whole collective for milliseconds.
How to confirm: ``perfquery`` or ``mlxlink -d HCA -c -e`` twice, some minutes apart under load, at both ends.
What to do: clean or replace the cable or transceiver; move it to another switch port and watch whether errors follow.
When it is wrong: the counters of a link also grow while somebody plugs its cable or its peer restarts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import Growth, growth
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.parting import parted
from slowlink.rules.evidence.counters import far_above_their_like, growth_evidence, growth_of_each
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.cable_command import cable_command_of

CAUSES = ("link-errors",)
DENIES = ("link-errors", "link-flapping")

Counters = Annotated[
    Readings,
    Of(
        "port-symbol-errors",
        "port-link-error-recovery",
        "port-local-link-integrity-errors",
        "port-excessive-buffer-overruns",
        "port-rcv-errors",
        "link-symbol-errors",
        "link-effective-errors",
        "rdma-rx-icrc-encapsulated",
        "interface-crc-errors",
        "interface-symbol-errors",
    ),
]


_AFTER_CORRECTION = ("link-symbol-errors", "link-effective-errors")
"""What mlxlink counts."""


_EIGHT_BITS = ("port-link-error-recovery",)
"""Counters of InfiniBand that end at 255 (PortCounters of the specification)."""


class Params(Struct, frozen=True):
    """By how much a counter of one port may grow from its first reading to its last."""

    errors: int = 0
    """Errors of every kind but the next: a sound link has none."""
    rcv_errors: int = 100
    """Received packets with errors, which a peer's restart causes too: up to here a warning, above an error. Azure's
    node health checks allow as many in all."""
    uncorrected: int = 100
    """The same for what mlxlink counts after error correction: at 400 Gb/s a good link has one in 42 minutes."""

    many: int = 1000
    """Errors in all that are many beside the counts of other ports of the node. A limit of ours."""
    many_of_eight_bits: int = 25
    """The same of counters that end at 255."""
    times: int = 10
    """How many times as many as any other of its like it has."""

    def much(self, counter: str) -> int:
        """What is many of this counter."""
        return self.many_of_eight_bits if counter in _EIGHT_BITS else self.many

    def allowed(self, counter: str) -> int:
        """Growth of ``counter`` up to which it is at most a warning."""
        if counter == "port-rcv-errors":
            return self.rcv_errors
        return self.uncorrected if counter in _AFTER_CORRECTION else self.errors


Lost = Annotated[
    Readings, Of("rdma-local-ack-timeout-err", "rdma-packet-seq-err", "rdma-req-transport-retries-exceeded")
]
"""Packets that did not arrive, which bad links cause as well."""
Late = Annotated[
    Readings, Of("rdma-out-of-sequence", "rdma-out-of-buffer", "rdma-rnr-nak-retry-err", "rdma-req-cqe-error")
]
"""What congestion, adaptive routing and slow receivers cause as well: only a port far above its like is told."""
Dropped = Annotated[
    Readings, Of("interface-rx-dropped", "interface-tx-dropped", "interface-rx-discards", "interface-tx-discards")
]
"""Packets that arrived, or should have been sent, and were thrown away."""


def check(
    counters: Counters | None, lost: Lost | None, dropped: Dropped | None, late: Late | None, params: Params
) -> Iterator[Finding | Proof]:
    """One finding for all ports; a proof where counters were read twice and none grew, or all are 0."""
    mine = [r for r in counters.all if r.part.kind != "fabric-port"] if counters is not None else []
    grown = growth_of_each(mine)
    bad, others = parted(grown, lambda g: g.by > params.allowed(g.last.attribute))
    few = [g for g in others if g.by > 0]
    if bad or few:
        yield _finding(bad or few, sure=bool(bad))
    elif odd := _odd([*mine, *(lost.all if lost is not None else ()), *(late.all if late is not None else ())], params):
        yield _above(odd)
    elif grown and all(g.by == 0 for g in grown):
        ports = {(g.last.host, g.last.part) for g in grown}
        yield Proof(
            f"error counters of {counted(len(ports), 'port')} did not grow",
            growth_evidence(grown, most=2),
            weight=_weight(mine),
        )
    elif mine and all(reading.value == 0 for reading in (*mine, *(lost.all if lost is not None else ()))):
        ports = {(reading.host, reading.part) for reading in mine}
        thrown = [r for r in (dropped.all if dropped is not None else ()) if (r.host, r.part) in ports and _count(r)]
        words = f"no errors were counted at {counted(len(ports), 'port')} since the counters were reset"
        yield Proof(
            words + (_dropped(thrown) if thrown else ""),
            reading_evidence(thrown, expected="0"),
            weight=0 if thrown else _weight(mine),
        )


def _dropped(thrown: Sequence[Reading]) -> str:
    worst = max(thrown, key=_count)
    names = listed(list(dict.fromkeys(r.part.name.removesuffix("/1") for r in thrown)))
    return f", but {on_nodes(thrown)}{names} dropped packets: {attribute(worst.attribute).title}: {_count(worst)}"


def _odd(readings: Sequence[Reading], params: Params) -> list[Reading]:
    """Ports far above their like, in any counter that was read once."""
    of_each: dict[str, list[Reading]] = {}
    for reading in readings:
        of_each.setdefault(reading.attribute, []).append(reading)
    once = [series for series in of_each.values() if not growth(series)]
    return [
        r
        for series in once
        for r in far_above_their_like(series, params.much(series[0].attribute), params.times, _count)
    ]


def _count(reading: Reading) -> int:
    return reading.value if isinstance(reading.value, int) else 0


def _above(odd: Sequence[Reading]) -> Finding:
    worst = max(odd, key=_count)
    ports = list(dict.fromkeys(reading.part.name.removesuffix("/1") for reading in odd))
    return finding(
        "link-errors",
        f"{on_nodes(odd)}{listed(ports)}: {attribute(worst.attribute).title}: {worst.value} since the last reset, far "
        "above the other ports of the node; a second reading shows whether they still grow",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(odd, expected="as the other ports"),
        suspects=(*part_suspects("port", odd), *node_suspects(odd)),
        remedy=[("Read the module and the link's counters.", cable_command_of(worst))],
        references=[NCCL_TROUBLESHOOTING],
    )


def _weight(readings: Sequence[Reading]) -> int:
    """Sound ports of HCAs speak for the fabric; interfaces may be anything, such as that of a virtual machine. Only the
    physical port of an HCA counts the errors of its symbols."""
    return int(any(r.part.kind == "port" or r.attribute == "interface-symbol-errors" for r in readings))


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
        evidence=growth_evidence(grown),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        explains=("bandwidth-unstable", "rdma-retry-exceeded", "busbw-below-expected", "straggler-nic") if sure else (),
        remedy=[("Read the module and the link's counters.", cable_command_of(readings[0]))],
        references=[NCCL_TROUBLESHOOTING],
    )
