"""How the GPUs of one node are joined: links of pairs, groups that a link joins fully, and GPUs left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from slowlink.model.state import Reading
from slowlink.patterns import regex

Pair = tuple[int, int]
_DIRECT = regex(r"NV(\d{1,3})|MX\d{0,3}|XGMI|HCCS|MTL\d{0,3}")

_SWITCHED = 8
"""Links of a pair from which on there are switches between the GPUs: bridges and meshes give fewer, but for the
bridges of H100 NVL, which join two."""
_LEAST = 3
"""GPUs that must be joined with one another before one beside them can be called left out."""


_FEWEST_OF_BOARD = 4
"""GPUs for each pair that may lack its link before that looks like a design."""


class GpuLinks(Struct, frozen=True):
    """The links of one node's GPUs."""

    links: Mapping[Pair, str]
    """As printed: ``NV12``, ``SYS``."""
    readings: Mapping[Pair, Reading]

    @property
    def gpus(self) -> tuple[int, ...]:
        return tuple(sorted({gpu for pair in self.links for gpu in pair}))

    @property
    def complete(self) -> bool:
        """Is every pair known?"""
        return len(self.links) == len(self.gpus) * (len(self.gpus) - 1) // 2

    @property
    def direct(self) -> dict[Pair, str]:
        """Pairs joined by NVLink, MetaXLink, xGMI or the like."""
        return {pair: link for pair, link in self.links.items() if is_direct(link)}

    def of(self, gpu: int) -> dict[Pair, str]:
        """The links of one GPU."""
        return {pair: link for pair, link in self.links.items() if gpu in pair}


def is_direct(link: str) -> bool:
    """Is this a link of GPUs, and no path over PCIe or between sockets?"""
    return _DIRECT.fullmatch(link) is not None


def width(link: str) -> int | None:
    """Number of NVLinks: ``NV12`` is 12; None for another kind."""
    found = re.fullmatch(r"NV(\d{1,3})", link)
    return int(found[1]) if found else None


def gpu_links(readings: Iterable[Reading]) -> GpuLinks:
    """From the ``gpu-pair-link`` readings of one node; the last of a pair counts."""
    found: dict[Pair, Reading] = {}
    for reading in readings:
        first, _, second = reading.part.name.partition("-")
        if first.isdecimal() and second.isdecimal() and first != second:
            found[(int(first), int(second))] = reading
    return GpuLinks({pair: str(reading.value) for pair, reading in found.items()}, found)


def groups(links: GpuLinks) -> list[tuple[int, ...]]:
    """Sets of GPUs that direct links join, largest first; a GPU without one is no group."""
    beside: dict[int, list[int]] = {}
    for first, second in links.direct:
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    found: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for start in beside:
        if start in seen:
            continue
        group, waiting = {start}, [start]
        while waiting:
            new = [gpu for gpu in beside[waiting.pop()] if gpu not in group]
            group.update(new)
            waiting += new
        seen |= group
        found.append(tuple(sorted(group)))
    return sorted(found, key=lambda group: (-len(group), group))


def described(links: GpuLinks) -> str:
    """``NV12``, or ``MX within 0-3 and 4-7, NODE between``, or a count of each kind."""
    kinds = Counter(links.links.values())
    if len(kinds) <= 1:
        return next(iter(kinds), "")
    direct = Counter(links.direct.values())
    between = [kind for kind in kinds if kind not in direct]
    islands = groups(links)
    inside = sum(len(group) * (len(group) - 1) // 2 for group in islands)
    if len(direct) == 1 and inside == len(links.direct) and between:
        within = " and ".join(_folded(group) for group in islands)
        return f"{next(iter(direct))} within {within}, {' and '.join(between)} between"
    return ", ".join(f"{count} x {kind}" for kind, count in kinds.most_common())


def _folded(group: tuple[int, ...]) -> str:
    """``0-3``, ``0,2``."""
    if group == tuple(range(group[0], group[-1] + 1)) and len(group) > 2:
        return f"{group[0]}-{group[-1]}"
    return ",".join(map(str, group))


def left_out(joined: GpuLinks, *, known: bool) -> list[int]:
    """GPUs without any direct link, beside one group that is joined completely."""
    islands = groups(joined)
    if len(islands) != 1 or len(islands[0]) < _LEAST or not joined.complete:
        return []
    inside = [link for (a, b), link in joined.links.items() if a in islands[0] and b in islands[0]]
    whole = all((width(link) or _SWITCHED) >= (1 if known else _SWITCHED) for link in inside)
    alone = [gpu for gpu in joined.gpus if gpu not in islands[0]]
    return alone if whole and len(alone) < len(islands[0]) and len(inside) == len(joined.direct) else []


def narrow_gpus(joined: GpuLinks) -> list[int]:
    """GPUs all of whose links are fewer than those of most pairs, where switches join all."""
    usual = _switched_width(joined)
    if usual is None:
        return []
    low = [gpu for gpu in joined.gpus if all((width(link) or 0) < usual for link in joined.of(gpu).values())]
    return low if len(low) < len(joined.gpus) else []


def narrow_pairs(joined: GpuLinks) -> list[Pair]:
    """Pairs with fewer links than the others, where switches join all: such give every pair of two GPUs the same."""
    usual = _switched_width(joined)
    low = [pair for pair, link in joined.links.items() if (width(link) or 0) < usual] if usual is not None else []
    return low if 2 * len(low) < len(joined.links) else []


def lone_pairs(joined: GpuLinks) -> list[Pair]:
    """Pairs without a link, where each GPU has one to all the others, or to all but one, and most have them all: no
    board is wired so."""
    lacking = [pair for pair, link in joined.links.items() if not is_direct(link)]
    times = Counter(gpu for pair in lacking for gpu in pair)
    few = 0 < len(lacking) <= len(joined.gpus) // _FEWEST_OF_BOARD and max(times.values()) == 1
    return lacking if few and joined.complete else []


def _switched_width(joined: GpuLinks) -> int | None:
    """Links of the widest pair, where all pairs are known and joined by so many that there are switches."""
    known = [each for each in map(width, joined.links.values()) if each is not None]
    if len(joined.gpus) < _LEAST + 1 or len(known) != len(joined.links) or not joined.complete:
        return None
    usual = max(known)
    return usual if usual >= _SWITCHED else None
