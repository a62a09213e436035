"""A bond runs on some of its links only.

The kernel's bonding driver shows one link of a bond as down while another is up. The bond goes on working, with less
bandwidth and no reserve.

Why it matters: RoCE over a bond of two ports has half its rate; connections that used the lost link break once.
How to confirm: ``cat /proc/net/bonding/BOND``; ``ethtool IF`` on the link (Link detected).
What to do: check cable, transceiver and switch port of the link that is down.
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

Bonded = Annotated[Readings, Of("interface-bond-leg-up", "interface-bond")]


def check(bonded: Bonded) -> Iterator[Finding]:
    """One finding for all links that are down in a bond that is up."""
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
