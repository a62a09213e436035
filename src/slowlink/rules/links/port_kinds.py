"""Ports of one node by kind: counted once for each kind, not for each pair, so that any number of ports is cheap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from slowlink.patterns import regex
from slowlink.rules.links.port_readings import Port

Counted = TypeVar("Counted")

MOST_KINDS = 64
"""Of one node, in order of appearance; ports of further kinds are compared with none. Real nodes have a handful."""
_TOLD = ("hca-model", "hca-board-id", "port-link-layer")
_DRIVER = regex(r"(mlx\d|bnxt_re|irdma|i40iw|hfi1|cxgb4|qedr|hns|ionic|erdma|mana|siw|rxe)_?\d")


class Kind(NamedTuple):
    """What makes two cards alike: type, board, link layer, driver and the number of ports."""

    exact: tuple[str | int, ...]
    """What must be equal."""
    told: tuple[str, ...]
    """What is equal, as far as it is known of both; "" fits any."""

    def fits(self, other: Kind) -> bool:
        """Are the two alike, as far as is known?"""
        return self.exact == other.exact and all(
            mine == theirs or not mine or not theirs for mine, theirs in zip(self.told, other.told, strict=True)
        )


def kinds_of(node: Sequence[Port], *exact: str) -> Iterator[tuple[Port, Kind]]:
    """The ports of one node, each with its kind; the attributes ``exact`` must be equal besides."""
    on_card = Counter(port.card for port in node)
    for port in node:
        told = (*(port.text(name) for name in _TOLD), _driver(port))
        yield port, Kind((on_card[port.card], *(port.text(name) for name in exact)), told)


def _driver(port: Port) -> str:
    """The driver, by the kernel's name of an HCA (``mlx5_0``, ``irdma0``, ``siw0``); "" for udev's names."""
    found = _DRIVER.match(port.hca)
    return found[1] if found is not None else ""


class CountsByKind(Generic[Counted]):
    """How often what is seen, for each kind of port."""

    def __init__(self, seen: Iterable[tuple[Kind, Counted]]) -> None:
        self._counts: dict[Kind, Counter[Counted]] = {}
        self._alike: dict[Kind, Counter[Counted]] = {}
        for kind, what in seen:
            counts = self._counts.get(kind)
            if counts is None:
                if len(self._counts) >= MOST_KINDS:
                    continue
                counts = self._counts[kind] = Counter()
            counts[what] += 1

    def alike(self, kind: Kind) -> Counter[Counted]:
        """Of all ports that fit ``kind``, those of this very kind among them."""
        if kind not in self._counts:
            return Counter()
        if kind not in self._alike:
            total: Counter[Counted] = Counter()
            for other, counts in self._counts.items():
                if kind.fits(other):
                    total.update(counts)
            self._alike[kind] = total
        return self._alike[kind]
