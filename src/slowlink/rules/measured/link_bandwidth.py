"""A single HCA, measured by perftest.

ib_write_bw and its relatives measure one port from memory to memory, without any collective. A healthy port gives 97
to 98 % of its rate for large messages. From 90 % on, at 32 KiB or more, it is a proof here; so is a latency of at most
5 us (a read: 10 us, since it is a request and an answer) at 64 bytes or less. perftest does not print the rate of the
port: ``--nics`` or ibstat tell it. Where nobody does, only the rate of the fastest port that such nodes are sold with
proves anything, since a 400 Gb/s port that reaches 196 looks like a healthy one of 200 Gb/s.

Why it matters: it splits a slow collective in two: when every port is at line rate, the fabric is not the limit.
How to confirm: run it on every rail, from GPU memory too (``--use_cuda``), with ``--report_gbits``.
What to do: for a slow port, see to the cable, the rate (``ibstat``), width and speed of the PCIe slot (``lspci -vv``),
and CPU affinity.
A test between two queue pairs of one port (its two LIDs or GIDs are equal) measures no fabric, and is only told of.
When it is wrong: a test of few queue pairs, small messages or a busy host is slower than its port; the rate that was
given may be another port's.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.expect.link import ROUNDING, STANDARD_RATES, nearest_rate, rdma_bandwidth, rdma_latency
from slowlink.expect.ports import best_row, share_of
from slowlink.model.benchmark import PerftestRow, PerftestRun
from slowlink.model.expectations import Expectations, LinkExpectation
from slowlink.model.facts import Perftests
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence, suspects
from slowlink.rules.measured.latency_high import Params as LatencyParams
from slowlink.rules.measured.latency_high import late_of
from slowlink.units import format_size

CAUSES = ("link-bandwidth-low", "hardware-unknown", "above-physical-bound")
_WORTH_SAYING = 0.97
"""Share of the rate that headers leave, from which downwards the MTU is said to cost the rest."""
_USUAL = 1.5
"""Times the usual latency, up to which a path is shown to be quick; above it, a setting that costs time may be why."""
DENIES = ("link-bandwidth-low", "port-rate-low", "straggler-nic")


def check(perftests: Perftests, expectations: Expectations | None) -> Iterator[Finding | Proof]:
    """A proof or a finding for each bandwidth test, and a proof for each low latency."""
    for judged in expectations.links if expectations is not None else ():
        best = best_row(judged.run)
        if best is None or best.bw_average_gbit is None:
            continue
        if judged.rate_basis and best.bw_average_gbit > ROUNDING * judged.link.high:
            yield _impossible(judged, best, best.bw_average_gbit)
        elif best.bw_average_gbit >= judged.link.low:
            yield _proof(judged, best, best.bw_average_gbit)
        elif judged.rate_basis:
            yield _low(judged, best, best.bw_average_gbit)
        else:
            yield _open(judged, best, best.bw_average_gbit)
    told: set[str] = set()
    for run in perftests.all:
        for proof in _loopback(run) if run.loopback else _latency(run):
            if not run.loopback or proof.message not in told:  # both ends of a loopback print what it reached
                told.add(proof.message)
                yield proof


def _loopback(run: PerftestRun) -> Iterator[Proof]:
    """A test of one port with itself: what it shows is of the HCA and its PCIe link, and of no cable."""
    row = best_row(run) or (run.rows[-1] if run.rows else None)
    time = (row.t_typical_us or row.t_avg_us) if row is not None else None
    got = (
        f"{row.bw_average_gbit:.1f} Gb/s"
        if row is not None and row.bw_average_gbit
        else f"{time:.2f} us"
        if time
        else ""
    )
    if row is not None and got:
        yield Proof(
            f"{_what(run)}: {got}{_both(run)} in a loopback on one port{_as_port(run)}, so the fabric was not measured",
            (line_evidence(row.ref, observed=got),),
            weight=0,
            undecided=True,
        )


def _as_port(run: PerftestRun) -> str:
    """What a loopback reached beside the ports that it would do for: its own port's rate is not printed, and headers
    of the link do not bound it."""
    best = best_row(run)
    if best is None:
        return ""
    measured = (best.bw_average_gbit or 0.0) / (2 if run.bidirectional else 1)
    fills = [rate for rate in STANDARD_RATES if measured >= rdma_bandwidth(rate, "", share=share_of(run)).low]
    beyond = next((rate for rate in STANDARD_RATES if rate not in fills), None)
    enough = f"enough for a port of {fills[-1]:g} Gb/s" if fills else "too little for any port"
    return f", {enough}" + (f" and {measured / beyond:.0%} of one of {beyond:g}" if beyond is not None else "")


def _proof(judged: LinkExpectation, best: PerftestRow, measured: float) -> Proof:
    return Proof(
        f"{_what(judged.run)}: {measured:.1f} Gb/s{_both(judged.run)}, {_of_the_port(judged, measured)}",
        (line_evidence(best.ref, observed=f"{measured:.2f} Gb/s", expected=judged.link.basis),),
        weight=2,
    )


def _low(judged: LinkExpectation, best: PerftestRow, measured: float) -> Finding:
    run = judged.run
    return finding(
        "link-bandwidth-low",
        f"{_what(run)} carries {measured:.1f} Gb/s{_both(run)}, {_of_the_port(judged, measured)}",
        severity="error",
        confidence="likely",
        suspects=suspects("hca", [run.device]),
        evidence=[
            line_evidence(
                best.ref,
                observed=f"{measured:.2f} Gb/s at {format_size(best.size_bytes)}",
                expected=f"at least {judged.link.low:.0f} Gb/s: {judged.rate_basis}; {judged.link.basis}",
            )
        ],
        explains=("busbw-below-expected",),
        remedy=[
            Step("See whether the port runs at its full rate and width, and its PCIe slot, too.", "ibstat; lspci -vv"),
            Step("Repeat the test with four queue pairs and large messages, pinned to the HCA's own socket."),
        ],
    )


def _open(judged: LinkExpectation, best: PerftestRow, measured: float) -> Finding:
    run = judged.run
    standard = nearest_rate(measured / 2 if run.bidirectional else measured, share_of(run))
    said = f"{_what(run)}: {measured:.1f} Gb/s{_both(run)} is {measured / judged.link.high:.0%} of what a port of "
    said += f"{judged.rate_gbit:g} Gb/s carries"
    if standard is not None and standard < judged.rate_gbit:
        other = rdma_bandwidth(standard, "", bidirectional=run.bidirectional, share=share_of(run))
        said += f", {measured / other.high:.0%} of one of {standard:g}"
    said += _with_mtu(run)
    expected = f"at least {judged.link.low:.0f} Gb/s, where the port has {judged.rate_gbit:g}"
    return _unsettled(run, best, measured, said, expected)


_AS_PRINTED = " has this rate "
"""In the basis of a rate that a tool printed of this very port (``expect/ports.py``)."""


def _impossible(judged: LinkExpectation, best: PerftestRow, measured: float) -> Finding:
    run = judged.run
    said = f"{_what(run)}: {measured:.1f} Gb/s{_both(run)} is more than {_times(run)}{judged.rate_gbit:g} Gb/s "
    said += f"carry{_with_mtu(run)}: "
    expected = f"at most {judged.link.high:g} Gb/s: {judged.rate_basis}"
    line_gbit = judged.rate_gbit * (2 if run.bidirectional else 1)
    if _AS_PRINTED not in judged.rate_basis or measured <= ROUNDING * line_gbit:
        return _unsettled(run, best, measured, f"{said}the port is another one", expected)
    return finding(
        "above-physical-bound",
        f"{said}the test used another port, or the number is not from it",
        severity="warning",
        confidence="likely",
        suspects=suspects("hca", [run.device]),
        evidence=[_measured_at(best, measured, expected)],
        remedy=[Step("Read the rate of the port on its node.", "ibstat"), Step("Repeat the test, and keep all of it.")],
    )


def _unsettled(run: PerftestRun, best: PerftestRow, measured: float, said: str, expected: str) -> Finding:
    """What was measured says nothing until the rate of the port is known."""
    return finding(
        "hardware-unknown",
        f"{said}; to settle it, say which it is (--nics)",
        severity="info",
        confidence="certain",
        suspects=suspects("hca", [run.device]),
        evidence=[_measured_at(best, measured, expected)],
        remedy=[Step("Read the rate of the port on its node.", "ibstat")],
    )


def _measured_at(best: PerftestRow, measured: float, expected: str) -> Evidence:
    return line_evidence(best.ref, observed=f"{measured:.2f} Gb/s at {format_size(best.size_bytes)}", expected=expected)


def _what(run: PerftestRun) -> str:
    memory = f" from {run.gpu_memory} memory" if run.gpu_memory not in (None, "host") else ""
    return f"{run.device or 'an HCA'}{memory}"


def _both(run: PerftestRun) -> str:
    return " both ways" if run.bidirectional else ""


def _of_the_port(judged: LinkExpectation, measured: float) -> str:
    """``98% of 400 Gb/s``; where headers take much of it, how much they leave, too."""
    total = judged.rate_gbit * (2 if judged.run.bidirectional else 1)
    leaves = (
        f", of which an MTU of {judged.run.mtu_bytes} leaves {judged.link.high:.1f}" if _with_mtu(judged.run) else ""
    )
    return f"{measured / total:.0%} of {_times(judged.run)}{judged.rate_gbit:g} Gb/s{leaves}"


def _with_mtu(run: PerftestRun) -> str:
    return f" with an MTU of {run.mtu_bytes}" if share_of(run) < _WORTH_SAYING else ""


def _times(run: PerftestRun) -> str:
    return "2 x " if run.bidirectional else ""


def _latency(run: PerftestRun) -> Iterator[Proof]:
    small = [row for row in run.rows if row.size_bytes <= 64 and (row.t_typical_us or row.t_avg_us)]
    if run.kind != "latency" or not small:
        return  # a bandwidth test, or large messages only
    time = small[0].t_typical_us or small[0].t_avg_us or 0.0
    limit = rdma_latency(run.device or "")
    trips = 2 if "read" in run.test.lower() else 1
    if time <= limit.high * trips and late_of(small[0], LatencyParams()) is None:
        # What is quick for one path is slow for another, but what InfiniBand takes is quick for each.
        known = bool(run.device or run.link_type) or time <= limit.value * trips
        which = "" if known else " of a path that is not named"
        yield Proof(
            f"{run.test or 'latency'}: {time:.2f} us at {small[0].size_bytes} bytes{which}",
            (
                line_evidence(
                    small[0].ref, observed=f"{time:.2f} us", expected=f"at most {limit.high:g} us: {limit.basis}"
                ),
            ),
            weight=(2 if time <= limit.value * trips * _USUAL else 1) if known else 0,
            undecided=not known,
        )
