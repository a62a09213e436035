"""A bond runs on some of its links only.

The kernel's bonding driver shows one link of a bond as down while another is up, or, with LACP, one that is up and
belongs to another aggregate than the rest: the switch does not take both ports for one bond. The bond goes on working,
with less bandwidth and no reserve.

Why it matters: RoCE over a bond of two ports has half its rate; connections that used the lost link break once.
How to confirm: ``cat /proc/net/bonding/BOND``; ``ethtool IF`` on the link (Link detected).
What to do: check cable, transceiver and switch port of the link that is down; for another aggregate, that both switch
ports are in one LAG (or one MLAG of two switches) with LACP on.
When it is wrong: bonds of management or storage networks say nothing about the compute fabric, and a second port may
not be cabled on purpose; so it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.commands import as_interface, command, one_after_another
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("port-down",)

Bonded = Annotated[Readings, Of("interface-bond-leg-up", "interface-bond", "interface-bond-aggregate")]


def check(bonded: Bonded) -> Iterator[Finding]:
    """One finding for all links that are down in a bond that is up, one for links outside of its aggregate."""
    yield from _apart(bonded)
    legs = [r for r in bonded.all if r.attribute == "interface-bond-leg-up"]
    bonds = latest([r for r in bonded.all if r.attribute == "interface-bond"])
    legs_of: dict[tuple[str, str], list[Reading]] = {}
    for (node, part), leg in latest(legs).items():
        bond = bonds.get((node, part))
        legs_of.setdefault((node, str(bond.value) if bond is not None else ""), []).append(leg)
    down = [leg for mine in legs_of.values() if any(leg.value for leg in mine) for leg in mine if not leg.value]
    if not down:
        return
    names = list(dict.fromkeys(leg.part.name for leg in down))
    name = as_interface(names[0])
    yield finding(
        "port-down",
        f"{on_nodes(down)}{listed(names)} {'is' if len(names) == 1 else 'are'} down in a bond that runs on "
        "its other links",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(down, expected="up"),
        suspects=(*part_suspects("interface", down), *node_suspects(down)),
        remedy=[
            ("See why the link is down.", one_after_another(command("ethtool", name), command("ethtool", "-m", name)))
        ],
    )


def _apart(bonded: Bonded) -> Iterator[Finding]:
    """Links of one bond that belong to different aggregates: LACP uses one of these only."""
    bonds = latest([r for r in bonded.all if r.attribute == "interface-bond"])
    up = latest([r for r in bonded.all if r.attribute == "interface-bond-leg-up"])
    of_bond: dict[tuple[str, str], list[Reading]] = {}
    for (node, part), leg in latest([r for r in bonded.all if r.attribute == "interface-bond-aggregate"]).items():
        bond, runs = bonds.get((node, part)), up.get((node, part))
        if bond is not None and runs is not None and runs.value:
            of_bond.setdefault((node, str(bond.value)), []).append(leg)
    apart = [leg for legs in of_bond.values() if len({leg.value for leg in legs}) > 1 for leg in legs]
    if not apart:
        return
    names = listed(list(dict.fromkeys(leg.part.name for leg in apart)))
    yield finding(
        "port-down",
        f"{on_nodes(apart)}{names} are one bond and no aggregate: LACP uses only some of them",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(apart, expected="the same on all links of the bond"),
        suspects=(*part_suspects("interface", apart), *node_suspects(apart)),
        remedy=[
            (
                "See what the switch answers on each link (partner, churn).",
                "grep -A40 'Slave Interface' /proc/net/bonding/*",
            )
        ],
    )
