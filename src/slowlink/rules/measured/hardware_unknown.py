"""The bandwidth decides nothing while nobody says what the nodes have.

A table of a benchmark names the GPUs and not the NICs. 22 GB/s are all that one port of 200 Gb/s carries, and a
sixteenth of what eight ports of 400 do: the same number is sound on one cluster and a disaster on the other. What to
expect is that of this collective with these ranks and nodes, as ``slowlink expect`` gives it: an all-to-all gets a
fraction of what the ports carry together. Where it
reaches the band of the largest network that this GPU is sold with it is healthy without a question; where it falls
below the smallest it is degraded (``busbw-below-expected``). Here it lies between.

Why it matters: calling it healthy would hide every port that runs at half its rate and every HCA that is not used.
How to confirm: ``ibstat`` or ``ibv_devinfo`` on one node: how many ports, at which rate; ``nvidia-smi topo -m``: are
GPUs joined by bridges.
What to do: say what the nodes have: --system, or --gpu and --nics; a job's log with NCCL_DEBUG=INFO names the ports.
When it is wrong: it claims nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.systems import describe_network
from slowlink.model.benchmark import Point
from slowlink.model.expectations import Expectations, OpenSweep, Possibility
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, line_evidence
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.sweep_words import best_point, what_ran
from slowlink.units import format_size

CAUSES = ("hardware-unknown",)

_OPTIONS = {"gpu": "the GPU (--gpu)", "nics": "the NICs of a node (--nics)", "nodes": "the number of nodes (--nodes)"}
_BRIDGE = "whether a bridge joins the GPUs (nvidia-smi topo -m)"


def check(expectations: Expectations) -> Iterator[Finding]:
    """One finding for each sweep that known hardware would settle."""
    for unsettled in expectations.open:
        best = best_point(unsettled.sweep)
        if best is not None and best.busbw_gbs is not None:
            yield _open(unsettled, best, best.busbw_gbs)


def _open(unsettled: OpenSweep, best: Point, value: float) -> Finding:
    largest = unsettled.possibilities[0]
    fitting = [p for p in unsettled.possibilities[1:] if p.warn_below_gbs <= value]
    smaller = min(fitting, key=lambda p: p.busbw.value, default=None)
    expected = largest.busbw.value
    said = f"{what_ran(unsettled.sweep)}: {value:.1f} GB/s is {value / expected:.0%} of the {_number(expected)} GB/s "
    said += f"to expect of {_words(largest)}"
    if smaller is not None:
        said += f", and within the {_band(smaller)} of {_words(smaller)}"
    asked = [_OPTIONS.get(name, _BRIDGE) for name in unsettled.missing]
    return finding(
        "hardware-unknown",
        f"{said}; to settle it, say {listed(asked)}",
        severity="info",
        confidence="certain",
        evidence=[
            line_evidence(
                best.ref,
                observed=f"{value:.2f} GB/s at {format_size(best.size_bytes)}",
                expected=f"{_number(largest.warn_below_gbs)} GB/s or more with {_words(largest)}",
            )
        ],
        remedy=[Step(f"What {value:.1f} GB/s would be: {_table(unsettled, value)}.")],
    )


def _band(possible: Possibility) -> str:
    """``19 to 23 GB/s``: where healthy systems begin, and the bound of this collective on so many ranks and nodes."""
    return f"{_number(possible.warn_below_gbs)} to {_number(possible.busbw.high)} GB/s"


def _number(gbs: float) -> str:
    return f"{gbs:.0f}" if gbs >= 10 else f"{gbs:.1f}"


def _words(possible: Possibility) -> str:
    """``8 x 400 Gb/s``; ``h100-sxm GPUs on one node``."""
    if possible.nnodes == 1:
        return f"{possible.hardware.gpu} GPUs {'on one node' if possible.bridged else 'without a bridge'}"
    return describe_network(possible.hardware.nics)


def _table(unsettled: OpenSweep, value: float) -> str:
    rows = []
    for possible in unsettled.possibilities:
        judged = "healthy" if value >= possible.warn_below_gbs else "slow" if value < possible.busbw.low else "low"
        rows.append(f"{_words(possible)}: {judged} (sound ones give {_band(possible)})")
    return "; ".join(rows)
