"""What hardware should give, for Python programs: the answer of ``slowlink expect`` as a record."""

from __future__ import annotations

from msgspec import Struct

from slowlink.catalog.given import given_hardware
from slowlink.errors import SlowlinkError
from slowlink.expect.asked import Asked, all_expectations, can_be_reached, case_of
from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Missing
from slowlink.model.facts import Hardware
from slowlink.model.report import Expectation


class Expected(Struct, frozen=True):
    """What a collective should reach at large sizes. Bandwidths are bus bandwidths in GB/s (1e9 bytes per second)."""

    collective: str
    nranks: int
    nnodes: int
    algorithm: str
    """The fastest of those that are possible: ``ring``, ``tree``, ``nvls`` ..."""
    busbw_gbs: float
    """What healthy systems show."""
    degraded_below_gbs: float
    """Less is not healthy any more."""
    bound_gbs: float
    """More is not possible, but for the noise of measuring."""
    basis: str
    """The sentence that derives it."""
    notes: tuple[str, ...]
    expectations: tuple[Expectation, ...]
    """Of each algorithm, of where half of it is reached, and of small messages; with their ranges."""
    prediction: Prediction
    """What all that is made of; not part of what stays the same between versions."""

    def __repr__(self) -> str:
        """In one line."""
        return (
            f"<Expected {self.collective}, {self.nranks} ranks on {self.nnodes} nodes: {self.busbw_gbs:.0f} GB/s "
            f"({self.algorithm}), degraded below {self.degraded_below_gbs:.0f}, bound {self.bound_gbs:.0f}>"
        )

    def reaches(self, threshold_gbs: float, size_bytes: int | None = None) -> tuple[bool, str]:
        """Whether a bus bandwidth in GB/s can be reached, at large sizes or at one size in bytes; and why."""
        return can_be_reached(threshold_gbs, size_bytes, self.prediction)


def expected(
    hardware: Hardware | str,
    *,
    nodes: int = 1,
    collective: str = "all_reduce",
    gpus_per_node: int | None = None,
    algorithm: str | None = None,
    gdr: bool | None = None,
    nvls: bool | None = None,
    sockets: bool = False,
    sharp: bool = False,
) -> Expected:
    """What ``collective`` should reach on so many ``nodes`` of ``hardware``, and why.

    ``hardware``: the name of a system (``hgx_h100``), or what ``slowlink.hardware`` makes. ``gpus_per_node``: those
    that the job uses; default: all. ``algorithm``: forced by NCCL_ALGO. ``gdr``, ``nvls``: False where not used;
    ``sockets``: TCP carries the data; ``sharp``: the network reduces. Sources of the model: docs/physics.md.
    Raises SlowlinkError for unknown names (``unknown-system``, ``unknown-collective``, ``unknown-algorithm``), and
    where too little is known of the hardware (``no-hardware``).
    """
    given = given_hardware(system=hardware) if isinstance(hardware, str) else hardware
    asked = Asked(
        collective=collective, nodes=nodes, gpus_per_node=gpus_per_node, algorithm=algorithm, nvls=nvls, gdr=gdr,
        sockets=sockets, sharp=sharp,
    )  # fmt: skip
    prediction = predict(case_of(asked, given))
    if isinstance(prediction, Missing):
        raise SlowlinkError(prediction.sentence, hint="slowlink.hardware(gpu=..., nics=...)", slug="no-hardware")
    case, chosen = prediction.case, prediction.chosen
    return Expected(
        collective=case.collective,
        nranks=case.nranks,
        nnodes=case.nnodes,
        algorithm=chosen.algorithm,
        busbw_gbs=prediction.expected.value,
        degraded_below_gbs=chosen.fail,
        bound_gbs=chosen.value,
        basis=prediction.expected.basis,
        notes=tuple(prediction.caveats),
        expectations=all_expectations(prediction),
        prediction=prediction,
    )
