"""One HCA gives much less than the others in a sheet that measures HCA by HCA.

Users loop over the rails of a node, one at a time, and note what each gave. HCAs of one node are alike (healthy ports
of one kind differ by less than 1 %, docs/physics.md): where fewer than half of them give less than 80 % of the median,
and the others agree within 10 %, these are slow.

Why it matters: a ring over all rails goes at the rate of the slowest one.
How to confirm: ``ibstat`` of this HCA (Rate), ``lspci -vv`` (LnkSta), and the test again with another partner.
What to do: see to cable, transceiver and switch port, to width and speed of the PCIe slot, and to ACS on its way to the
GPU.
When it is wrong: the HCA is of a slower kind on purpose (storage), or the slow end is the partner's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_node, latest_of, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import Step, finding
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("straggler-nic",)


class Params(Struct, frozen=True):
    """When an HCA is odd."""

    slow_share: float = 0.8
    """Of the median of the node's HCAs."""
    alike: float = 0.1
    """By how much of the median the others may differ."""
    fewest: int = 4
    """Of fewer HCAs none is the odd one."""


def check(measured: Annotated[Readings, Of("hca-test-bandwidth")], params: Params) -> Iterator[Finding]:
    """One finding for each node; where the sheet names none, for the sheet."""
    for readings in by_node(latest_of(measured.all)).values():
        usual = median(_gbs(reading) for reading in readings)
        slow = [reading for reading in readings if _gbs(reading) < params.slow_share * usual]
        odd = [r for r in readings if _gbs(r) >= params.slow_share * usual and not _is_alike(r, usual, params)]
        if len(readings) >= params.fewest and slow and 2 * len(slow) < len(readings) and not odd:
            yield _finding(slow, len(readings) - len(slow), usual)


def _is_alike(reading: Reading, usual: float, params: Params) -> bool:
    return abs(_gbs(reading) - usual) <= params.alike * usual


def _device(name: str) -> str:
    """A rail is a number that HCAs of many nodes have, and no device."""
    return "HCA" if name.startswith("rail") else as_hca(name)


def _gbs(reading: Reading) -> float:
    return float(reading.value)


def _finding(slow: Sequence[Reading], others: int, usual: float) -> Finding:
    names = listed([reading.part.name for reading in slow])
    # Who runs the loop is mostly another node than those that are measured.
    told = [reading for reading in slow if (node_of(reading) or "?") in reading.ref.text]
    lowest, highest = (f"{_gbs(pick(slow, key=_gbs)):.4g}" for pick in (min, max))
    gave = lowest if lowest == highest else f"{lowest} to {highest}"
    return finding(
        "straggler-nic",
        f"{on_nodes(told)}{names} {'gives' if len(slow) == 1 else 'give'} {gave} GB/s where "
        f"{counted(others, 'other HCA')} give {usual:.4g}",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(slow, expected=f"about {usual:.4g} GB/s"),
        suspects=(*part_suspects("hca", slow), *node_suspects(told)),
        explains=("busbw-below-expected", "bandwidth-unstable", "hardware-unknown"),
        remedy=[
            Step(
                "Read the link's state and counters.",
                command("mlxlink", "-d", _device(slow[0].part.name), "-c", "-e", "-m"),
            ),
            Step("See the width and the speed of its PCIe slot.", "lspci -vv | grep -E 'Mellanox|LnkSta:'"),
            Step("Test it again with another partner: the slow end may be the other one."),
        ],
    )
