"""Faults of a simulated cluster, in words: ``node07:hca-slow=0.5``.

A fault is a place, a kind, and what is left of the part as a share. Places are a node (``node07``), a part of it
(``node07/hca3``), two nodes (``node02+node07``), a leaf (``leaf2``), two leaves (``leaf1+leaf3``), or ``all``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.patterns import regex
from slowlink.simulate.cluster import SimulatedCluster


class Kind(Struct, frozen=True):
    """What a fault is, and where it may be."""

    places: tuple[str, ...]
    """``node``, ``nodes``, ``leaf``, ``leaves``, ``all``."""
    left: float
    """Where the fault does not say it."""
    means: str
    part: str = ""
    """``hca`` or ``gpu`` for a fault of a part."""


KINDS: Mapping[str, Kind] = {
    "hca-slow": Kind(("node",), 0.5, "an HCA runs at this share of its rate", "hca"),
    "hca-dead": Kind(("node",), 0.0, "an HCA is down; NCCL goes on without it", "hca"),
    "gdr-off": Kind(("node",), 0.28, "GPUDirect RDMA is off: data goes through host memory"),
    "gpu-throttled": Kind(("node",), 0.75, "a GPU is throttled", "gpu"),
    "interference": Kind(("node",), 0.1, "something else runs there; @0.3: in 30 % of the iterations"),
    "hangs": Kind(("node", "nodes"), 0.0, "tests there do not finish"),
    "slow": Kind(("node", "nodes"), 0.5, "the node, or the path between two"),
    "bad-cable": Kind(("leaves",), 0.5, "between two leaves"),
    "oversubscribed": Kind(("leaf",), 0.5, "the uplinks of a leaf"),
    "drift": Kind(("all",), 0.05, "all tests of a moment are faster or slower, by up to this share"),
}
_FAULT = regex(
    r"(?P<one>[A-Za-z][\w.-]{0,80})(?:\+(?P<other>[A-Za-z][\w.-]{0,80})|/(?P<part>hca|gpu)(?P<number>\d{1,3}))?"
    r":(?P<kind>[a-z-]{1,30})(?:=(?P<left>\d{1,3}(?:\.\d{1,6})?%?))?(?:@(?P<duty>\d{1,3}(?:\.\d{1,6})?%?))?"
)
_DUTY = 0.3


class Fault(Struct, frozen=True):
    """One fault, ready to be put into a cluster; also what ``truth.json`` says of it."""

    kind: str
    place: str
    """As it was given, and with the part that was drawn."""
    names: tuple[str, ...]
    """The node, the two nodes, the leaf, the two leaves."""
    part: str
    left: float
    duty: float | None = None


def parse_fault(text: str, cluster: SimulatedCluster) -> Fault:
    """Raises SlowlinkError (``bad-fault``): what is wrong, and what there is."""
    found = _FAULT.fullmatch(text.strip())
    if found is None or found["kind"] not in KINDS:
        raise SlowlinkError(
            f"cannot read the fault '{text}'",
            hint=f"for instance node07:hca-slow=0.5; kinds: {', '.join(KINDS)}",
            slug="bad-fault",
        )
    kind = KINDS[found["kind"]]
    names = tuple(sorted(name for name in (found["one"], found["other"]) if name))
    place = _place(names, cluster, text)
    if place not in kind.places:
        raise _wrong(text, f"{found['kind']} is a fault of {' or '.join(_SAID[each] for each in kind.places)}")
    if found["part"] and found["part"] != kind.part:
        raise _wrong(text, f"{found['kind']} is no fault of a part '{found['part']}'")
    part = _part(found["number"], kind, cluster, text)
    left = _share(found["left"], text) if found["left"] else kind.left
    if found["duty"] and found["kind"] != "interference":
        raise _wrong(text, "only interference comes and goes (@SHARE)")
    duty = (_share(found["duty"], text) if found["duty"] else _DUTY) if found["kind"] == "interference" else None
    return Fault(found["kind"], "+".join(names) + (f"/{part}" if part else ""), names, part, left, duty)


_SAID = {
    "node": "a node",
    "nodes": "two nodes (node01+node05)",
    "leaf": "a leaf",
    "leaves": "two leaves (leaf1+leaf3)",
    "all": "all",
}


def _wrong(text: str, why: str) -> SlowlinkError:
    return SlowlinkError(f"fault '{text}': {why}", hint="slowlink simulate --help lists them", slug="bad-fault")


def _place(names: tuple[str, ...], cluster: SimulatedCluster, text: str) -> str:
    if names == ("all",):
        return "all"
    if len(set(names)) == len(names):
        if all(name in cluster.fabric.nodes for name in names):
            return "node" if len(names) == 1 else "nodes"
        if all(name in cluster.fabric.leaves for name in names):
            return "leaf" if len(names) == 1 else "leaves"
    nodes, leaves = cluster.fabric.nodes, list(cluster.fabric.leaves)
    raise _wrong(text, f"there are nodes {nodes[0]} to {nodes[-1]} and leaves {leaves[0]} to {leaves[-1]}")


def _part(number: str | None, kind: Kind, cluster: SimulatedCluster, text: str) -> str:
    if not kind.part:
        return ""
    chosen = random.Random(f"{cluster.seed} {text}").randrange(cluster.gpus) if number is None else int(number)  # noqa: S311
    if chosen >= cluster.gpus:
        raise _wrong(text, f"a node has {kind.part}0 to {kind.part}{cluster.gpus - 1}")
    return f"{kind.part}{chosen}"


def _share(text: str, fault: str) -> float:
    share = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    if not 0 <= share < 1:
        raise _wrong(fault, "a share is from 0 to below 1")
    return share


def put(fault: Fault, cluster: SimulatedCluster) -> None:
    """Make it so."""
    name = fault.names[0]
    if fault.kind == "drift":
        cluster.noise = replace(cluster.noise, drift=fault.left)
    elif fault.part:
        cluster.parts.setdefault(name, {})[fault.part] = fault.left
    elif fault.kind == "interference":
        cluster.at_times[name] = (fault.left, fault.duty or 0.0)
    elif fault.kind == "bad-cable":
        cluster.leaf_pairs[name, fault.names[1]] = fault.left
    elif fault.kind == "oversubscribed":
        cluster.leaves[name] = fault.left
    elif len(fault.names) == 2:
        cluster.node_pairs[name, fault.names[1]] = fault.left
    else:
        cluster.nodes[name] = min(fault.left, cluster.nodes.get(name, 1.0))
        if fault.kind == "gdr-off":
            cluster.without_gdr.add(name)
