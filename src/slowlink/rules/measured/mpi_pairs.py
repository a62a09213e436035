"""Two ranks of MPI on two nodes, measured by OSU's or Intel's benchmarks.

``osu_bw``, ``osu_latency`` and IMB's PingPong measure the path between two ranks. Where the command puts them on two
nodes and the rate of the ports is known, their numbers say something about the network: from 90 % of a port's rate on
it is a proof. Below half of it, or with a latency three times above what RDMA takes, MPI probably went another way
(TCP, or host memory on the way to a GPU). Between them nothing is said: MPI adds costs of its own. Larger messages that
carry less than half of what smaller ones do took another protocol, or met congestion; no port does that by itself.
Where the rate of the ports is not known, it says what was measured, and that this decides nothing. A collective of MPI
takes other ways than NCCL's and is never judged here.

Why it matters: it tells a slow network from a slow collective, where perftest is not at hand.
How to confirm: ``ib_write_bw`` and ``ib_write_lat`` between the same two nodes; for MPI ``UCX_LOG_LEVEL=info`` says
which transports it takes.
What to do: see that MPI was built with UCX (or libfabric) and that it takes the HCAs; then compare with perftest.
When it is wrong: the library was told to use TCP; the ranks' sockets are far from the HCA; the ports that MPI takes are
slower than those that the nodes also have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.expect.link import rdma_bandwidth, rdma_latency
from slowlink.model.benchmark import MpiRow, MpiTable, MpiTables
from slowlink.model.facts import Commands, Events, Hardware
from slowlink.model.job import Command
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence
from slowlink.rules.evidence.mpi_tests import Starts, best_row, measured
from slowlink.rules.measured.remedies import SMALL_MESSAGES
from slowlink.units import format_size

CAUSES = ("latency-high", "link-bandwidth-low", "bandwidth-unstable", "hardware-unknown")

_RDMA = frozenset({"IB", "RoCE"})
_FILLS_A_LINK = 64 << 10
_SMOOTH = 16 << 10
"""Bytes of a message; smaller ones are copied in other ways."""
_TRANSPORTS = Step("Let MPI say which transports it takes.", "mpirun -x UCX_LOG_LEVEL=info -np 2 osu_bw")


class Params(Struct, frozen=True):
    """What is too slow for RDMA."""

    share: float = 0.5
    """Of the port's rate: below it, the bandwidth is low."""
    fall_share: float = 0.5
    """Of what smaller messages carry: below it, larger ones fall."""
    factor: float = 3.0
    """Times the highest latency of a healthy path."""
    largest_message_bytes: int = 64
    """Larger messages cost bandwidth."""


