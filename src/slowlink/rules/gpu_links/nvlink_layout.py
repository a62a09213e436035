"""Whether an inactive NVLink is a spare one, judged by the other links of its GPU and its node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from slowlink.facts.readings import by_attribute
from slowlink.model.facts import Readings
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.gpu_phrases import Models, latest_of

_BRIDGE = 4
"""Links that a bridge joins at most on one GPU; boards with switches have 6 and more."""


class _Gpu(NamedTuple):
    """A GPU of a node, by its number."""

    host: str | None
    gpu: str


class _LinkNumber(NamedTuple):
    """The links of one number on all GPUs of a node."""

    host: str | None
    link: str


def all_shown(links: Sequence[Reading], kinds: Models) -> bool:
    """Was every link of each GPU that is mentioned read? As many as its model has, else numbers without a gap, as many
    on each GPU: lists are cut by hand."""
    shown: dict[tuple[str | None, str], set[int]] = {}
    model: dict[tuple[str | None, str], int | None] = {}
    for reading in links:
        place = _place(reading.part)
        if place is None:
            continue
        gpu = reading.host, place[0]
        numbers = shown.get(gpu)
        if numbers is None:
            numbers = shown[gpu] = set()
            kind = kinds.kind(reading)
            model[gpu] = kind.links if kind is not None and kind.fabric == "nvswitch" else None
        numbers.add(place[1])
    if any(numbers != set(range(len(numbers))) for numbers in shown.values()):
        return False
    if any((links_of := model[gpu]) is not None and len(numbers) < links_of for gpu, numbers in shown.items()):
        return False
    return len({len(numbers) for numbers in shown.values()}) <= 1


@lru_cache(1 << 14)
def _place(part: Part) -> tuple[str, int] | None:
    """GPU and number of a link: nodes have links of the same names. None for other parts."""
    gpu, _, number = part.name.partition("/")
    return (gpu, int(number)) if part.kind == "nvlink" and number.isdecimal() else None


class Layout(Struct, frozen=True):
    """What the links of all nodes have in common, counted once for all questions."""

    board: bool
    """Has some GPU more links than a bridge takes? Then it sits on a board on which all are used."""
    gpus: Mapping[str | None, int]
    """Node -> GPUs that are known of it."""
    active: Mapping[_Gpu, int]
    """How many links of a GPU are in use."""
    lacking: Mapping[str | None, Sequence[int]]
    """Node -> how many links each of its GPUs lacks, of those that lack some."""
    active_by_number: Mapping[_LinkNumber, int]
    """How many GPUs of the node use the link of this number."""

    @classmethod
    def of(cls, links: Readings) -> Layout:
        """From readings of links and of GPUs."""
        gpus = {_gpu(r) for r in links.all if r.part.kind in ("gpu", "nvlink")}
        now = latest_of(by_attribute(links, "nvlink-active"))
        used = [reading for reading in now if reading.value is True]
        lacking: dict[str | None, list[int]] = {}
        for (host, _), count in Counter(_gpu(reading) for reading in now if reading.value is False).items():
            lacking.setdefault(host, []).append(count)
        return cls(
            board=any(int(_number(reading)) > _BRIDGE for reading in now),
            gpus=Counter(host for host, _ in gpus),
            active=Counter(map(_gpu, used)),
            lacking=lacking,
            active_by_number=Counter(map(_link_number, used)),
        )

    def used_elsewhere(self, link: Reading) -> bool:
        """Is the same link of another GPU in use, or so many of this one that it sits on a board? So it is no spare."""
        return self.active.get(_gpu(link), 0) >= _BRIDGE or self.active_by_number.get(_link_number(link), 0) > 0

    def all_alike(self, link: Reading) -> bool:
        """Do all GPUs of the node lack as many links as this one? So it is where a machine has half of a cube mesh."""
        lacking = self.lacking.get(link.host, ())
        return 1 < len(lacking) == self.gpus.get(link.host, 0) and len(set(lacking)) == 1

    def alone(self, link: Reading) -> bool:
        """Is this the only GPU of its node, with no link in use? Part of a board that a virtual machine was given."""
        first = _gpu(link)[1] == "0"  # a GPU 7 has neighbours, shown or not
        return first and self.gpus.get(link.host, 0) == 1 and not self.active.get(_gpu(link), 0)


def _gpu(reading: Reading) -> _Gpu:
    return _Gpu(reading.host, reading.part.name.partition("/")[0])


def _link_number(reading: Reading) -> _LinkNumber:
    return _LinkNumber(reading.host, _number(reading))


def _number(reading: Reading) -> str:
    """The number of a link on its GPU."""
    return reading.part.name.partition("/")[2]
