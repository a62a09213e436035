"""A single HCA, measured by perftest.

ib_write_bw and its relatives measure one port from memory to memory, without any collective. A healthy port gives 97
to 98 % of its rate for large messages. From 90 % on, at 32 KiB or more, it is a proof here; so is a latency of at most
5 us (a read: 10 us, since it is a request and an answer) at 64 bytes or less.

Why it matters: it splits a slow collective in two: when every port is at line rate, the fabric is not the limit.
How to confirm: run it on every rail, from GPU memory too (``--use_cuda``), with ``--report_gbits``.
What to do: for a slow port, see to the cable, the rate (``ibstat``), width and speed of the PCIe slot (``lspci -vv``),
and CPU affinity.
When it is wrong: perftest does not print the rate of the port, so the next standard rate above what was measured
counts. A 400 Gb/s port that reaches 196 looks like a healthy one of 200 Gb/s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slowlink.expect.link import nearest_rate, rdma_bandwidth, rdma_latency
from slowlink.model.benchmark import PerftestRow, PerftestRun
from slowlink.model.facts import Perftests
from slowlink.rules.evidence.findings import Proof, line_evidence

CAUSES = ()


@dataclass(frozen=True)
class Params:
    """Which rows of a bandwidth test count."""

    smallest_bytes: int = 32 << 10
    """32 KiB; smaller messages do not fill a link."""


def check(perftests: Perftests, params: Params) -> Iterator[Proof]:
    """A proof for each port near a standard rate, and for each low latency.

    Never a finding: the rate of the port is in ibstat and not here, so a low value proves nothing.
    """
    for run in perftests.all:
        filling = [row for row in run.rows if row.bw_average_gbit and row.size_bytes >= params.smallest_bytes]
        best = max(filling, key=lambda row: row.bw_average_gbit or 0.0, default=None)
        if best is not None:
            yield from _bandwidth(run, best)
        yield from _latency(run)


def _bandwidth(run: PerftestRun, best: PerftestRow) -> Iterator[Proof]:
    """The best row against the smallest standard rate that carries it; both directions together have twice the rate."""
    measured = best.bw_average_gbit or 0.0
    rate = nearest_rate(measured / 2 if run.bidirectional else measured)
    if rate is None:
        return  # above every rate that is sold
    expected = rdma_bandwidth(rate, run.device or "", bidirectional=run.bidirectional)
    if measured >= expected.low:
        both, twice = (" both ways", "2 x ") if run.bidirectional else ("", "")
        memory = f" from {run.gpu_memory} memory" if run.gpu_memory not in (None, "host") else ""
        yield Proof(
            f"{run.device or 'an HCA'}{memory}: {measured:.1f} Gb/s{both}, {measured / expected.high:.0%} of "
            f"{twice}{rate:g} Gb/s",
            (line_evidence(best.ref, observed=f"{measured:.2f} Gb/s", expected=expected.basis),),
            weight=2,
        )


def _latency(run: PerftestRun) -> Iterator[Proof]:
    small = [row for row in run.rows if row.size_bytes <= 64 and (row.t_typical_us or row.t_avg_us)]
    if run.kind != "latency" or not small:
        return  # a bandwidth test, or large messages only
    time = small[0].t_typical_us or small[0].t_avg_us or 0.0
    limit = rdma_latency(run.device or "")
    trips = 2 if "read" in run.test.lower() else 1
    if time <= limit.high * trips:
        yield Proof(
            f"{run.test or 'latency'}: {time:.2f} us at {small[0].size_bytes} bytes",
            (
                line_evidence(
                    small[0].ref, observed=f"{time:.2f} us", expected=f"at most {limit.high:g} us: {limit.basis}"
                ),
            ),
            weight=2,
        )
