"""What was measured beside what it should be."""

from __future__ import annotations

from dataclasses import dataclass

from slowlink.model.benchmark import PerftestRun
from slowlink.model.facts import Hardware, MeasuredSweep
from slowlink.model.report import Expectation


@dataclass(frozen=True, slots=True)
class SweepExpectation:
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
    """The hardware is not known; it is the smallest standard configuration that can carry what was measured."""


@dataclass(frozen=True, slots=True)
class LinkExpectation:
    """One perftest run with the band of its port rate."""

    run: PerftestRun
    link: Expectation
    assumed: bool
    """The port's rate is not printed; it is the smallest standard rate that can carry what was measured."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """Everything that could be judged, and why the rest could not."""

    sweeps: tuple[SweepExpectation, ...]
    links: tuple[LinkExpectation, ...]
    unjudged: tuple[tuple[str, str], ...]
    """(sweep name, what is missing)."""
