"""Whether an inactive NVLink is a spare one, by the links around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from slowlink.facts.readings import by_attribute
from slowlink.model.facts import Readings
from slowlink.model.state import Reading

_BRIDGE = 4
"""Links that a bridge joins at most on one GPU; boards with switches have 6 and more."""


def is_board(links: Iterable[Reading]) -> bool:
    """Has a GPU more links than a bridge takes? Then it sits on a board on which all are used."""
    return any(_number(link) > _BRIDGE for link in links)


def _number(reading: Reading) -> int:
    """Of a link on its GPU."""
    return int(reading.part.name.partition("/")[2])


def used_elsewhere(reading: Reading, links: Readings) -> bool:
    """Is the same link of another GPU in use? Then it is no spare one."""
    number = reading.part.name.partition("/")[2]
    others = [o for o in by_attribute(links, "nvlink-active") if o.value is True and o.host == reading.host]
    own = [o for o in others if o.part.name.partition("/")[0] == reading.part.name.partition("/")[0]]
    return len(own) >= _BRIDGE or any(o.part.name.partition("/")[2] == number for o in others)


def all_alike(reading: Reading, down: Sequence[Reading]) -> bool:
    """Do several GPUs of the node lack as many links as this one? So it is where a machine has half of a cube mesh."""
    lacking = Counter(r.part.name.partition("/")[0] for r in down if r.host == reading.host)
    return len(lacking) > 1 and len(set(lacking.values())) == 1


def alone(reading: Reading, links: Readings) -> bool:
    """Is this the only GPU of its node, with no link in use? Part of a board that was handed to a virtual machine."""
    here = [r for r in links.all if r.host == reading.host]
    gpus = {r.part.name.partition("/")[0] for r in here if r.part.kind in ("gpu", "nvlink")}
    return len(gpus) == 1 and not any(r.attribute == "nvlink-active" and r.value is True for r in here)
