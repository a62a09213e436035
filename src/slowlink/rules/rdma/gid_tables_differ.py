"""The GID that RoCE should use stands at different indexes on different nodes.

NCCL_IB_GID_INDEX names one entry of the GID table for all ports of all nodes. Where the RoCE v2 entry with the IPv4
address has another index on some nodes (an address was added or taken away, the driver was loaded in another order),
no single index fits all.

Why it matters: nodes with the odd table use a link-local GID or an empty entry, and their first transfer times out.
How to confirm: ``show_gids`` on an odd node and on another.
What to do: unset NCCL_IB_GID_INDEX and let NCCL >= 2.21 choose; or bring the interfaces of the odd nodes down and up,
which writes their tables anew.
When it is wrong: when nothing sets the index, each node chooses for itself and the difference is harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from slowlink.facts.readings import nodes_of
from slowlink.model.facts import Environment
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import on_nodes
from slowlink.rules.rdma.roce_gids import GID_INDEX, GidReadings, RocePorts, gid_finding, roce_ports, routable

CAUSES = ("gid-index-wrong",)


def check(gids: GidReadings, environment: Environment | None) -> Iterator[Finding | Proof]:
    """Ports whose index is not the usual one; a proof where every RoCE port has a routable GID."""
    ports = roce_ports(gids)
    chosen = environment is not None and any(setting.name == GID_INDEX for setting in environment.settings)
    yield from _differ(ports, chosen)
    yield from _proof(ports)


def _differ(ports: RocePorts, chosen: bool) -> Iterator[Finding]:
    """Nodes whose RoCE v2 entry with an IPv4 address stands at another index than on most."""
    index_of: dict[tuple[str, str], tuple[int, Reading]] = {}
    for place, table in ports.tables.items():
        fit = routable(table)
        if fit:
            index_of[place] = fit[0], table[fit[0]]["gid-ipv4"]
    for port in dict.fromkeys(port for _, port in index_of):
        mine = [found for (_, name), found in index_of.items() if name == port]
        usual, count = Counter(index for index, _ in mine).most_common(1)[0]
        odd = [reading for index, reading in mine if index != usual]
        if odd and count > len(odd) and len(nodes_of(reading for _, reading in mine)) > 2:
            yield gid_finding(
                f"{on_nodes(odd)}the RoCE v2 GID of {port} is not at index {usual} as on {count} other nodes; one "
                f"{GID_INDEX} cannot fit all",
                odd,
                severity="warning" if chosen else "info",
                sure=True,
            )


def _proof(ports: RocePorts) -> Iterator[Proof]:
    good = [place for place, table in ports.tables.items() if routable(table)]
    if good and len(good) == len(ports.tables):
        yield Proof(
            f"{counted(len(good), 'RoCE port has', 'RoCE ports have')} a RoCE v2 GID with an IPv4 address", weight=0
        )
