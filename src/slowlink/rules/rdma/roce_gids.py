"""GID tables of RoCE ports: what rules about them begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from msgspec import Struct

from slowlink.facts.readings import latest_of_each
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Evidence, Finding, Severity, Suspect
from slowlink.model.state import Reading
from slowlink.rules.evidence.commands import command
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import BROKEN_PATH
from slowlink.rules.evidence.node_readings import node_suspects, part_suspects, reading_evidence

GidReadings = Annotated[
    Readings, Of("gid-value", "gid-type", "gid-ipv4", "gid-netdev", "gid-total", "port-link-layer", "interface-state")
]
"""The parameter type of rules about GID tables."""
GID_INDEX = "NCCL_IB_GID_INDEX"
CHOOSE_GID = (
    ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
    ("Let NCCL choose it.", command("unset", GID_INDEX)),
)
"""The remedy of every wrong GID."""
_FAULTS: tuple[Severity, ...] = ("error", "critical")
"""Severities that explain a broken path."""
LINK_LOCAL = "fe80:"
"""How a GID begins that is of no network."""
Table = dict[int, dict[str, Reading]]
"""Index -> attribute -> reading, of one port."""


class PortOfNode(NamedTuple):
    """A port, or an interface, of one node."""

    node: str
    port: str


class RocePorts(Struct, frozen=True):
    """RoCE ports with their tables."""

    tables: Mapping[PortOfNode, Table]
    complete: bool
    """Some listing ended with its own count."""


def roce_ports(gids: Readings) -> RocePorts:
    """Ports whose GIDs have a network interface that is not down, or of which a tool says that they are Ethernet."""
    layers: dict[PortOfNode, str] = {}
    down: set[PortOfNode] = set()
    tables: dict[PortOfNode, Table] = {}
    complete = False
    for reading in latest_of_each(gids.all):
        node, name = reading.host or "", reading.part.name
        if reading.attribute == "port-link-layer":
            layers[PortOfNode(node, name)] = str(reading.value)
        elif reading.attribute == "interface-state" and reading.value != "up":
            down.add(PortOfNode(node, name))
        elif reading.attribute == "gid-total":
            complete = True
        elif reading.part.kind == "gid":
            port, _, index = name.rpartition("/")
            tables.setdefault(PortOfNode(node, port), {}).setdefault(int(index), {})[reading.attribute] = reading
    roce = {}
    for place, table in tables.items():
        netdevs = {str(entry["gid-netdev"].value) for entry in table.values() if "gid-netdev" in entry}
        ethernet = layers.get(place, "Ethernet" if netdevs else "") == "Ethernet"
        if ethernet and not any(PortOfNode(place.node, netdev) in down for netdev in netdevs):
            roce[place] = table
    return RocePorts(roce, complete)


def value_of(entry: Mapping[str, Reading], attribute: str) -> str:
    """The value as text; "" when it was not read."""
    return str(entry[attribute].value) if attribute in entry else ""


def only_local(table: Table) -> bool:
    """Are all GIDs of the port link-local?"""
    values = [value_of(entry, "gid-value") for entry in table.values()]
    return bool(values) and all(value.startswith(LINK_LOCAL) for value in values)


def routable(table: Table) -> list[int]:
    """Indexes of RoCE v2 entries with an IPv4 address, in order."""
    return [i for i, entry in sorted(table.items()) if value_of(entry, "gid-type") == "RoCE v2" and "gid-ipv4" in entry]


def ports_named(readings: Sequence[Reading]) -> tuple[str, ...]:
    """Distinct ports of GIDs; the first port of an HCA goes by the HCA's name."""
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
    """A finding about the GIDs of ``readings``, with the remedy that all have. ``sure``: likely, else possible."""
    return finding(
        "gid-index-wrong",
        message,
        severity=severity,
        confidence="likely" if sure else "possible",
        evidence=(*reading_evidence(readings), *more),
        suspects=(*part_suspects("gid", readings[:8]), *suspect, *node_suspects(readings)),
        explains=BROKEN_PATH if severity in _FAULTS else (),
        remedy=CHOOSE_GID,
        references=[f"{NCCL_ENV}#nccl-ib-gid-index"],
    )
