"""Small messages take three times as long as they may.

A message of a few bytes costs what the path costs: 1 to 3 us from HCA to HCA with RDMA, tens of microseconds through
the kernel's TCP. perftest's latency tests show it, and the smallest sizes of nccl-tests (what OSU's and Intel's
benchmarks of MPI show, the rule mpi-pairs judges). The limits are wide: 5 us for perftest, and NCCL's floors are known
to a factor of three. Only what passes the limit three times over, or NCCL's upper end twice, is called high. EFA and
Slingshot have latencies of their own: they are judged in collectives only. Where nobody says what network it is, the
slowest of which there are figures is the limit. Its upper end is enough where 1 MiB takes less than twice as long as
the smallest sizes: then the data is fast, and each call has to wait for something else. Where only small sizes were
measured, it may be TCP, and the limit is twice as high.

Why it matters: small collectives, and the many steps of a ring over many nodes, pay this price at each step.
How to confirm: ``ib_write_lat -d HCA`` between the two nodes; then the same with both programs pinned to the HCA's
socket.
What to do: turn deep sleep states of the processors off or use the governor ``performance``; see that NCCL uses RDMA
and not TCP; look for congestion and for nodes far apart.
When it is wrong: the two nodes are in different buildings; the first rows of a test that had no warm-up.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.expect.case import COLLECTIVES, Case
from slowlink.expect.latency import longest_small_message_time, small_message_time
from slowlink.expect.link import rdma_latency
from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.benchmark import PerftestRow, PerftestRun, Point
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.facts import MeasuredSweep, Perftests, Sweeps
from slowlink.model.report import Confidence, Expectation, Finding
from slowlink.model.source import Ref
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.sweep_words import what_ran
from slowlink.rules.measured.remedies import SMALL_MESSAGES
from slowlink.units import format_size

CAUSES = ("latency-high",)

_MLX = "mlx"
_LARGE_BYTES = 1 << 20
_KNOWN_LAYERS = frozenset({"IB", "RoCE", "EFA", "Slingshot"})


class Params(Struct, frozen=True):
    """What counts as small, and as high."""

    largest_message_bytes: int = 64
    """Of perftest; larger messages cost bandwidth."""
    largest_collective_bytes: int = 1024
    factor: float = 3.0
    """Times the highest latency of a healthy path (perftest)."""
    times_of_tail: float = 20.0
    """The 99th percentile over the usual time: jitter of processors gives a few times as much."""
    least_tail_us: float = 100.0
    """Below it a tail is that of interrupts and power states, not of lost packets."""
    factor_of_collectives: float = 2.0
    """Times the upper end of the band of NCCL's floors, which is three times the floor itself."""
    factor_of_tcp: float = 4.0
    """The same where neither the network is known nor a bandwidth that TCP does not have. A limit of ours."""
    flat: float = 2.0
    """The time of 1 MiB over that of a few bytes, below which calls wait for something else than their data: on
    healthy systems it is 3 and more, since the protocol changes on the way."""


def check(
    perftests: Perftests | None, sweeps: Sweeps | None, expectations: Expectations | None, params: Params
) -> Iterator[Finding]:
    """One finding for each test that is too slow."""
    for run in perftests.all if perftests is not None else ():
        yield from _of_perftest(run, params)
        yield from _tail(run, params)
    yield from _of_collectives(sweeps, expectations, params)


def _of_collectives(sweeps: Sweeps | None, expectations: Expectations | None, params: Params) -> Iterator[Finding]:
    judged = expectations.sweeps if sweeps is not None and expectations is not None else ()
    for each in judged:
        yield from _of_collective(each, params)
    settled = {id(each.sweep) for each in judged}
    open_ = expectations.open if expectations is not None else ()
    nodes = {id(each.sweep): max(p.nnodes for p in each.possibilities) for each in open_}
    for sweep in sweeps.all if sweeps is not None else ():
        if id(sweep) not in settled:
            yield from _on_some_network(sweep, sweep.nnodes or nodes.get(id(sweep), 1), id(sweep) in nodes, params)


def _of_perftest(run: PerftestRun, params: Params) -> Iterator[Finding]:
    small = [row for row in run.rows if row.size_bytes <= params.largest_message_bytes]
    known = run.link_type == "IB" or (run.device or "").startswith(_MLX)
    if run.kind != "latency" or not known or not small or run.gpu_memory not in (None, "host"):
        return
    time = small[0].t_typical_us or small[0].t_avg_us or 0.0
    limit = rdma_latency(run.device or "")
    trips = 2 if "read" in run.test.lower() else 1
    if time > limit.high * trips * params.factor:
        yield _finding(
            f"{run.test or 'latency'} of {run.device or 'an HCA'}: {time:.1f} us at "
            f"{format_size(small[0].size_bytes)}, where healthy paths take at most {limit.high * trips:g}",
            small[0].ref,
            f"at most {limit.high * trips:g} us: {limit.basis}",
            confidence="likely" if run.link_type == "IB" else "possible",
            hca=run.device,
        )


