"""Bus bandwidth is below what this hardware should give.

The largest busbw of a sweep that reaches the plateau is compared with the bound that the hardware and the algorithm in
use allow. Below the band of healthy systems it is a warning; where something is certainly lost it is an error
(docs/physics.md, "Bands"). Above the bound, the hardware is not what it was taken for. The average that nccl-tests
prints is never used: it depends on the sizes swept more than on the machine. busbw does not fall with the size on a
healthy system, so the sizes behind the best one are compared too: where they lie below the band and a fifth below the
best, most of the plateau so is an error, less a warning, and so is one fast size behind a slow plateau. Nothing is
proven then, nor where in-place or out-of-place alone is so slow at the largest size, or one of few runs of it.

Why it matters: it is the number that everybody looks at. But it is a symptom: it leads a report only when nothing
explains it.
How to confirm: ``slowlink expect --system ...`` derives the bound; ``NCCL_ALGO=Ring`` on two nodes shows the network
alone.
What to do: without a cause, measure the layers below: ib_write_bw for each HCA, nvbandwidth in each node, one node
alone.
When it is wrong: when the hardware is not what was given or inferred; say what it is with --system or --nics. Where
the log does not name it, what even the smallest network of such nodes carries is the limit, of those that can carry
what was measured where ranks use all GPUs of the nodes, and the finding is possible only; what lies above that and
below the largest network is left open (``hardware-unknown``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from slowlink.expect.plateau import PLATEAU_SPAN, best_by_placement, best_by_size, worse_side_share
from slowlink.model.benchmark import Point
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.sweep_words import best_point, what_ran
from slowlink.rules.measured.remedies import layers_below
from slowlink.units import brief, format_size, tenths

CAUSES = ("busbw-below-expected", "above-physical-bound")
DENIES = (
    *("busbw-below-expected", "straggler-node", "straggler-gpu", "slow-path", "wrong-results"),
    *("bandwidth-unstable", "bandwidth-bimodal"),
)

_TIGHT = 0.9
"""Share of a bound that healthy systems must reach for a share of it to tell people anything."""
_ROUNDING = 1e-6
_HELD = 0.8
"""Share of the best busbw that larger sizes, and the slower of in-place and out-of-place, keep on healthy systems.
Noise is a few per cent; another algorithm may cost some more, but does not lead below the band."""
_FAR_BEYOND = 1.1
"""Times what the largest network of such nodes carries: a little more is a network that the catalogue does not know."""
_MANY_REPEATS = 6
"""From so many on ``bandwidth_unstable`` judges them."""
_LARGEST = ", the largest network that such nodes are sold with"
_LEAST = " on the least hardware that the nodes can have"
_MENTIONED = " if that is what the nodes have, as the text around the numbers says"


def check(expectations: Expectations) -> Iterator[Finding | Proof]:
    """One finding or proof for each sweep that has an expectation."""
    for judged in expectations.sweeps:
        best = best_point(judged.sweep)
        if best is None or best.busbw_gbs is None:
            continue
        beyond = _FAR_BEYOND if judged.largest else 1.0
        if _as_told(best.busbw_gbs) > _as_told(beyond * judged.ceiling_gbs):
            yield _impossible(judged, best)
        elif best.busbw_gbs < judged.warn_below_gbs:
            yield _low(judged, best)
        elif behind := _slow_behind(judged, best):
            yield _not_held(judged, best, behind)
        elif slow := _slow_repeat(judged, best):
            yield _not_held(judged, best, [slow])
        elif _both_sides_hold(judged):
            yield _proof(judged, best)


def _low(judged: SweepExpectation, best: Point) -> Finding:
    value = best.busbw_gbs or 0.0
    failed = value < judged.busbw.low
    return finding(
        "busbw-below-expected",
        f"{what_ran(judged.sweep)} reaches {tenths(value)} GB/s of an expected {brief(judged.busbw.value)}, "
        f"{_share(judged, value, judged.busbw.high, told=True)}{_LEAST if _is_least(judged) else ''}",
        severity="error" if failed else "warning",
        confidence="possible" if judged.assumed else "likely",
        suspects=suspects("node", judged.sweep.hosts) if len(judged.sweep.hosts) <= 2 else (),
        evidence=[
            line_evidence(
                best.ref,
                observed=f"{value:.2f} GB/s at {format_size(best.size_bytes)}",
                expected=f"at least {brief(judged.busbw.low)} GB/s: {judged.busbw.basis}",
            )
        ],
        remedy=layers_below(judged.hardware, judged.sweep.nnodes, judged.sweep.collective),
    )


def _is_least(judged: SweepExpectation) -> bool:
    """Does no line say what the nodes have, so that the least was taken that is possible?"""
    return judged.assumed and not judged.hardware.mentioned


def _slow_behind(judged: SweepExpectation, best: Point) -> list[Point]:
    """The best row of each of the largest sizes that are slow, down to one that is not, or of most of the plateau."""
    least = min(judged.warn_below_gbs, _HELD * (best.busbw_gbs or 0.0))
    sides = best_by_placement(judged.sweep)
    largest_first = [
        max(sides[size].values(), key=lambda point: point.busbw_gbs or 0.0) for size in sorted(sides)[::-1]
    ]
    behind = list(takewhile(lambda point: (point.busbw_gbs or 0.0) < least, largest_first))
    return behind or _most_of_plateau(largest_first, least)


def _slow_repeat(judged: SweepExpectation, best: Point) -> Point | None:
    """The slowest row of the largest size, where it was run again and is far below what it reached before. Where there
    are many, how they spread tells more than one of them."""
    size = max(point.size_bytes for point in judged.sweep.points)
    rows: dict[tuple[int, int], list[Point]] = {}
    for point in judged.sweep.points:
        if point.size_bytes == size and point.busbw_gbs is not None:
            rows.setdefault((point.ref.line, point.cycle), []).append(point)
    if not 1 < len(rows) < _MANY_REPEATS:
        return None
    faster = [max(row, key=lambda point: point.busbw_gbs or 0.0) for row in rows.values()]
    slowest = min(faster, key=lambda point: point.busbw_gbs or 0.0)
    least = min(judged.busbw.low, _HELD * (best.busbw_gbs or 0.0))
    return slowest if (slowest.busbw_gbs or 0.0) < least else None


def _most_of_plateau(largest_first: Sequence[Point], least: float) -> list[Point]:
    """Its slow sizes where they are more than half of it: then one fast size, the largest, is the odd one."""
    plateau = [point for point in largest_first if point.size_bytes * PLATEAU_SPAN >= largest_first[0].size_bytes]
    slow = [point for point in plateau if (point.busbw_gbs or 0.0) < least]
    return slow if 2 * len(slow) > len(plateau) else []


def _not_held(judged: SweepExpectation, best: Point, behind: Sequence[Point]) -> Finding:
    """A single size may be a moment of interference; most of the plateau is what the system carries."""
    largest = behind[0]
    plateau = {
        size: gbs for size, gbs in best_by_size(judged.sweep).items() if size * PLATEAU_SPAN >= largest.size_bytes
    }
    slow = [
        size for size in {point.size_bytes for point in behind} & plateau.keys() if plateau[size] < judged.busbw.low
    ]
    failed = len(slow) > 1 and 2 * len(slow) > len(plateau)
    return finding(
        "busbw-below-expected",
        f"{what_ran(judged.sweep)} does not hold what it reaches: {best.busbw_gbs:.1f} GB/s at "
        f"{format_size(best.size_bytes)}, and {largest.busbw_gbs:.1f} GB/s of an expected "
        f"{brief(judged.busbw.value)} at {format_size(largest.size_bytes)}",
        severity="error" if failed else "warning",
        confidence="likely" if failed and not judged.assumed else "possible",
        evidence=[
            line_evidence(
                largest.ref,
                observed=f"{largest.busbw_gbs:.2f} GB/s at {format_size(largest.size_bytes)}",
                expected=f"at least {brief(judged.busbw.low)} GB/s: {judged.busbw.basis}",
            ),
            line_evidence(best.ref, observed=f"{best.busbw_gbs:.2f} GB/s at {format_size(best.size_bytes)}"),
        ],
        remedy=[("Repeat the largest sizes alone: is it the size, or was it the moment?", "")],
    )


def _both_sides_hold(judged: SweepExpectation) -> bool:
    """Of in-place and out-of-place none is below the band and far below the other at the largest size."""
    sides = max(best_by_placement(judged.sweep).items(), key=lambda each: each[0])[1]
    lowest = min(point.busbw_gbs or 0.0 for point in sides.values())
    return lowest >= judged.warn_below_gbs or worse_side_share(sides) >= _HELD


def _as_told(gbs: float) -> float:
    """The number that is told. What is said to be above another number must be so as the two are printed."""
    return float(f"{gbs:.3g}")


def _impossible(judged: SweepExpectation, best: Point) -> Finding:
    taken = "the text around the numbers says" if judged.assumed else "it was taken for"
    taken = "such nodes are sold with" if judged.largest else taken
    return finding(
        "above-physical-bound",
        f"{what_ran(judged.sweep)} shows {_as_told(best.busbw_gbs or 0.0):g} GB/s, above the physical bound of "
        f"{_as_told(judged.busbw.high):g}: the hardware is not what {taken}, or the numbers are not from this machine",
        severity="warning",
        confidence="possible" if judged.assumed or judged.largest else "likely",
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
    excluded = f"; {judged.hardware.basis}" if judged.largest and judged.hardware.excluded else ""
    return Proof(
        f"{what_ran(judged.sweep)}: {tenths(value)} GB/s, {_share(judged, value, bound)}{assumption}",
        (
            line_evidence(
                best.ref,
                observed=f"{value:.2f} GB/s at {format_size(best.size_bytes)}",
                expected=judged.busbw.basis + excluded,
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
        what = "what" if told else f"the {brief(judged.busbw.value)} GB/s that"
        return f"{value / judged.busbw.value:.0%} of {what} healthy systems show"
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
    return f"{name} of {brief(bound)} GB/s" if inside else f"{name} of {nics} ({brief(bound)} GB/s)"
