"""Which HCAs each node of the contract should have: by the names that were given, else as the evidence names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from slowlink.model.facts import NicGroup
from slowlink.ordering import by_numbers

_Rates = Mapping[str, float]
"""HCA -> its rate in Gb/s; 0 where it was not told."""


def expected_hcas(
    nodes: Sequence[str], seen: Mapping[str, _Rates], groups: Sequence[NicGroup], given: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Node -> HCA -> the rate that the contract has for it. Of HCAs that nobody names ``(HCA 8 of 8)`` stands there:
    they were to be delivered, and nobody saw them."""
    rates = sorted((group.rate_gbit for group in groups for _ in range(group.count)), reverse=True)
    usual = _usual_rates(seen.values())
    fleet = list(given) or _of_the_fleet(nodes, seen, usual, rates)
    return {node: _of_node(fleet or list(seen.get(node, ())), usual, rates) for node in nodes}


def _usual_rates(seen: Iterable[_Rates]) -> dict[str, float]:
    """HCA -> the rate that most nodes have there; of two as frequent the higher."""
    counts: dict[str, Counter[float]] = {}
    for hcas in seen:
        for name, rate in hcas.items():
            counts.setdefault(name, Counter())[rate] += 1
    return {name: max(rates, key=lambda rate: (rates[rate], rate)) for name, rates in counts.items()}


def _of_the_fleet(
    nodes: Sequence[str], seen: Mapping[str, _Rates], usual: Mapping[str, float], rates: Sequence[float]
) -> list[str]:
    """The names that most nodes have; none where nodes name theirs differently. Of more than the contract has, those
    at its rates: the others are for storage or management. Where even those are more, all of them are shown."""
    times = Counter(name for node in nodes for name in seen.get(node, ()))
    having = sum(1 for node in nodes if seen.get(node))
    shared = [name for name, count in times.items() if 2 * count > having]
    if len(shared) > len(rates) and rates:
        fast = [name for name in shared if usual[name] >= rates[-1]]
        shared = fast if len(fast) >= len(rates) else shared
    return shared if len(shared) >= len(rates) else []


def _of_node(names: Sequence[str], usual: Mapping[str, float], rates: Sequence[float]) -> dict[str, float]:
    """The fastest get the highest rates of the contract."""
    ordered = sorted(dict.fromkeys(names), key=lambda name: -usual.get(name, 0.0))
    least = rates[-1] if rates else 0.0
    wanted = {name: rates[place] if place < len(rates) else least for place, name in enumerate(ordered)}
    found = {name: wanted[name] for name in sorted(wanted, key=by_numbers)}
    for number in range(len(ordered), len(rates)):
        found[f"(HCA {number + 1} of {len(rates)})"] = rates[number]
    return found
