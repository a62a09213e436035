"""The kind of machine that the input names, and how many HCAs one has."""

from __future__ import annotations

from typing import NamedTuple

from slowlink.catalog.systems import System, find_system
from slowlink.model.facts import Observations
from slowlink.model.source import Ref
from slowlink.patterns import regex

_RDMA = ("EFA", "IB", "InfiniBand", "RoCE")
"""Links whose devices the kernel lists as HCAs."""
_OF_THIS_NODE = regex(
    r"(?i)\s*[\"']?[\w.-]{4,60}[\"']?\s*"
    r"|.{0,200}\b(?:instance[-_ ]?type|vm[-_ ]?size|machine[-_ ]?type|shape|product[ _]name|sku)\b.{0,200}"
)
"""The answer of the cloud's own service alone on a line, or a field that has this name."""


class Named(NamedTuple):
    """A machine of the catalogue."""

    title: str
    hcas: int
    ref: Ref
    sure: bool
    """Is it this node's own answer, and no sentence that may be about another machine?"""


def named_system(observations: Observations | None) -> Named | None:
    """None where no machine of the catalogue is named, or several different ones are."""
    seen = [each for each in (observations.all if observations is not None else ()) if each.kind == "system-mentioned"]
    found = [(system, each.ref) for each in seen if (system := _system(each.value)) is not None]
    if not found or len({system.id for system, _ in found}) > 1 or len(found) < len(seen):
        return None
    own = [ref for _, ref in found if _OF_THIS_NODE.fullmatch(ref.text) is not None]
    system = found[0][0]
    hcas = sum(group.count for group in system.nics if group.link_layer in _RDMA)
    return Named(system.title, hcas, own[0] if own else found[0][1], bool(own)) if hcas else None


def _system(name: str) -> System | None:
    return find_system(name.removeprefix("Standard_"))
