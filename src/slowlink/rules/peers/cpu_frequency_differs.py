"""The CPUs of a node run far below the frequency of its peers.

The highest frequency in use that was read of each node is compared. Frequencies vary, so only a node at less than 60 %
of what most nodes run at is named, and only where three or more were asked and most of them are close to one another.

Why it matters: the proxy threads that drive the network run on these CPUs; their node makes all others wait.
How to confirm: ``cpupower frequency-info -m -f`` on all nodes, under the same load; ``turbostat`` where it is there.
What to do: look at the governor, the tuned profile, power limits and the firmware's settings of that node.
When it is wrong: the node was idle while the others were busy, and its governor lowers the clock of idle CPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_node, latest, name_of_node
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("node-differs",)


class Params(Struct, frozen=True):
    """When a node's CPUs are slow."""

    share: float = 0.6
    """Of the median of all nodes; turbo steps and idle cores stay above."""
    alike: float = 0.15
    """Distance from the median, as a share of it, within which most nodes must lie."""
    fewest_nodes: int = 3


def check(frequencies: Annotated[Readings, Of("cpu-frequency")], params: Params) -> Iterator[Finding]:
    """One finding for all slow nodes."""
    highest = [_highest(readings) for readings in by_node(latest(frequencies.all).values()).values()]
    known = [reading for reading in highest if name_of_node(reading)]
    if len(known) < params.fewest_nodes:
        return
    middle = median(_khz(reading) for reading in known)
    slow = [reading for reading in known if _khz(reading) < params.share * middle]
    close = [reading for reading in known if abs(_khz(reading) - middle) <= params.alike * middle]
    if not slow or 2 * len(close) <= len(known):
        return
    yield finding(
        "node-differs",
        f"{on_nodes(slow)}CPUs at {_khz(slow[0]) / 1e6:.2f} GHz, while {counted(len(close), 'node')} of {len(known)} "
        f"are near {middle / 1e6:.2f} GHz",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(slow, expected=f"near {middle:.0f} kHz"),
        suspects=node_suspects(slow),
        explains=("straggler-node", "latency-high"),
        remedy=[
            ("Read them again under the same load.", "cpupower -c all frequency-info -m -f"),
            ("See what holds the clock down.", "cpupower frequency-info; tuned-adm active; dmesg -T | grep -i throttl"),
        ],
        references=["https://docs.kernel.org/admin-guide/pm/cpufreq.html"],
    )


def _highest(readings: list[Reading]) -> Reading:
    return max(readings, key=_khz)


def _khz(reading: Reading) -> float:
    return float(reading.value)
