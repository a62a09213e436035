"""GID tables of RoCE ports: what rules about them begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Evidence, Finding, Severity, Suspect
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import BROKEN_PATH
from slowlink.rules.evidence.node_readings import node_suspects, part_suspects, reading_evidence

GidReadings = Annotated[
    Readings, Of("gid-value", "gid-type", "gid-ipv4", "gid-netdev", "gid-total", "port-link-layer", "interface-state")
]
GID_INDEX = "NCCL_IB_GID_INDEX"
_FAULTS: tuple[Severity, ...] = ("error", "critical")
LINK_LOCAL = "fe80:"
Table = dict[int, dict[str, Reading]]
"""Index -> attribute -> reading, of one port."""


@dataclass(frozen=True)
class RocePorts:
    """RoCE ports with their tables."""

    tables: Mapping[tuple[str, str], Table]
    complete: bool
    """The listing ended with its own count."""


def roce_ports(gids: Readings) -> RocePorts:
    """Ports whose GIDs have a network interface that is not down, or of which a tool says that they are Ethernet."""
    layers: dict[tuple[str, str], str] = {}
    down: set[tuple[str, str]] = set()
    tables: dict[tuple[str, str], Table] = {}
    complete = False
    for reading in _current(gids):
        node, name = reading.host or "", reading.part.name
        if reading.attribute == "port-link-layer":
            layers[node, name] = str(reading.value)
        elif reading.attribute == "interface-state" and reading.value != "up":
            down.add((node, name))
        elif reading.attribute == "gid-total":
            complete = True
        elif reading.part.kind == "gid":
            port, _, index = name.rpartition("/")
            tables.setdefault((node, port), {}).setdefault(int(index), {})[reading.attribute] = reading
    roce = {}
    for (node, port), table in tables.items():
        netdevs = {str(entry["gid-netdev"].value) for entry in table.values() if "gid-netdev" in entry}
        ethernet = layers.get((node, port), "Ethernet" if netdevs else "") == "Ethernet"
        if ethernet and not any((node, netdev) in down for netdev in netdevs):
            roce[node, port] = table
    return RocePorts(roce, complete)


def _current(gids: Readings) -> list[Reading]:
    by_attribute: dict[str, list[Reading]] = {}
    for reading in gids.all:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    return [reading for found in by_attribute.values() for reading in latest(found).values()]


def says(entry: Mapping[str, Reading], name: str) -> str:
    return str(entry[name].value) if name in entry else ""


def only_local(table: Table) -> bool:
    values = [says(entry, "gid-value") for entry in table.values()]
    return bool(values) and all(value.startswith(LINK_LOCAL) for value in values)


def routable(table: Table) -> list[int]:
    """Indexes of RoCE v2 entries with an IPv4 address, in order."""
    return [i for i, entry in sorted(table.items()) if says(entry, "gid-type") == "RoCE v2" and "gid-ipv4" in entry]


def ports_named(readings: Sequence[Reading]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(r.part.name.rpartition("/")[0].removesuffix("/1") for r in readings))


def gid_finding(
    message: str,
    readings: Sequence[Reading],
    *,
    severity: Severity,
    sure: bool,
    more: tuple[Evidence, ...] = (),
    suspect: tuple[Suspect, ...] = (),
) -> Finding:
    return finding(
        "gid-index-wrong",
        message,
        severity=severity,
        confidence="likely" if sure else "possible",
        evidence=(*reading_evidence(readings), *more),
        suspects=(*part_suspects("gid", readings[:8]), *suspect, *node_suspects(readings)),
        explains=BROKEN_PATH if severity in _FAULTS else (),
        remedy=[
            ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
            ("Let NCCL choose it.", f"unset {GID_INDEX}"),
        ],
        references=[f"{NCCL_ENV}#nccl-ib-gid-index"],
    )
