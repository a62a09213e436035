"""The GID that RoCE should use has different indexes on different nodes.

NCCL_IB_GID_INDEX names one entry of the GID table for all ports of all nodes. Where the RoCE v2 entry with the IPv4
address has another index on some nodes (an address was added or removed, the driver was loaded in another order), no
single index fits all. From three nodes on, those in the minority are named: as a warning where the variable is set,
else only as information.

Why it matters: nodes with the odd table use a link-local GID or an empty entry, and their first transfer times out.
How to confirm: ``show_gids`` on an odd node and on another.
What to do: unset NCCL_IB_GID_INDEX and let NCCL >= 2.21 choose; or bring the interfaces of the odd nodes down and up,
which fills their tables again.
When it is wrong: when nothing sets the index, each node chooses for itself and the difference is harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from slowlink.facts.readings import nodes_of
from slowlink.model.facts import Environment
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import on_nodes
from slowlink.rules.rdma.roce_gids import (
    GID_INDEX,
    GidReadings,
    RocePorts,
    gid_finding,
    roce_ports,
    routable,
)

CAUSES = ("gid-index-wrong",)

_FEWEST_NODES = 3
"""With the same port; of two that differ, neither is the odd one."""


class RightEntry(Struct, frozen=True):
    """The first RoCE v2 entry of a table that has an IPv4 address."""

    index: int
    reading: Reading
    """Its IPv4 address."""


def check(gids: GidReadings, environment: Environment | None) -> Iterator[Finding | Proof]:
    """Ports whose index is not the usual one; a proof where every RoCE port has a routable GID."""
    ports = roce_ports(gids)
    chosen = environment is not None and any(setting.name == GID_INDEX for setting in environment.settings)
    yield from _differ(ports, chosen)
    yield from _proof(ports)


def _differ(ports: RocePorts, chosen: bool) -> Iterator[Finding]:
    """Nodes whose RoCE v2 entry with an IPv4 address has another index than on most."""
    right: dict[str, list[RightEntry]] = {}
    for place, table in ports.tables.items():
        if fit := routable(table):
            right.setdefault(place.port, []).append(RightEntry(fit[0], table[fit[0]]["gid-ipv4"]))
    for port, entries in right.items():
        usual, count = Counter(entry.index for entry in entries).most_common(1)[0]
        odd = [entry.reading for entry in entries if entry.index != usual]
        if odd and count > len(odd) and len(nodes_of(entry.reading for entry in entries)) >= _FEWEST_NODES:
            yield gid_finding(
                f"{on_nodes(odd)}the RoCE v2 GID of {port} is not at index {usual} as on {count} other nodes; one "
                f"{GID_INDEX} cannot fit all",
                odd,
                severity="warning" if chosen else "info",
                sure=True,
            )


def _proof(ports: RocePorts) -> Iterator[Proof]:
    """Where every RoCE port that was read has one."""
    good = [place for place, table in ports.tables.items() if routable(table)]
    if good and len(good) == len(ports.tables):
        yield Proof(
            f"{counted(len(good), 'RoCE port has', 'RoCE ports have')} a RoCE v2 GID with an IPv4 address", weight=0
        )
