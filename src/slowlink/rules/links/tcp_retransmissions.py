"""TCP had to send much of its data again.

The kernel counts the segments that were lost on the way (``TcpRetransSegs`` of nstat, ``segments retransmitted`` of
netstat -s) beside all that it sent, and ss shows the share of one connection. Where nobody acknowledges at all, the
timer of a connection doubles each time (``backoff``): the other end is gone, or the way to it.

Why it matters: NCCL starts over TCP, and over sockets sends its data so; each loss costs a connection milliseconds, a
lost acknowledgement timer 200 of them. RDMA takes another way, and is not counted here.
How to confirm: the same counters again after a minute of the job; ``ip -s link`` and ``ethtool -S`` for drops and
errors at both ends; ``iperf3`` between the two nodes.
What to do: find the interface or the switch port that drops; one MTU on the whole way; less traffic at once.
When it is wrong: the counters begin with the node's start and hold the traffic of all networks, also to storage and to
the outside. A connection that fills its link loses a little on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest, value_of
from slowlink.model.facts import Of, Readings, State
from slowlink.model.report import Confidence, Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("link-errors", "tcp-unreachable")


class Params(Struct, frozen=True):
    """When it is much."""

    share_percent: float = 1.0
    """Of all segments, or of the bytes of one connection: networks of clusters lose less than a tenth of that."""
    least_segments: int = 1_000_000
    """That the node must have sent."""
    silent: int = 3
    """Times that a timer doubled: 200 ms became more than a second and a half."""


def check(
    again: Annotated[Readings, Of("tcp-segments-retransmitted")] | None,
    connections: Annotated[Readings, Of("tcp-connection-retransmitted")] | None,
    waiting: Annotated[Readings, Of("tcp-connection-backoff")] | None,
    state: State | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for nodes, one for connections, one for those that nobody answers.

    Warnings: nobody says that the job's traffic was lost.
    """
    shares = {r: _share(r, state, params) for r in latest(again.all).values()} if again is not None else {}
    bad = sorted((r for r, share in shares.items() if share >= params.share_percent), key=lambda r: -shares[r])
    if bad:
        yield _finding(bad, f"TCP sent {shares[bad[0]]:.1f} % of its segments again")
    lossy = (
        [r for r in latest(connections.all).values() if float(r.value) >= params.share_percent] if connections else []
    )
    if lossy:
        lossy.sort(key=lambda reading: -float(reading.value))
        names = listed([reading.part.name for reading in lossy])
        yield _finding(lossy, f"{float(lossy[0].value):.1f} % of what a connection sent was sent again: {names}")
    silent = [r for r in latest(waiting.all).values() if int(r.value) >= params.silent] if waiting is not None else []
    if silent:
        names = listed([reading.part.name for reading in silent])
        yield _finding(silent, f"nobody acknowledges what a connection sends: {names}", "tcp-unreachable", "likely")


def _share(again: Reading, state: State | None, params: Params) -> float:
    sent = value_of(state, "tcp-segments-sent", again.host or "", again.part) if state is not None else None
    if sent is None or float(sent.value) < params.least_segments:
        return 0.0
    return 100 * float(again.value) / float(sent.value)


def _finding(
    bad: Sequence[Reading], words: str, cause: str = "link-errors", confidence: Confidence = "possible"
) -> Finding:
    return finding(
        cause,
        f"{on_nodes(bad)}{words}",
        severity="warning",
        confidence=confidence,
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        explains=("slow-init", "bandwidth-unstable"),
        remedy=[
            ("See whether the numbers grow while the job runs.", "nstat -az TcpOutSegs TcpRetransSegs; ss -tin"),
            ("See which interface drops or has errors.", "ip -s link; ethtool -S IF | grep -iE 'drop|err|discard'"),
        ],
    )
