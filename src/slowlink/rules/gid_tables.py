"""The GID table of a RoCE port offers no address that reaches the other nodes, or differs between nodes.

A RoCE connection uses one entry of the port's table. Entries fe80:: reach only the same Ethernet segment, RoCE v1
is not routed; the entry wanted is RoCE v2 with the interface's IPv4 address. NCCL_IB_GID_INDEX names one entry for all
ports of all nodes. InfiniBand ports have one link-local GID by nature and are left out.

Why it matters: start-up works, for it goes over TCP; the first RDMA transfer then times out (completion status 12).
How to confirm: ``show_gids`` on both nodes.
What to do: give the interface its IPv4 address (its state must be up), unset NCCL_IB_GID_INDEX and let NCCL >= 2.21
choose, or set it to the RoCE v2 entry, the same on all nodes.
When it is wrong: within one Ethernet segment link-local GIDs can work; a port without an address may be unused; a
listing may be cut before its IPv4 entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from slowlink.facts.readings import nodes_of
from slowlink.model.facts import Environment
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Evidence, Finding, Suspect
from slowlink.model.state import Reading
from slowlink.rules.findings import finding, line, suspects
from slowlink.rules.on_nodes import node_suspects, on, part_suspects, shown
from slowlink.rules.references import NCCL_ENV
from slowlink.rules.roce_gids import LINK_LOCAL, GidReadings, RocePorts, Table, only_local, roce_ports, says
from slowlink.rules.seen import BROKEN_PATH, listed

_NAME = "NCCL_IB_GID_INDEX"


def check(gids: GidReadings, environment: Environment | None) -> Iterator[Finding]:
    """The index in use first, then ports without a routable GID, then tables that differ."""
    ports = roce_ports(gids)
    settings = [s for s in (environment.settings if environment is not None else ()) if s.name == _NAME]
    chosen = {int(s.value) for s in settings if s.value.isascii() and s.value.isdigit() and len(s.value) < 5}
    wrong = list(_wrong(ports, chosen.pop())) if len(chosen) == 1 else []
    if wrong:
        yield _chosen(wrong, settings[0])
        return
    local = [table for table in ports.tables.values() if only_local(table)]
    if local:
        yield _local(local, ports)
    elif not settings:
        yield from _differ(ports)


def _wrong(ports: RocePorts, index: int) -> Iterator[tuple[str, Reading]]:
    """(what is wrong, where it shows) for each port whose entry ``index`` cannot work across nodes."""
    for table in ports.tables.values():
        entry = table.get(index)
        first = next(iter(next(iter(table.values())).values()))
        if entry is None:
            if len(table) > 1:
                yield "is empty", first
        elif says(entry, "gid-value").startswith(LINK_LOCAL):
            yield "is a link-local GID", entry["gid-value"]
        elif says(entry, "gid-type") == "IB/RoCE v1":
            yield "is RoCE v1", entry["gid-type"]


def _chosen(wrong: Sequence[tuple[str, Reading]], setting: EnvSetting) -> Finding:
    readings = [reading for _, reading in wrong]
    what = listed(list(dict.fromkeys(what for what, _ in wrong)))
    return _finding(
        f"{on(readings)}{_NAME}={setting.value} {what} on {listed(_ports_of(readings))}",
        readings,
        severe=True,
        sure=True,
        more=(line(setting.ref),),
        suspect=suspects("setting", [_NAME]),
    )


def _local(tables: Sequence[Table], ports: RocePorts) -> Finding:
    readings = [entry["gid-value"] for table in tables for entry in table.values() if "gid-value" in entry]
    names = _ports_of(readings)
    cut = "" if ports.complete else "; the listing may be cut before its IPv4 entries"
    return _finding(
        f"{on(readings)}{listed(names)} {'has' if len(names) == 1 else 'have'} only link-local GIDs (fe80::), which "
        f"reach no other subnet: the interface has no IP address{cut}",
        readings,
        severe=False,
        sure=ports.complete,
    )


def _differ(ports: RocePorts) -> Iterator[Finding]:
    """Nodes whose RoCE v2 entry with an IPv4 address stands at another index than on most."""
    index_of: dict[tuple[str, str], tuple[int, Reading]] = {}
    for place, table in ports.tables.items():
        fit = [i for i, e in sorted(table.items()) if says(e, "gid-type") == "RoCE v2" and "gid-ipv4" in e]
        if fit:
            index_of[place] = fit[0], table[fit[0]]["gid-ipv4"]
    for port in dict.fromkeys(port for _, port in index_of):
        mine = [found for (_, name), found in index_of.items() if name == port]
        usual, count = Counter(index for index, _ in mine).most_common(1)[0]
        odd = [reading for index, reading in mine if index != usual]
        if odd and count > len(odd) and len(nodes_of(reading for _, reading in mine)) > 2:
            yield _finding(
                f"{on(odd)}the RoCE v2 GID of {port} is not at index {usual} as on {count} other nodes; one "
                f"{_NAME} cannot fit all",
                odd,
                severe=False,
                sure=True,
            )


def _ports_of(readings: Sequence[Reading]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(r.part.name.rpartition("/")[0].removesuffix("/1") for r in readings))


def _finding(
    message: str,
    readings: Sequence[Reading],
    *,
    severe: bool,
    sure: bool,
    more: tuple[Evidence, ...] = (),
    suspect: tuple[Suspect, ...] = (),
) -> Finding:
    return finding(
        "gid-index-wrong",
        message,
        severity="error" if severe else "warning",
        confidence="likely" if sure else "possible",
        evidence=(*shown(readings), *more),
        suspects=(*part_suspects("gid", readings[:8]), *suspect, *node_suspects(readings)),
        explains=BROKEN_PATH if severe else (),
        remedy=[
            ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
            ("Let NCCL choose it.", f"unset {_NAME}"),
        ],
        references=[f"{NCCL_ENV}#nccl-ib-gid-index"],
    )