def _tail(run: PerftestRun, params: Params) -> Iterator[Finding]:
    """One message in a hundred that takes many times as long as most: packets are lost, or the path is full."""
    for row in run.rows if run.kind == "latency" else ():
        late = late_of(row, params)
        if late is not None:
            usual = row.t_typical_us or row.t_avg_us or 0.0
            yield _finding(
                f"{run.test or 'latency'} of {run.device or 'an HCA'}: one message in a hundred of "
                f"{format_size(row.size_bytes)} takes {late:.0f} us, most {usual:.1f}",
                row.ref,
                f"at most {usual * params.times_of_tail:.0f} us",
                confidence="possible",
                hca=run.device,
            )
            return


def late_of(row: PerftestRow, params: Params) -> float | None:
    """Microseconds that one message in a hundred takes at least, where that is far above what most take."""
    usual, late = row.t_typical_us or row.t_avg_us or 0.0, row.t_p99_us or 0.0
    return late if 0 < usual * params.times_of_tail < late and late > params.least_tail_us else None


def _of_collective(judged: SweepExpectation, params: Params) -> Iterator[Finding]:
    sweep = judged.sweep
    layers = {group.link_layer for group in judged.hardware.nics}
    if judged.largest and layers == {None} and sweep.nnodes is not None:
        yield from _on_some_network(sweep, sweep.nnodes, _peak(sweep) >= judged.warn_below_gbs, params)
        return
    if judged.assumed or sweep.collective not in COLLECTIVES or sweep.nranks is None or sweep.nnodes is None:
        return
    if sweep.nranks < 2 or (sweep.nnodes > 1 and not (layers and layers <= _KNOWN_LAYERS)):
        return
    best = min(_small(sweep.points, params), key=lambda point: point.time_us or 0.0, default=None)
    if best is None or best.time_us is None:
        return
    limit = small_message_time(Case(sweep.collective, sweep.nranks, sweep.nnodes, judged.hardware))
    if best.time_us > limit.high * params.factor_of_collectives:
        yield _slow(sweep, best, limit, sure=_is_flat(sweep, best, params))


def _on_some_network(sweep: MeasuredSweep, nnodes: int, fast: bool, params: Params) -> Iterator[Finding]:
    """Between nodes on a network that nobody names. ``fast``: the largest sizes show that it is not TCP."""
    best = min(_small(sweep.points, params), key=lambda point: point.time_us or 0.0, default=None)
    if best is None or nnodes < 2 or sweep.nranks is None or sweep.nranks < 2 or on_cpu_memory(sweep.run):
        return
    limit, time = longest_small_message_time(nnodes, sweep.collective or ""), best.time_us or 0.0
    flat = fast and _is_flat(sweep, best, params)
    factor = 1.0 if flat else params.factor_of_collectives if fast else params.factor_of_tcp
    if time > limit.high * factor:
        yield _slow(sweep, best, limit, sure=flat)


def _is_flat(sweep: MeasuredSweep, best: Point, params: Params) -> bool:
    """Does 1 MiB take hardly longer than a few bytes?"""
    large = [p.time_us for p in sweep.points if p.size_bytes == _LARGE_BYTES and p.time_us]
    return bool(large) and min(large) < params.flat * (best.time_us or 0.0)


def _peak(sweep: MeasuredSweep) -> float:
    return max((point.busbw_gbs or 0.0 for point in sweep.points), default=0.0)


def _slow(sweep: MeasuredSweep, best: Point, limit: Expectation, *, sure: bool) -> Finding:
    also = "; 1 MiB takes hardly longer: each call waits for something else than its data" if sure else ""
    return _finding(
        f"{what_ran(sweep)} takes {best.time_us:.0f} us at {format_size(best.size_bytes)}, where {limit.value:.0f} "
        f"are usual, known to a factor of three{also}",
        best.ref,
        f"at most {limit.high:.0f} us: {limit.basis}",
        confidence="likely" if sure else "possible",
    )


def _small(points: tuple[Point, ...], params: Params) -> list[Point]:
    return [p for p in points if 0 < p.size_bytes <= params.largest_collective_bytes and p.time_us]


def _finding(message: str, ref: Ref, expected: str, *, confidence: Confidence, hca: str | None = None) -> Finding:
    return finding(
        "latency-high",
        message,
        severity="error" if confidence == "likely" else "warning",
        confidence=confidence,
        suspects=suspects("hca", [hca]),
        evidence=[line_evidence(ref, expected=expected)],
        remedy=SMALL_MESSAGES,
    )
