"""The GID table of a RoCE port offers no address that reaches the other nodes.

A RoCE connection uses one entry of the port's table. Entries that begin with fe80: (link-local) reach only the same
Ethernet segment, and RoCE v1 is not routed; the right entry is the RoCE v2 one with the interface's IPv4 address. It is
an error where NCCL_IB_GID_INDEX chooses another entry, a warning where a port has only link-local ones. InfiniBand
ports have a link-local GID by nature and are left out, as are interfaces that are down.

Why it matters: start-up works because it uses TCP; the first RDMA transfer then times out (completion status 12).
How to confirm: ``show_gids`` on both nodes.
What to do: give the interface its IPv4 address (its state must be up); unset NCCL_IB_GID_INDEX and let NCCL >= 2.21
choose, or set it to the RoCE v2 entry, the same on all nodes.
When it is wrong: within one Ethernet segment link-local GIDs can work; a port without an address may be unused; a
listing may be cut before its IPv4 entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slowlink.model.facts import Environment
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import line_evidence, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import on_nodes
from slowlink.rules.rdma.roce_gids import (
    GID_INDEX,
    LINK_LOCAL,
    GidReadings,
    RocePorts,
    Table,
    gid_finding,
    only_local,
    ports_named,
    roce_ports,
    value_of,
)

CAUSES = ("gid-index-wrong",)


class WrongEntry(NamedTuple):
    """An entry of a port's table that cannot work across nodes."""

    what: str
    """``is RoCE v1``, after the setting that chooses it."""
    reading: Reading
    """Where it shows."""


def check(gids: GidReadings, environment: Environment | None) -> Iterator[Finding]:
    """The index in use first, then ports without a routable GID."""
    ports = roce_ports(gids)
    settings = [s for s in (environment.settings if environment is not None else ()) if s.name == GID_INDEX]
    # Several values: which rank uses which is not known.
    chosen = {int(s.value) for s in settings if s.value.isascii() and s.value.isdecimal() and len(s.value) < 5}
    wrong = list(_wrong(ports, chosen.pop())) if len(chosen) == 1 else []
    if wrong:
        yield _chosen(wrong, settings[0])
        return
    local = [table for table in ports.tables.values() if only_local(table)]
    if local:
        yield _local(local, ports)


def _wrong(ports: RocePorts, index: int) -> Iterator[WrongEntry]:
    """Of each port whose entry ``index`` cannot work across nodes."""
    for table in ports.tables.values():
        entry = table.get(index)
        first = next(iter(next(iter(table.values())).values()))
        if entry is None:
            if len(table) > 1:  # one entry alone: somebody asked for one, not for the table
                yield WrongEntry("is empty", first)
        elif value_of(entry, "gid-value").startswith(LINK_LOCAL):
            yield WrongEntry("is a link-local GID", entry["gid-value"])
        elif value_of(entry, "gid-type") == "IB/RoCE v1":
            yield WrongEntry("is RoCE v1", entry["gid-type"])


def _chosen(wrong: Sequence[WrongEntry], setting: EnvSetting) -> Finding:
    readings = [entry.reading for entry in wrong]
    what = listed(list(dict.fromkeys(entry.what for entry in wrong)))
    return gid_finding(
        f"{on_nodes(readings)}{GID_INDEX}={setting.value} {what} on {listed(ports_named(readings))}",
        readings,
        severity="error",
        sure=True,
        more=(line_evidence(setting.ref),),
        suspect=suspects("setting", [GID_INDEX]),
    )


def _local(tables: Sequence[Table], ports: RocePorts) -> Finding:
    readings = [entry["gid-value"] for table in tables for entry in table.values() if "gid-value" in entry]
    names = ports_named(readings)
    cut = "" if ports.complete else "; the listing may be cut before its IPv4 entries"
    return gid_finding(
        f"{on_nodes(readings)}{listed(names)} {'has' if len(names) == 1 else 'have'} only link-local GIDs (fe80::), "
        f"which reach no other subnet: the interface has no IP address{cut}",
        readings,
        severity="warning",
        sure=ports.complete,
    )
