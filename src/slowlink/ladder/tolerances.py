"""How much a layer may lose before it is degraded, and how much like tests may differ."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.ladder import layers as of
from slowlink.model.ladder import LadderResult


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
    is_link = any(result.test.hca for result in results)
    return limits.margin if is_link or (on_gpu and layer != of.PAIRS_HOST) else limits.margin_on_cpu
