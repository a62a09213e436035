"""Bus bandwidth is below what this hardware should give.

The largest busbw of a sweep that reaches the plateau is compared with the bound that the hardware and the algorithm in
use allow. Below the band of healthy systems it is a warning; where something is certainly lost it is an error
(docs/physics.md, "Bands"). Above the bound, the hardware is not what it was taken for. The average that nccl-tests
prints is never used: it depends on the sizes swept more than on the machine.

Why it matters: it is the number that everybody looks at. But it is a symptom: it leads a report only when nothing
explains it.
How to confirm: ``slowlink expect --system ...`` derives the bound; ``NCCL_ALGO=Ring`` on two nodes shows the network
alone.
What to do: without a cause, measure the layers below: ib_write_bw for each HCA, nvbandwidth in each node, one node
alone.
When it is wrong: when the hardware is not what was given or inferred; say what it is with --system or --nics. Where
the log does not name it, what even the smallest network of such nodes carries is the limit, and the finding is possible
only; what lies above that and below the largest network is left open (``hardware-unknown``).
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.benchmark import Point
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.sweep_words import best_point, what_ran
from slowlink.rules.measured.remedies import layers_below
from slowlink.units import format_size

CAUSES = ("busbw-below-expected", "above-physical-bound")
DENIES = (
    *("busbw-below-expected", "straggler-node", "straggler-gpu", "slow-path", "wrong-results"),
    *("bandwidth-unstable", "bandwidth-bimodal"),
)

_TIGHT = 0.9
"""Share of a bound that healthy systems must reach for a share of it to tell people anything."""
_ROUNDING = 1e-6
_LARGEST = ", the largest that such nodes are sold with"
_MENTIONED = " if that is what the nodes have, as the text around the numbers says"


def check(expectations: Expectations) -> Iterator[Finding | Proof]:
    """One finding or proof for each sweep that has an expectation."""
    for judged in expectations.sweeps:
        best = best_point(judged.sweep)
        if best is None or best.busbw_gbs is None:
            continue
        if _as_told(best.busbw_gbs) > _as_told(judged.ceiling_gbs) and not (judged.assumed or judged.largest):
            yield _impossible(judged, best)
        elif best.busbw_gbs < judged.warn_below_gbs:
            yield _low(judged, best)
        else:
            yield _proof(judged, best)


def _low(judged: SweepExpectation, best: Point) -> Finding:
    value = best.busbw_gbs or 0.0
    failed = value < judged.busbw.low
    return finding(
        "busbw-below-expected",
        f"{what_ran(judged.sweep)} reaches {value:.1f} GB/s of an expected {judged.busbw.value:.0f}, "
        f"{_share(judged, value, judged.busbw.high, told=True)}",
        severity="error" if failed else "warning",
        confidence="possible" if judged.assumed else "likely",
        suspects=suspects("node", judged.sweep.hosts) if len(judged.sweep.hosts) <= 2 else (),
        evidence=[
            line_evidence(
                best.ref,
                observed=f"{value:.2f} GB/s at {format_size(best.size_bytes)}",
                expected=f"at least {judged.busbw.low:.0f} GB/s: {judged.busbw.basis}",
            )
        ],
        remedy=layers_below(judged.hardware, judged.sweep.nnodes),
    )


def _as_told(gbs: float) -> float:
    """The number that is told. What is said to be above another number must be so as the two are printed."""
    return float(f"{gbs:.3g}")


def _impossible(judged: SweepExpectation, best: Point) -> Finding:
    return finding(
        "above-physical-bound",
        f"{what_ran(judged.sweep)} shows {_as_told(best.busbw_gbs or 0.0):g} GB/s, above the physical bound of "
        f"{_as_told(judged.busbw.high):g}: the hardware is not what it was taken for, or the numbers are not from "
        "this machine",
        severity="warning",
        confidence="likely",
        evidence=[
            line_evidence(
                best.ref,
                observed=f"{best.busbw_gbs:.2f} GB/s",
                expected=f"at most {_as_told(judged.busbw.high):g} GB/s: {judged.busbw.basis}",
            )
        ],
        remedy=[("Say what the hardware is.", "slowlink analyze --system ... --nics ...")],
    )


def _proof(judged: SweepExpectation, best: Point) -> Proof:
    value = best.busbw_gbs or 0.0
    bound = _nearest(judged, value)
    assumption = _LARGEST if judged.largest else _MENTIONED if judged.assumed else ""
    return Proof(
        f"{what_ran(judged.sweep)}: {value:.1f} GB/s, {_share(judged, value, bound)}{assumption}",
        (
            line_evidence(
                best.ref,
                observed=f"{value:.2f} GB/s at {format_size(best.size_bytes)}",
                expected=judged.busbw.basis,
            ),
        ),
        weight=3,
    )


def _nearest(judged: SweepExpectation, value: float) -> float:
    """The least bound of an algorithm that ``value`` does not exceed, GB/s: below the ring's bound, the ring may be
    what ran. A tree's bound does not count: on two nodes it is twice a ring's."""
    kept = [e.high for e in judged.algorithms if value <= e.high and e.quantity != "busbw:tree"]
    return min(kept, default=judged.busbw.high)


def _share(judged: SweepExpectation, value: float, bound: float, *, told: bool = False) -> str:
    """What the value is of the bound, or, where healthy systems stay far below that as in a node, of what they show.

    ``told``: that number was said already.
    """
    typical = max((e.value for e in judged.algorithms if abs(e.high - bound) < _ROUNDING), default=judged.busbw.value)
    if judged.sweep.nnodes == 1 or typical < _TIGHT * bound:
        what = "what healthy systems show" if told else f"the {judged.busbw.value:.0f} GB/s that healthy systems show"
        return f"{value / judged.busbw.value:.0%} of {what}"
    return f"{value / bound:.0%} of {_bound_name(judged, bound)}"


def _bound_name(judged: SweepExpectation, bound: float) -> str:
    algorithm = next(
        (e.quantity.partition(":")[2] for e in judged.algorithms if abs(e.high - bound) < _ROUNDING),
        "",
    )
    name = f"the {algorithm} bound" if algorithm else "the bound"
    nics = " + ".join(f"{group.count} x {group.rate_gbit:g} Gb/s" for group in judged.hardware.nics)
    if (judged.assumed or judged.largest) and judged.hardware.gpu is not None:
        nics = f"{nics} and {judged.hardware.gpu}" if nics else ""
    inside = judged.sweep.nnodes == 1 or not nics
    return f"{name} of {bound:.0f} GB/s" if inside else f"{name} of {nics} ({bound:.0f} GB/s)"
