"""Senders were held back by the fabric while bandwidth was unsteady or low.

Pause frames, congestion notifications (CNP) or discarded packets grew while repeats of one size differed (the slowest
below 0.8 of the fastest), or while bandwidth stayed below what is expected, or somebody says that pairs alone are fast
and all together slow. Each of them alone is normal: lossless fabrics pause and congestion control notifies. Without a
benchmark only their share tells: a pause for every hundred packets that a port sent stops it much of the time. So do
packets that a port dropped while it sent pauses: more came than it could take. Waiting for credits (xmit_wait) counts
every tick of back-pressure and is never used. Discards are an error, and so are such a share of pauses and what
somebody measured; the others are a warning.

Why it matters: queues fill, one slow receiver pauses senders that have nothing to do with it, and bandwidth falls as
more nodes take part, although each pair alone is fine.
How to confirm: measure pairs alone (``ib_write_bw``): with congestion each is fine alone, and all are slow together.
Read the switches' counters (PFC, ECN, discards) at the same time.
What to do: use adaptive routing and congestion control on InfiniBand; PFC on the priority that RoCE uses, ECN
thresholds and one traffic class on all hosts and switches; look for a port at a lower rate, which has the same effect.
When it is wrong: a slow receiver (PCIe link, CPU) pauses its senders in the same way: look at the port that sends
pauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import Growth, node_of
from slowlink.facts.repeats import repeats
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Observations, Of, Readings, Sweeps
from slowlink.model.job import Observation
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.counters import growth_of_each
from slowlink.rules.evidence.findings import finding, lines_evidence
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects

CAUSES = ("fabric-congestion",)

_SLOWER_TOGETHER = "slower-together"
_WAITING = "port-xmit-wait"
_SENT = "interface-tx-packets"
_PAUSES = ("priority-pause-received", "interface-pause-received")
_MANY_PAUSES = 0.01
"""Pauses received for each packet sent, from which a port stood still much of the time: each pause stops the sender of
a 400 Gb/s link for as long as hundreds of packets take, unless it is taken back at once."""
Counters = Annotated[
    Readings,
    Of(
        "port-xmit-discards",
        _WAITING,
        "rdma-np-cnp-sent",
        "rdma-rp-cnp-handled",
        "rdma-roce-slow-restart",
        "priority-pause-received",
        "priority-pause-sent",
        "priority-discards",
        "interface-pause-received",
        "interface-pause-sent",
        "interface-rx-discards",
        _SENT,
    ),
]
# What shows that packets were dropped, not only delayed.
_LOSSES = ("port-xmit-discards", "priority-discards", "interface-rx-discards")
_ASKED = ("priority-pause-sent", "interface-pause-sent")
_FEWEST_REPEATS = 6
_UNSTEADY = 0.8
"""Slowest busbw of repeats over the fastest; both limits as in bandwidth_unstable."""


def check(
    counters: Counters, sweeps: Sweeps | None, expectations: Expectations | None, observations: Observations | None
) -> Iterator[Finding]:
    """One finding, when counters grew and a run suffered, or when they grew too much for any run."""
    suffering = _suffering(sweeps, expectations) if sweeps is not None else ""
    told = [each for each in (observations.all if observations is not None else ()) if each.kind == _SLOWER_TOGETHER]
    every = growth_of_each(counters.all)
    grown = [g for g in every if g.by > 0 and g.last.attribute not in (_WAITING, _SENT)]
    if not grown:
        return
    if suffering:
        grown.sort(key=lambda g: g.last.attribute not in _LOSSES)
        lost = grown[0].last.attribute in _LOSSES
        yield _finding(grown, f"during the run while {suffering}", sure=lost)
    elif told:
        yield _finding(grown, f"between two readings, and somebody measured {told[0].value}", sure=True, told=told[0])
    elif held := _held_back(every):
        share = max(share for _, share in held)
        yield _finding(
            [g for g, _ in held], f"by {share:.1%} of the packets sent: the fabric holds them back", sure=True
        )
    elif overrun := _overrun(grown):
        yield _finding(
            overrun, "between two readings: a port asked its senders to pause, and dropped packets", sure=False
        )


def _held_back(every: list[Growth]) -> list[tuple[Growth, float]]:
    """Ports that were paused for a great part of what they sent, and how many pauses came for each packet."""
    sent = {(node_of(g.last), g.last.part.name): g.by for g in every if g.last.attribute == _SENT and g.by > 0}
    shares = [
        (g, g.by / packets)
        for g in every
        if g.last.attribute in _PAUSES
        and (packets := sent.get((node_of(g.last), g.last.part.name.partition("/")[0]))) is not None
    ]
    return [(g, share) for g, share in shares if share >= _MANY_PAUSES]


def _overrun(grown: list[Growth]) -> list[Growth]:
    """Losses of ports that sent pauses meanwhile, and these pauses: more came than they could take."""
    paused = {_port(g) for g in grown if g.last.attribute in _ASKED}
    lost = [g for g in grown if g.last.attribute in _LOSSES and _port(g) in paused]
    ports = {_port(g) for g in lost}
    return [*lost, *(g for g in grown if g.last.attribute in _ASKED and _port(g) in ports)]


def _port(grown: Growth) -> tuple[str, str]:
    """Node and interface, also of a counter of one of its priorities."""
    return node_of(grown.last), grown.last.part.name.partition("/")[0]


def _suffering(sweeps: Sweeps, expectations: Expectations | None) -> str:
    """What is wrong with the bandwidth, in words; "" when nothing is."""
    for sweep in sweeps.all:
        if sweep.nnodes != 1 and any(group.slowest_share < _UNSTEADY for group in repeats(sweep, _FEWEST_REPEATS)[:1]):
            return "bandwidth was unsteady"
    for judged in expectations.sweeps if expectations is not None else ():
        best = max((point.busbw_gbs or 0.0 for point in judged.sweep.points), default=None)
        if best is not None and best < judged.warn_below_gbs and judged.sweep.nnodes != 1:
            return "bandwidth was below what is expected"
    return ""


def _finding(grown: list[Growth], how: str, *, sure: bool, told: Observation | None = None) -> Finding:
    readings = [g.last for g in grown]
    kinds = list(dict.fromkeys(attribute(r.attribute).title for r in readings))
    return finding(
        "fabric-congestion",
        f"{on_nodes(readings)}{listed(kinds, 3)} grew {how}",
        severity="error" if sure else "warning",
        confidence="likely" if sure else "possible",
        evidence=(
            *(Evidence(g.last.ref.source, g.last.ref.line, g.last.ref.text, f"grew by {g.by}") for g in grown[:4]),
            *lines_evidence((told.ref,) if told is not None else ()),
        ),
        suspects=(*part_suspects("port", readings[:8]), *node_suspects(readings)),
        explains=("bandwidth-unstable", "bandwidth-bimodal", "busbw-below-expected"),
        remedy=[
            (
                "Measure pairs alone: fine alone and slow together means congestion.",
                "ib_write_bw -d HCA --report_gbits PEER",
            ),
            ("Read pauses and discards of the hosts' ports.", "ethtool -S IF | grep -E 'pause|discard'"),
        ],
        references=[NCCL_TROUBLESHOOTING],
    )
