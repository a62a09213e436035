"""What the layers below allow in a layer: each layer measured is the ceiling of what stands on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.ladder import layers as of
from slowlink.model.ladder import Ladder, LadderResult, Rung

BITS = 8.0


class Ceiling(Struct, frozen=True):
    """An upper bound in GB/s with the sentence that derives it."""

    gbs: float
    basis: str


def ceiling(layer: str, ladder: Ladder, below: Mapping[str, Rung]) -> Ceiling | None:
    """``below``: the rungs that were judged already. None: nothing below was measured. Pure."""
    if layer == of.PAIRS_HOST:
        return _of_ports(ladder)
    if not _goes_the_same_way(ladder):
        below = {name: rung for name, rung in below.items() if name != of.PAIRS_HOST}
    if layer == of.PAIRS_GPU:
        return _first(below, of.PAIRS_HOST)
    if layer == of.PAIRS_FAR:
        return _first(below, of.PAIRS_GPU)
    if layer == of.ONE_RANK:
        return _first(below, of.PAIRS_GPU, of.PAIRS_HOST)
    if layer == of.TWO_NODES:
        return _least(_of_rails(ladder), _first(below, of.NODE)) or _first(below, of.ONE_RANK)
    if layer == of.ALL_NODES:
        return _first(below, of.TWO_NODES, of.ONE_RANK)
    return None


def _goes_the_same_way(ladder: Ladder) -> bool:
    """Do collectives go the way that pairs were measured on? Of GPUs only HCAs tell: MPI's pairs go over whatever it
    chose, and NCCL over RDMA may carry forty times as much."""
    return not ladder.plan.on_gpu or any(
        result.test.hca for result in ladder.results if result.test.layer == of.PAIRS_HOST
    )


def _first(below: Mapping[str, Rung], *names: str) -> Ceiling | None:
    """What the slowest test of the first of these layers that has a number gives."""
    for name in names:
        rung = below.get(name)
        if rung is not None and rung.least_gbs is not None:
            return Ceiling(rung.least_gbs, f"{rung.title}: {rung.least_gbs:.3g} GB/s" + _at(rung))
    return None


def _at(rung: Rung) -> str:
    return f" ({rung.least_at})" if rung.least_at and rung.tests > 1 else ""


def _least(*ceilings: Ceiling | None) -> Ceiling | None:
    known = [each for each in ceilings if each is not None]
    return min(known, key=lambda each: each.gbs) if known else None


def _of_ports(ladder: Ladder) -> Ceiling | None:
    """One HCA carries what its port has. Only where HCAs were measured one by one."""
    measured = {result.test.hca for result in ladder.results if result.test.layer == of.PAIRS_HOST} - {""}
    rates = [port.rate_gbit for port in ladder.ports if port.is_up and port.port.partition("/")[0] in measured]
    if not rates:
        return None
    rate = median(rates)
    return Ceiling(rate / BITS, f"ports of {rate:g} Gb/s")


def _of_rails(ladder: Ladder) -> Ceiling | None:
    """The HCAs of a node together, each as its slowest test between two nodes found it; without HCAs the one link."""
    for layer in (of.PAIRS_GPU, *((of.PAIRS_HOST,) if _goes_the_same_way(ladder) else ())):
        rails: dict[str, float] = {}
        for result in _with_numbers(ladder.results, layer):
            rails[result.test.hca] = min(result.gbs or 0.0, rails.get(result.test.hca, float("inf")))
        if rails:
            count = f"{len(rails)} HCAs together" if len(rails) > 1 else "pairs of nodes"
            return Ceiling(sum(rails.values()), f"{count}: {sum(rails.values()):.3g} GB/s")
    return None


def _with_numbers(results: Sequence[LadderResult], layer: str) -> Iterable[LadderResult]:
    return (result for result in results if result.test.layer == layer and result.gbs is not None)
