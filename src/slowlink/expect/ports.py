"""Every bandwidth test of one port beside what the port should give.

perftest does not print the rate of the port. It is known where the user gave the NICs or a tool printed it; else the
fastest port counts that the adapter which a tool named has, or that such nodes are sold with, since a port of 400 Gb/s
that gives 196 looks just like a healthy one of 200.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from slowlink.catalog.hcas import find_hca
from slowlink.catalog.standards import largest_port_gbit
from slowlink.expect.link import nearest_rate, payload_share, rdma_bandwidth, rdma_bandwidth_warn
from slowlink.facts.mentions import port_rates
from slowlink.model.benchmark import BARE, PerftestRow, PerftestRun
from slowlink.model.expectations import LinkExpectation
from slowlink.model.facts import Facts
from slowlink.model.state import Reading
from slowlink.parting import by_key

_FILLS_A_LINK = 32 << 10
"""32 KiB; smaller messages do not fill a link."""
_ADAPTERS = ("hca-model", "hca-card")
"""Readings of which each names the kind of adapter."""


def assemble_links(facts: Facts) -> tuple[LinkExpectation, ...]:
    """One for each bandwidth test that crossed a link, with a row that could fill it."""
    runs = facts.perftests.all if facts.perftests is not None else ()
    found, told = [], _Told(facts)
    for run in runs:
        if best_row(run) is not None and not run.loopback and BARE not in run.parameters:
            rate, basis = _rate(run, facts, told)
            share = share_of(run)
            link = rdma_bandwidth(rate, run.device or "", bidirectional=run.bidirectional, share=share)
            warn = rdma_bandwidth_warn(rate, bidirectional=run.bidirectional, share=share)
            found.append(LinkExpectation(run, link, warn, rate, basis))
    return tuple(found)


def best_row(run: PerftestRun) -> PerftestRow | None:
    """The fastest row whose messages are large enough; None where there is none."""
    filling = [row for row in run.rows if row.bw_average_gbit and row.size_bytes >= _FILLS_A_LINK]
    return max(filling, key=lambda row: row.bw_average_gbit or 0.0, default=None)


def share_of(run: PerftestRun) -> float:
    """What headers leave of the port's rate; 1 where the output does not say, or what it measured is not RDMA."""
    return 1.0 if run.test.lower().startswith("raw") else payload_share(run.link_type, run.mtu_bytes)


def _rate(run: PerftestRun, facts: Facts, told: _Told) -> tuple[float, str]:
    """Gb/s, and how it is known; "" where it is not."""
    hardware = facts.hardware
    given = 0.0
    if hardware is not None and hardware.given and hardware.nics:
        given = max(group.rate_gbit for group in hardware.nics)
    printed, rate = told.rates("port-rate", run, _number)
    if rate > given:  # a port is no slower than it says itself, whatever was given
        return rate, f"{run.device} has this rate ({printed[0].ref.source}:{printed[0].ref.line})"
    if given:
        return given, "the NICs given"
    if (run.device or "").startswith("cxi") and (cassini := find_hca("cxi")) is not None:
        return cassini.rate_gbit, f"{run.device} is {cassini.title}"
    if (mentioned := told.mentioned.get(run.source)) is not None:
        return mentioned.gbit, mentioned.basis
    best = best_row(run)
    measured = (best.bw_average_gbit or 0.0) / (2 if run.bidirectional else 1) if best is not None else 0.0
    return max(_largest(run, facts, told), nearest_rate(measured, share_of(run)) or 0.0), ""


def _largest(run: PerftestRun, facts: Facts, told: _Told) -> float:
    """Gb/s of the fastest port that it may be: of the adapter that a tool named, else of nodes with this GPU."""
    largest = max(told.rates(name, run, _rate_of_model)[1] for name in _ADAPTERS)
    gpu = facts.hardware.gpu if facts.hardware is not None else None
    return largest or largest_port_gbit(gpu)


def _number(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, (int, float)) else 0.0


def _rate_of_model(reading: Reading) -> float:
    adapter = find_hca(str(reading.value))
    return adapter.rate_gbit if adapter is not None else 0.0


class _Told:
    """What tools said about HCAs, looked up for one test after another."""

    def __init__(self, facts: Facts) -> None:
        self._state = facts.state
        self.mentioned = port_rates(facts.observations.all if facts.observations is not None else ())
        self._known: dict[str, _OfAttribute] = {}

    def rates(
        self, attribute: str, run: PerftestRun, rate: Callable[[Reading], float]
    ) -> tuple[Sequence[Reading], float]:
        """What was said about the run's device on its node, and the highest rate of that; on all nodes where the test's
        own is not known or nothing was said of it there."""
        readings = self._state.readings.get(attribute) if self._state is not None else None
        if readings is None or run.device is None:
            return (), 0.0
        if attribute not in self._known:
            self._known[attribute] = _OfAttribute(readings.all)
        return self._known[attribute].about(run.device, run.host, rate)


class _OfAttribute:
    def __init__(self, readings: Iterable[Reading]) -> None:
        said = [reading for reading in readings if reading.value]
        self._of_device = by_key(said, _device)
        self._of_port = by_key(said, lambda reading: (_device(reading), reading.host))
        self._rates: dict[int, float] = {}
        """By the id of the readings, which are kept here."""

    def about(self, device: str, host: str | None, rate: Callable[[Reading], float]) -> tuple[Sequence[Reading], float]:
        found = self._of_port.get((device, host)) or self._of_device.get(device)
        if found is None:
            return (), 0.0
        if id(found) not in self._rates:
            self._rates[id(found)] = max(map(rate, found))
        return found, self._rates[id(found)]


def _device(reading: Reading) -> str:
    return reading.part.name.partition(":")[0].partition("/")[0]
