"""A network interface runs slower than the same one on other nodes.

``ethtool`` and ``/sys/class/net`` show the speed to which an Ethernet link has come up. Two other nodes at least must
have an interface of that name, and more than half of them a faster one.

Why it matters: RoCE and sockets over it are as fast as this link, and a ring is as fast as its slowest link.
How to confirm: ``ethtool INTERFACE`` on this node and on another: speed, lanes, FEC; the switch port's side.
What to do: clean or replace the cable or transceiver; see that the switch port is set to the full speed.
When it is wrong: interfaces of one name may be other cards on other nodes. Below 25 Gb/s it is hardly one for
collectives, and only a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.commands import as_interface, command
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("port-rate-low",)


class Params(Struct, frozen=True):
    """Which interfaces are compared."""

    fewest_nodes: int = 3
    """Nodes with an interface of one name."""
    least_gbit: float = 25.0
    """Gb/s from which on an interface is one for collectives."""


def check(speeds: Annotated[Readings, Of("interface-speed")], params: Params) -> Iterator[Finding]:
    """One finding for each name and speed."""
    by_name: dict[str, list[Reading]] = {}
    for (node, part), reading in latest(speeds.all).items():
        if node and isinstance(reading.value, int | float) and reading.value > 0:
            by_name.setdefault(part.name, []).append(reading)
    for name, found in by_name.items():
        usual, times = Counter(float(each.value) for each in found).most_common(1)[0]
        if len(found) < params.fewest_nodes or 2 * times <= len(found):
            continue
        slow: dict[float, list[Reading]] = {}
        for each in found:
            if float(each.value) < usual:
                slow.setdefault(float(each.value), []).append(each)
        for speed, readings in slow.items():
            yield _finding(name, readings, speed, usual, params)


def _finding(name: str, readings: list[Reading], speed: float, usual: float, params: Params) -> Finding:
    fast = usual >= params.least_gbit
    return finding(
        "port-rate-low",
        f"{on_nodes(readings)}{listed([name])} runs at {speed:g} of {usual:g} Gb/s, the speed of this interface on "
        "other nodes",
        severity="error" if fast else "warning",
        confidence="likely" if fast else "possible",
        evidence=reading_evidence(readings, expected=f"{usual:g} Gb/s"),
        suspects=(*part_suspects("interface", readings), *node_suspects(readings)),
        explains=("busbw-below-expected", "straggler-nic") if fast else (),
        remedy=[("See what the link came up with, and what it can do.", command("ethtool", as_interface(name)))],
    )
