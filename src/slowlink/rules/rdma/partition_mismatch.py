"""Nodes share no InfiniBand partition in which one of them is a full member.

Every port has a table of partition keys. Two ports can communicate if both have a key with the same lower 15 bits, and
at least one of them is a full member (highest bit set: 0xffff is full, 0x7fff limited membership of the default
partition).

Of three nodes or more that reach one another, one that is not in a partition of all the others is told as a
possibility: jobs may be sent to that partition (NCCL_IB_PKEY, UCX_IB_PKEY).

Why it matters: without a common partition queue pairs connect and every transfer is dropped.
How to confirm: ``cat /sys/class/infiniband/HCA/ports/1/pkeys/*`` on both nodes.
What to do: put the ports into the partition in the subnet manager's configuration (partitions.conf), or choose the
common key with NCCL_IB_PKEY.
When it is wrong: the nodes may never communicate over this fabric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import BROKEN_PATH, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("partition-mismatch",)

_KEY = regex(r"(?:0[xX])?[0-9a-fA-F]{1,4}")
_FULL = 0x8000
"""Set in the key of a full member."""
_FEWEST = 3
"""Nodes of which one can be the odd one."""
_COMPARE = ("Compare the tables of two nodes.", "grep -H . /sys/class/infiniband/*/ports/1/pkeys/* | grep -v 0x0000")


def check(pkeys: Annotated[Readings, Of("pkey-value", "port-link-layer")]) -> Iterator[Finding | Proof]:
    """One finding for nodes that cannot reach most of the others, else for those that cannot reach one; or a proof."""
    # Ports on Ethernet all have 0xffff, which says nothing.
    ethernet = {(r.host, r.part.name) for r in by_attribute(pkeys, "port-link-layer") if r.value == "Ethernet"}
    now = latest(by_attribute(pkeys, "pkey-value")).values()
    keys = _by_node(r for r in now if (r.host, r.part.name.rpartition("/")[0]) not in ethernet)
    if len(keys) < 2:
        return  # nobody to compare with
    reach = _reach(keys)
    others = len(keys) - 1
    if all(count == others for count in reach.values()):
        outside = _outside(keys)
        if outside is not None:
            yield _not_in(*outside, keys)
            return
        common = Counter(base for mine in keys.values() for base in {key & ~_FULL for key in mine}).most_common(1)[0][0]
        yield Proof(f"{len(keys)} nodes share partition 0x{common | _FULL:04x}", weight=0)
        return
    alone = [node for node, count in reach.items() if 2 * count < others] or [
        node for node, count in reach.items() if count < others
    ]
    bad = [reading for node in alone for reading in keys[node].values()]
    limited = all(not key & _FULL for node in alone for key in keys[node])
    yield finding(
        "partition-mismatch",
        f"{on_nodes(bad)}partition keys {listed(sorted({str(reading.value) for reading in bad}))} give no common "
        f"partition with the other nodes{' (limited members cannot talk to one another)' if limited else ''}",
        severity="critical",
        confidence="likely",
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        explains=BROKEN_PATH,
        remedy=[_COMPARE],
        references=[f"{NCCL_ENV}#nccl-ib-pkey"],
    )


def _outside(keys: Mapping[str, Mapping[int, Reading]]) -> tuple[str, int] | None:
    """The one node that is not in a partition of all the others, and that partition; None where there is none."""
    if len(keys) < _FEWEST:
        return None
    members = Counter(base for mine in keys.values() for base in {key & ~_FULL for key in mine})
    for base, count in members.items():
        if count == len(keys) - 1:
            return next(node for node, mine in keys.items() if base not in {key & ~_FULL for key in mine}), base
    return None


def _not_in(node: str, base: int, keys: Mapping[str, Mapping[int, Reading]]) -> Finding:
    mine = list(keys[node].values())
    others = [
        reading
        for other, held in keys.items()
        if other != node
        for key, reading in held.items()
        if key & ~_FULL == base
    ]
    return finding(
        "partition-mismatch",
        f"{on_nodes(mine)}not in partition 0x{base | _FULL:04x}, of which the {len(keys) - 1} other nodes are members; "
        "they reach one another in another one",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence([*mine, *others[:1]]),
        suspects=node_suspects(mine),
        remedy=[_COMPARE],
        references=[f"{NCCL_ENV}#nccl-ib-pkey"],
    )


def _by_node(readings: Iterable[Reading]) -> dict[str, dict[int, Reading]]:
    """Node -> its keys, of all ports."""
    found: dict[str, dict[int, Reading]] = {}
    for reading in readings:
        if _KEY.fullmatch(str(reading.value)) is not None:
            found.setdefault(node_of(reading), {}).setdefault(int(str(reading.value), 16), reading)
    return found


def _reach(keys: Mapping[str, Mapping[int, Reading]]) -> dict[str, int]:
    """Node -> how many other nodes it can reach: those with which some partition is common, of which one of the two is
    a full member. Sets of nodes are bits of a number: a fleet in which all tables differ takes no square of steps."""
    full: dict[int, int] = {}
    limited: dict[int, int] = {}
    for place, mine in enumerate(keys.values()):
        for key in mine:
            members = full if key & _FULL else limited
            members[key & ~_FULL] = members.get(key & ~_FULL, 0) | 1 << place
    found = {}
    for place, (node, mine) in enumerate(keys.items()):
        reached = 0
        for key in mine:
            base = key & ~_FULL
            reached |= full.get(base, 0) | (limited.get(base, 0) if key & _FULL else 0)
        found[node] = (reached & ~(1 << place)).bit_count()
    return found
