"""How much a layer may lose before it is degraded, and how much like tests may differ.

MPI on CPU memory has no processor of its own: who else runs there makes two measurements of the same differ, at times
by a factor. So what is slow there is slower than that, and where it takes more than the margin nothing is sound either.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, pi, sqrt
from statistics import NormalDist

from msgspec import Struct

from slowlink.ladder import layers as of
from slowlink.model.ladder import LadderResult

_FEWEST_WITHIN, _FEWEST_BETWEEN = 3, 2
_OF_A_TEST = 0.8
"""A test gives the median over sizes of the better placement, which is steadier than one of them: 0.55 of its noise
where all six are independent (by simulation); what they share takes some of that back."""
_ERRS = 0.01
"""How often noise may exceed it, over all comparisons of two tests of a layer."""


class Tolerances(Struct, frozen=True):
    """Where a layer is degraded (docs/physics.md, "Thresholds used in the field")."""

    least_share_link: float = 0.90
    """Of its port's rate, or from GPU memory of what the same link gives from host memory."""
    least_share_collective: float = 0.85
    """Of what the links below carry: rings across nodes reach 0.94, the gates in use stand at 0.80 to 0.88."""
    margin: float = 0.05
    """Below like tests of the same layer."""
    margin_on_cpu: float = 0.5
    """The same for MPI on CPU memory over TCP, where who shares the processors matters more than the network."""


def margin_of(layer: str, results: Sequence[LadderResult], on_gpu: bool, limits: Tolerances) -> float:
    """Below like tests, as a share; of MPI on CPU memory the wider one."""
    return limits.margin_on_cpu if on_processors(layer, results, on_gpu) else limits.margin


def on_processors(layer: str, results: Sequence[LadderResult], on_gpu: bool) -> bool:
    """Is it MPI on CPU memory that was measured?"""
    return not any(result.test.hca for result in results) and (not on_gpu or layer == of.PAIRS_HOST)


def noise(results: Sequence[LadderResult]) -> float:
    """How much two measurements of the same differ: one standard deviation of the logarithm of one of them; 0 where
    nothing was measured twice. Within a launch and between launches: what is the same for all of a launch shows in the
    second alone."""
    within = [value for result in results for value in result.apart]
    between = [log(result.again_gbs / result.first_gbs) for result in results if result.first_gbs and result.again_gbs]
    return max(
        _OF_A_TEST * _spread(within) if len(within) >= _FEWEST_WITHIN else 0.0,
        _spread(between) if len(between) >= _FEWEST_BETWEEN else 0.0,
    )


def noise_margin(spread: float, tests: int) -> float:
    """What one of so many tests must lose beside another to have lost more than noise takes, as a share."""
    return 1 - exp(-NormalDist().inv_cdf(1 - _ERRS / max(2, tests) ** 2) * spread)


def _spread(apart: Sequence[float]) -> float:
    """Of one of two that are so far apart: by the mean distance, which one moment in many does not carry away."""
    return sqrt(pi) / 2 * sum(map(abs, apart)) / len(apart)
