"""What was measured beside what it should be."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from slowlink.model.benchmark import PerftestRun
from slowlink.model.facts import Hardware, MeasuredSweep
from slowlink.model.report import Expectation

Hindrance = Literal["gdr", "hcas"]
"""What may be missing between nodes: GPUDirect RDMA, some of the HCAs."""


class Hindered(Struct, frozen=True):
    """What is still to be expected while something is missing."""

    lacking: frozenset[Hindrance]
    busbw: Expectation


class SweepExpectation(Struct, frozen=True):
    """One sweep with the band that its hardware and algorithm allow."""

    sweep: MeasuredSweep
    busbw: Expectation
    """For what NCCL would choose (or was told to): value = typical, low = fail below, high = physical bound."""
    warn_below_gbs: float
    ceiling_gbs: float
    """A higher measured value is not credible on this hardware."""
    algorithms: tuple[Expectation, ...]
    """One bound for each algorithm considered."""
    hardware: Hardware
    assumed: bool
    """The hardware is not known: this is the least that it can be, or what the text around the numbers mentions."""
    largest: bool = False
    """The hardware is not known, and need not be: this is the largest standard node of its GPU."""
    hindered: tuple[Hindered, ...] = ()
    """Of a sweep that is too slow: what causes whose cost is computed leave of its bandwidth."""


class Possibility(Struct, frozen=True):
    """One kind of node that the job may have run on, with the band that it would have."""

    hardware: Hardware
    nnodes: int
    bridged: bool
    busbw: Expectation
    warn_below_gbs: float


class OpenSweep(Struct, frozen=True):
    """One sweep that is healthy on some of the nodes that it may have run on and sick on others."""

    sweep: MeasuredSweep
    possibilities: tuple[Possibility, ...]
    """The largest first; the smallest on which the measurement would be healthy is among them."""
    missing: tuple[str, ...]
    """What would settle it: ``gpu``, ``nics``, ``nodes``, ``bridge``."""


class LinkExpectation(Struct, frozen=True):
    """One perftest run with the band of its port's rate."""

    run: PerftestRun
    link: Expectation
    warn_below_gbit: float
    rate_gbit: float
    """Of the port, one direction."""
    rate_basis: str
    """How the rate is known; "" where it is not: then it is the largest that such nodes are sold with."""


class Expectations(Struct, frozen=True):
    """Everything that could be judged, and why the rest could not."""

    sweeps: tuple[SweepExpectation, ...]
    links: tuple[LinkExpectation, ...]
    unjudged: tuple[tuple[str, str], ...]
    """(sweep name, what is missing)."""
    open: tuple[OpenSweep, ...] = ()

    def __bool__(self) -> bool:
        """Is there anything to compare with a bound?"""
        return bool(self.sweeps or self.links or self.open)