def check(
    mpi_tables: MpiTables,
    commands: Commands | None,
    events: Events | None,
    hardware: Hardware | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """A proof or a finding for each test of two ranks on two nodes where the numbers tell; where the ports are not
    known, what was measured first."""
    starts = Starts(commands, events)
    pairs = [(table, starts.of(table)) for table in mpi_tables.all if _is_of_pairs(table)]
    across = [(table, started) for table, started in pairs if starts.on_two_nodes(started)]
    falls = [_fall(table, params) for table, _ in across]
    yield from (fall for fall in falls if fall is not None)
    even = [each for each, fall in zip(across, falls, strict=True) if fall is None]
    if hardware is None or not hardware.nics or hardware.mentioned:
        yield from _open(even)
        return
    rdma = {group.link_layer for group in hardware.nics} <= _RDMA
    rate = max(group.rate_gbit for group in hardware.nics)
    for table, _ in even:
        yield from _bandwidth(table, rate, hardware.basis, params)
        if rdma:
            yield from _latency(table, params)


def _is_of_pairs(table: MpiTable) -> bool:
    return table.kind != "collective" and table.library == "MPI"


def _open(across: Sequence[tuple[MpiTable, Command | None]]) -> Iterator[Finding]:
    """What the first test measured, a bandwidth before a time."""
    for table, started in sorted(across, key=lambda each: each[0].kind == "latency"):
        best = best_row(table)
        if best is None:
            continue
        yield finding(
            "hardware-unknown",
            f"{measured(table, started, best)} between 2 nodes; to settle it, say the NICs of a node (--nics)",
            severity="info",
            confidence="certain",
            evidence=[line_evidence(best.ref)],
            remedy=[Step("See the rate of the nodes' ports.", "ibstat; rdma link; ethtool IFACE")],
        )
        return


def _fall(table: MpiTable, params: Params) -> Finding | None:
    """Where messages that fill a link carry much less than smaller ones."""
    rows = [r for r in table.rows if r.bandwidth_gbs and (r.size_bytes or 0) >= _SMOOTH]
    peak = max(rows, key=lambda row: row.bandwidth_gbs or 0.0, default=None)
    behind = [row for row in rows if peak is not None and (row.size_bytes or 0) > (peak.size_bytes or 0)]
    low = min(behind, key=lambda row: row.bandwidth_gbs or 0.0, default=None)
    if peak is None or low is None or (low.bandwidth_gbs or 0.0) >= params.fall_share * (peak.bandwidth_gbs or 0.0):
        return None
    high, less = (f"{row.bandwidth_gbs:.3g} GB/s" for row in (peak, low))
    largest = max(behind, key=lambda row: row.size_bytes or 0)
    stays = (largest.bandwidth_gbs or 0.0) < params.fall_share * (peak.bandwidth_gbs or 0.0)
    return finding(
        "bandwidth-unstable",
        f"{_what(table)} falls from {high} at {format_size(peak.size_bytes or 0)} to {less} at "
        f"{format_size(low.size_bytes or 0)}",
        severity="error" if stays else "warning",
        confidence="likely" if stays else "possible",
        evidence=[line_evidence(low.ref, observed=less, expected=high), line_evidence(peak.ref, observed=high)],
        remedy=[
            Step("Larger messages take another protocol, rendezvous: let MPI say which.", _TRANSPORTS.command),
            Step("Measure the path without MPI, at all sizes.", "ib_write_bw -d HCA -a --report_gbits"),
        ],
    )


def _bandwidth(table: MpiTable, rate_gbit: float, basis: str, params: Params) -> Iterator[Finding | Proof]:
    rows = [r for r in table.rows if r.bandwidth_gbs and (r.size_bytes or 0) >= _FILLS_A_LINK]
    best = max(rows, key=lambda row: row.bandwidth_gbs or 0.0, default=None)
    if best is None:
        return
    measured = (best.bandwidth_gbs or 0.0) * 8
    link = rdma_bandwidth(rate_gbit, "", bidirectional=table.bidirectional)
    if measured > link.high:
        return  # it took more than one port, or a faster one
    said = f"{_what(table)}: {measured:.1f} Gb/s at {format_size(best.size_bytes or 0)}, {measured / link.high:.0%} of"
    said += f" {'2 x ' if table.bidirectional else ''}{rate_gbit:g} Gb/s"
    observed = f"{measured:.1f} Gb/s"
    if measured >= link.low:
        expected = f"at least {link.low:.0f} Gb/s: {link.basis}"
        yield Proof(said, (line_evidence(best.ref, observed=observed, expected=expected),), weight=2)
    elif measured < link.high * params.share:
        yield finding(
            "link-bandwidth-low",
            f"{said}: MPI takes another way than RDMA, or the path is slow",
            severity="warning",
            confidence="possible",
            evidence=[line_evidence(best.ref, observed=observed, expected=f"{link.value:.0f} Gb/s with RDMA: {basis}")],
            remedy=[_TRANSPORTS, Step("Measure the path without MPI.", "ib_write_bw -d HCA -a --report_gbits")],
        )


def _latency(table: MpiTable, params: Params) -> Iterator[Finding]:
    small = [row for row in table.rows if (row.size_bytes or 0) <= params.largest_message_bytes and row.time_us]
    if table.kind != "latency" or table.gpu_memory not in (None, "host") or not small:
        return
    best: MpiRow = min(small, key=lambda row: row.time_us or 0.0)
    limit, time = rdma_latency(""), best.time_us or 0.0
    if time > limit.high * params.factor:
        yield finding(
            "latency-high",
            f"{_what(table)}: {time:.1f} us at {format_size(best.size_bytes or 0)}, where RDMA takes at most "
            f"{limit.high:g}: MPI takes another way, or the path is slow",
            severity="warning",
            confidence="possible",
            evidence=[line_evidence(best.ref, observed=f"{time:.2f} us", expected=f"{limit.high:g} us: {limit.basis}")],
            remedy=[_TRANSPORTS, *SMALL_MESSAGES],
        )


def _what(table: MpiTable) -> str:
    memory = f" from {table.gpu_memory} memory" if table.gpu_memory not in (None, "host") else ""
    return f"{table.library} {table.test or 'test'}{memory} between two nodes"
