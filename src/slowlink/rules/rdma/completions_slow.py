"""Sends of one HCA take longer to complete than those of others like it.

RCCL's network telemetry counts, for each HCA that a process used, how many sends completed within which time. Here the
means are compared, between HCAs of one name on all nodes (a rail), and where these are fewer than four, between all.
Only HCAs whose sends are about as large are compared, and which have a thousand and more.

Why it matters: a ring goes at the rate of its slowest HCA.
How to confirm: a send completes when its receiver has acknowledged it, so a receiver that is slow, or paused by the
fabric, makes its senders look slow. Pairs of HCAs (``slowlink isolate --parts``) tell the ends apart; counters of both
ports (pauses, retransmissions, packets out of sequence) tell why.
What to do: look at the link of the HCA that is named, its PCIe slot and its counters, then at those it sends to.
When it is wrong: an HCA whose peers are further away, or that carries other traffic, too, is slower without any fault.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec import Struct

from slowlink.averages import median, median_deviation
from slowlink.facts.readings import node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.rules.evidence.node_readings import on_nodes
from slowlink.rules.evidence.parts_of_processes import device_of, hca_suspects

CAUSES = ("straggler-nic",)
_MANY = 32


class Params(Struct, frozen=True):
    """When an HCA stands out."""

    fewest_sends: int = 1_000
    fewest_alike: int = 4
    """HCAs; with fewer nothing shows which one differs."""
    least_slower: float = 1.5
    """Its mean over the middle of the others."""
    least_deviations: float = 5.0
    """Standard deviations of the others, from their median deviation: one HCA in a million, were they normal."""
    size_apart: float = 1.5
    """Mean size of a send over that of the middle, or the other way round, up to which HCAs are compared."""


class _Sender(NamedTuple):
    """What one process sent through one HCA."""

    reading: Reading
    us: float
    sends: int
    size_bytes: float | None


def check(
    latencies: Annotated[Readings, Of("hca-completion-latency")],
    beside: Annotated[Readings, Of("hca-completions-timed", "hca-send-size", "hca-queue-pairs-uncounted")],
    params: Params,
) -> Iterator[Finding]:
    """One finding for each HCA that stands out. Without one nothing is proven: all may be slow alike."""
    for alike in _alike(_senders(latencies, beside, params), params):
        every = [each.us for each in alike]
        of_all = _usual(every) if len(every) > _MANY else None  # among many, one does not move the middle
        for one in alike:
            usual, spread = of_all or _usual([each.us for each in alike if each is not one])
            if one.us >= params.least_slower * usual and one.us - usual > params.least_deviations * spread:
                yield _finding(one, usual, len(every) - 1)


def _usual(us: Sequence[float]) -> tuple[float, float]:
    """The middle, and how far from it is usual."""
    usual = median(us)
    return usual, max(1.4826 * median_deviation(us), 0.05 * usual)


def _senders(latencies: Readings, beside: Readings, params: Params) -> list[_Sender]:
    told = {(node_of(each), each.part, each.ref.source, each.attribute): each.value for each in beside.all}

    def of(reading: Reading, attribute: str) -> float:
        value = told.get((node_of(reading), reading.part, reading.ref.source, attribute), 0)
        return float(value) if isinstance(value, int | float) else 0.0

    senders = [
        _Sender(each, float(each.value), int(of(each, "hca-completions-timed")), of(each, "hca-send-size") or None)
        for each in latencies.all
        if isinstance(each.value, int | float) and not of(each, "hca-queue-pairs-uncounted")
    ]
    return [each for each in senders if each.sends >= params.fewest_sends and each.us > 0]


def _alike(senders: Sequence[_Sender], params: Params) -> Iterator[list[_Sender]]:
    """HCAs of one rail, or all; without those that send other sizes."""
    rails: dict[str, list[_Sender]] = defaultdict(list)
    for each in senders:
        rails[device_of(each.reading)].append(each)
    large = [some for some in rails.values() if len(some) >= params.fewest_alike]
    rest = [each for some in rails.values() if len(some) < params.fewest_alike for each in some]
    for some in [*large, rest]:
        sizes = [each.size_bytes for each in some if each.size_bytes is not None]
        if not sizes:
            continue
        usual = median(sizes)
        same = [
            each
            for each in some
            if each.size_bytes is not None and usual / params.size_apart <= each.size_bytes <= usual * params.size_apart
        ]
        if len(same) >= params.fewest_alike:
            yield same


def _finding(one: _Sender, usual: float, others: int) -> Finding:
    reading = one.reading
    return finding(
        "straggler-nic",
        f"{on_nodes([reading])}{reading.part.name}: its sends complete after {one.us:.0f} us on the average where "
        f"those of {others} others alike take {usual:.0f} us ({one.us / usual:.1f} times as long, {one.sends:,} sends)"
        ": it is slow, or those it sends to are",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(reading.ref, f"{one.us:.0f} us", f"{usual:.0f} us, as of {others} others")],
        suspects=hca_suspects([reading]),
        explains=("busbw-below-expected", "bandwidth-unstable"),
        remedy=[
            ("Test pairs of nodes, HCA by HCA: they tell the ends apart.", "slowlink isolate --nodes NODES --parts"),
            ("Ask for the state of its links and counters.", "slowlink snapshot --nodes NODES"),
        ],
    )
