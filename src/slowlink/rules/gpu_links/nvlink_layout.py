"""Whether an inactive NVLink is a spare one, judged by the other links of its GPU and its node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.facts.stretches import Kind, Told, distinct, of_each_node
from slowlink.model.facts import Readings
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.gpu_phrases import Models

_BRIDGE = 4
"""Links that a bridge joins at most on one GPU; boards with switches have 6 and more."""

_FEWEST_PEERS = 3
"""GPUs with all links for each that has fewer."""


def all_shown(links: Told, kinds: Models) -> bool:
    """Was every link of each GPU that is mentioned read? As many as its model has, else numbers without a gap, as many
    on each GPU: lists are cut by hand."""
    shown = of_each_node(links, _shown)
    tables = [dict(table) for table in set(shown.values())]
    if any(numbers != frozenset(range(len(numbers))) for table in tables for numbers in table.values()):
        return False
    for node, table in shown.items():
        for gpu, numbers in table:
            kind = kinds.kind_of(node, gpu)
            if kind is not None and kind.fabric == "nvswitch" and kind.links is not None and len(numbers) < kind.links:
                return False
    return len({len(numbers) for table in tables for numbers in table.values()}) <= 1


class Short(Struct, frozen=True):
    """A GPU that shows fewer links than its peers."""

    reading: Reading
    """Of one of its links."""
    links: int
    others: int


def short_of_links(links: Told) -> list[Short]:
    """Each GPU that shows fewer links than all but a few of its node, where these show the same number.

    Of the last GPU of a list from several lines nothing is known: lists are cut by hand.
    """
    few = {node: counts for node, shown in of_each_node(links, _shown).items() if (counts := _few(dict(shown))).fewer}
    found: dict[tuple[str | None, str], Reading] = {}
    last: dict[str | None, Reading] = {}
    first: dict[tuple[str | None, str], Reading] = {}
    for reading in links if few else ():
        if reading.host in few and reading.part.kind == "nvlink":
            key = reading.host, _gpu(reading.part)
            first.setdefault(key, reading)
            last[reading.host] = max(last.get(reading.host, reading), reading, key=lambda each: each.ref.line)
            if key[1] in few[reading.host].fewer:
                found.setdefault(key, reading)
    return [
        Short(r, few[key[0]].fewer[key[1]], few[key[0]].most)
        for key, r in found.items()
        if not _may_be_cut(first[key], last[key[0]])
    ]


def _may_be_cut(first: Reading, last: Reading) -> bool:
    return _gpu(first.part) == _gpu(last.part) and first.ref.line != last.ref.line


class _Few(Struct, frozen=True):
    fewer: Mapping[str, int]
    """GPU -> its number of links, of those with fewer than the others."""
    most: int


def _few(shown: Mapping[str, frozenset[int]]) -> _Few:
    """Empty where the others differ among themselves, or are not many more."""
    counts = {gpu: len(numbers) for gpu, numbers in shown.items()}
    most = max(counts.values(), default=0)
    fewer = {gpu: count for gpu, count in counts.items() if count < most}
    return _Few(fewer if _FEWEST_PEERS * len(fewer) <= len(counts) - len(fewer) else {}, most)


def _shown(kind: Kind) -> tuple[tuple[str, frozenset[int]], ...]:
    """GPU -> numbers of its links."""
    found: dict[str, set[int]] = {}
    for place in (_place(part) for shape in kind for part in shape.parts):
        if place is not None:
            found.setdefault(place[0], set()).add(place[1])
    return tuple((gpu, frozenset(numbers)) for gpu, numbers in found.items())


@lru_cache(1 << 14)
def _place(part: Part) -> tuple[str, int] | None:
    """GPU and number of a link: nodes have links of the same names. None for other parts."""
    gpu, _, number = part.name.partition("/")
    return (gpu, int(number)) if part.kind == "nvlink" and number.isdecimal() else None


class _Links(Struct, frozen=True):
    """The links of one node."""

    active: Mapping[str, int]
    """GPU -> how many of its links are in use."""
    lacking: Sequence[int]
    """How many links each of its GPUs lacks, of those that lack some."""
    active_by_number: Mapping[str, int]
    """Number of a link -> how many GPUs use it."""


_NO_LINKS = _Links({}, (), {})


class Layout(Struct, frozen=True):
    """What the links of all nodes have in common, counted once for all questions."""

    board: bool
    """Has some GPU more links than a bridge takes? Then it sits on a board on which all are used."""
    gpus: Mapping[str | None, int]
    """Node -> GPUs that are known of it."""
    links: Mapping[str | None, _Links]
    """Node -> its links."""

    @classmethod
    def of(cls, links: Readings) -> Layout:
        """From readings of links and of GPUs."""
        now = latest_of(by_attribute(links, "nvlink-active"))
        return cls(
            board=any(int(number) > _BRIDGE for number in distinct(now, lambda part, _: _number(part))),
            gpus=of_each_node(links.all, _number_of_gpus),
            links=of_each_node(now, _links),
        )

    def used_elsewhere(self, link: Reading) -> bool:
        """Is the same link of another GPU in use, or so many of this one that it sits on a board? So it is no spare."""
        peers = self.links.get(link.host, _NO_LINKS)
        return peers.active.get(_gpu(link.part), 0) >= _BRIDGE or _number(link.part) in peers.active_by_number

    def all_alike(self, link: Reading) -> bool:
        """Do all GPUs of the node lack as many links as this one? So it is where a machine has half of a cube mesh."""
        lacking = self.links.get(link.host, _NO_LINKS).lacking
        return 1 < len(lacking) == self.gpus.get(link.host, 0) and len(set(lacking)) == 1

    def alone(self, link: Reading) -> bool:
        """Is this the only GPU of its node, with no link in use? Part of a board that a virtual machine was given."""
        gpu = _gpu(link.part)  # a GPU 7 has neighbours, shown or not
        active = self.links.get(link.host, _NO_LINKS).active
        return gpu == "0" and self.gpus.get(link.host, 0) == 1 and gpu not in active


def _number_of_gpus(kind: Kind) -> int:
    return len({_gpu(part) for shape in kind for part in shape.parts if part.kind in ("gpu", "nvlink")})


def _links(kind: Kind) -> _Links:
    links = [pair for shape in kind for pair in shape.pairs()]
    used = [part for part, value in links if value is True]
    lacking = Counter(_gpu(part) for part, value in links if value is False)
    return _Links(Counter(map(_gpu, used)), tuple(lacking.values()), Counter(map(_number, used)))


def _gpu(part: Part) -> str:
    return part.name.partition("/")[0]


def _number(part: Part) -> str:
    """The number of a link on its GPU."""
    return part.name.partition("/")[2]
