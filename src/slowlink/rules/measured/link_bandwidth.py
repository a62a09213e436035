"""A single HCA, measured by perftest.

ib_write_bw and its relatives measure one port from memory to memory, without any collective. A healthy port gives 97
to 98 % of its rate for large messages.

Why it matters: it splits a slow collective in two: when every port is at line rate, the fabric is not the limit.
How to confirm: run it on every rail, from GPU memory too (``--use_cuda``), with ``--report_gbits``.
What to do: for a slow port: cable, speed (``ibstat``), PCIe width and speed of the slot (``lspci -vv``), CPU
affinity.
When it is wrong: small messages and one queue pair do not reach line rate; a port whose rate is not printed is judged
against the next standard rate above what it reached, and only to its favour.
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
    """Tolerances."""

    smallest_bytes: int = 32 << 10
    """Messages below do not fill a link."""


def check(perftests: Perftests, params: Params) -> Iterator[Proof]:
    """Ports at line rate are a proof. The rate of a port stands in ibstat, not here: a lower value proves nothing."""
    for run in perftests.all:
        filling = [row for row in run.rows if row.bw_average_gbit and row.size_bytes >= params.smallest_bytes]
        best = max(filling, key=lambda row: row.bw_average_gbit or 0.0, default=None)
        if best is not None:
            yield from _bandwidth(run, best)
        yield from _latency(run)


def _bandwidth(run: PerftestRun, best: PerftestRow) -> Iterator[Proof]:
    measured = best.bw_average_gbit or 0.0
    rate = nearest_rate(measured / 2 if run.bidirectional else measured)
    if rate is None:
        return
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
        return
    time = small[0].t_typical_us or small[0].t_avg_us or 0.0
    limit = rdma_latency(run.device or "")
    # A read is a request and an answer: two trips.
    if time <= limit.high * (2 if "read" in run.test.lower() else 1):
        yield Proof(
            f"{run.test or 'latency'}: {time:.2f} us at {small[0].size_bytes} bytes",
            (
                line_evidence(
                    small[0].ref, observed=f"{time:.2f} us", expected=f"at most {limit.high:g} us: {limit.basis}"
                ),
            ),
            weight=2,
        )
