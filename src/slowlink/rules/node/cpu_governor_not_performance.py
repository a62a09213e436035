"""The CPU frequency governor is not "performance".

Other governors lower the clock of a core that has little to do. The proxy threads that drive the network sleep and
wake all the time, so their core is slow whenever there is something to send.

Why it matters: latency and message rate suffer, and nodes differ from one another; large messages lose less.
How to confirm: ``grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor``, or ``cpupower frequency-info``.
What to do: ``cpupower frequency-set -g performance`` on every node, and at each boot (tuned profile
``throughput-performance``).
When it is wrong: drivers that leave clocks to the hardware (intel_pstate, amd-pstate) lose little with "powersave" if
the energy preference is for performance; where that was read, the finding is only a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated

from slowlink.facts.readings import by_node, latest, nodes_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import by_prepare, node_suspects, on_nodes, reading_evidence

CAUSES = ("cpu-governor-not-performance",)

WANTED = "performance"
_EAGER = ("performance", "balance_performance")
"""Energy preferences with which the hardware keeps clocks up by itself."""


def check(
    governors: Annotated[Readings, Of("cpu-governor")],
    preferences: Annotated[Readings, Of("cpu-energy-preference")] | None,
) -> Iterator[Finding | Proof]:
    """One finding for all nodes, with how many CPUs deviate; or proof."""
    now = list(latest(governors.all).values())
    bad = [reading for reading in now if reading.value != WANTED]
    if not bad:
        where = f" of {fold(names)}" if (names := nodes_of(now)) else ""
        yield Proof(
            f"the frequency governor is {WANTED} on {counted(_by_node(now).total(), 'CPU')} that were read{where}",
            weight=0,
        )
        return
    eager = _eager_nodes(preferences)
    mild = all(reading.host in eager and reading.value == "powersave" for reading in bad)
    yield finding(
        "cpu-governor-not-performance",
        f"{on_nodes(bad)}the CPU frequency governor is {listed(sorted({str(r.value) for r in bad}))}, not {WANTED}, on "
        f"{_how_many(bad, now)}",
        severity="info" if mild else "warning",
        confidence="possible" if mild else "certain",
        evidence=reading_evidence(bad, expected=WANTED),
        suspects=node_suspects(bad),
        explains=("latency-high", "straggler-node"),
        remedy=[
            ("Set it until the next start.", "cpupower frequency-set -g performance"),
            by_prepare("governor", bad),
        ],
        references=["https://docs.kernel.org/admin-guide/pm/cpufreq.html"],
    )


def _eager_nodes(preferences: Readings | None) -> set[str | None]:
    """Nodes whose CPUs all prefer performance, whatever the governor is called."""
    now = by_node(latest(preferences.all).values()) if preferences is not None else {}
    return {node for node, readings in now.items() if all(r.value in _EAGER for r in readings)}


def _how_many(bad: list[Reading], now: list[Reading]) -> str:
    """``all 96 CPUs``, ``3 of 96 CPUs``; of each node where there are several alike."""
    per_node, read = _by_node(bad), _by_node(now)
    most = max(per_node, key=lambda node: per_node[node])
    each = " each" if len(per_node) > 1 and len(set(per_node.values())) == 1 else ""
    if per_node[most] == read[most]:
        return f"all {counted(read[most], 'CPU')} that were read{each}" if read[most] > 1 else "the CPU that was read"
    return f"{per_node[most]} of {counted(read[most], 'CPU')} that were read{each}"


def _by_node(readings: Iterable[Reading]) -> Counter[str | None]:
    """CPUs that the readings stand for: one, or as many as a counted list says (``96 CPUs``)."""
    counts: Counter[str | None] = Counter()
    for reading in readings:
        number = reading.part.name.removesuffix(" CPUs")
        counts[reading.host] += int(number) if number != reading.part.name and number.isdecimal() else 1
    return counts
