"""Busy processors run below their base clock, or heat or a power limit holds them down.

``turbostat`` shows the clock that a CPU had while it ran beside the clock that it is made for. A busy processor runs at
its base clock or above it; wide vector instructions take a tenth of it. Much less than that is a limit: of power
(``PKG_%``), of heat (``CoreThr``), of the firmware, or of the machine's management (PROCHOT).

Why it matters: the proxy threads that drive the network run on these cores, and so does the launch of each kernel:
their node makes all others wait, and GPUs show nothing of it.
How to confirm: ``turbostat --interval 5`` under the same load on a good node; ``cpupower frequency-info`` for limits.
What to do: look at the power limit of the processors and of the machine, at power supplies and cooling; then firmware.
When it is wrong: most versions of turbostat count heat since the node was started, so that it may be long ago; some
processors count time at the power limit that costs nothing, and the sum of two sockets may exceed 100 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Step, finding
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("cpu-clocks-low", "node-too-hot")

_REMEDY = (
    Step("Read the clocks under load, here and on a good node.", "turbostat --quiet --interval 5 --num_iterations 3"),
    Step("See what limits them.", "cpupower frequency-info; ipmitool dcmi power get_limit; dmesg -T | grep -i throttl"),
)
_ALL = "all"


class Params(Struct, frozen=True):
    """When a clock is low."""

    share: float = 0.7
    """Of the base clock; vector instructions stay above."""
    busy_percent: float = 60.0
    """Of the time that the CPU ran: governors lower the clock of CPUs with little work."""
    limited_percent: float = 10.0
    """Of the time at the power limit."""


def check(
    clocks: Annotated[
        Readings,
        Of("cpu-busy-frequency", "cpu-busy-share", "cpu-base-frequency", "cpu-heat-events", "cpu-power-limited"),
    ],
    params: Params,
) -> Iterator[Finding]:
    """A finding for low clocks; else one for the power limit. One for heat, as it has its own remedy."""
    heat = [reading for reading in _last(clocks, "cpu-heat-events") if float(reading.value) > 0]
    slow = _slow(clocks, params)
    limited = [r for r in _last(clocks, "cpu-power-limited") if float(r.value) >= params.limited_percent]
    if slow:
        yield _finding("cpu-clocks-low", _clock_words(clocks, slow), slow, (*limited, *heat), "error", "likely")
    elif limited:
        words = f"the power limit holds the processors down for {float(limited[0].value):.0f} % of the time"
        yield _finding("cpu-clocks-low", words, limited, (), "warning", "possible")
    if heat:
        words = (
            f"heat slowed cores down {counted(int(heat[0].value), 'time')} in the interval, or since the node started"
        )
        yield _finding("node-too-hot", words, heat, (), "warning", "possible")


def _last(clocks: Readings, name: str) -> list[Reading]:
    return list(latest(by_attribute(clocks, name)).values())


def _bases(clocks: Readings) -> dict[str | None, float]:
    """The base clock of each node."""
    return {reading.host: float(reading.value) for reading in _last(clocks, "cpu-base-frequency")}


def _slow(clocks: Readings, params: Params) -> list[Reading]:
    """Clocks of busy CPUs that are low. Where a node as a whole is slow, its CPUs are not told one by one."""
    base = _bases(clocks)
    busy = {(r.host, r.part) for r in _last(clocks, "cpu-busy-share") if float(r.value) >= params.busy_percent}
    slow = [
        r
        for r in _last(clocks, "cpu-busy-frequency")
        if (r.host, r.part) in busy and 0 < float(r.value) < params.share * base.get(r.host, 0.0)
    ]
    whole = {r.host for r in slow if r.part.name == _ALL}
    return [r for r in slow if r.part.name == _ALL or r.host not in whole]


def _clock_words(clocks: Readings, slow: Sequence[Reading]) -> str:
    first = slow[0]
    which = "the busy CPUs run" if first.part.name == _ALL else f"{counted(len(slow), 'busy CPU')} run"
    return f"{which} at {float(first.value) / 1e3:.2f} GHz, and are made for {_bases(clocks)[first.host] / 1e3:.2f} GHz"


def _finding(
    cause: str,
    words: str,
    readings: Sequence[Reading],
    beside: Sequence[Reading],
    severity: Severity,
    confidence: Confidence,
) -> Finding:
    return finding(
        cause,
        f"{on_nodes(readings)}{words}",
        severity=severity,
        confidence=confidence,
        evidence=(*reading_evidence(readings, most=3), *reading_evidence(beside, most=2)),
        suspects=node_suspects(readings),
        explains=("straggler-node", "latency-high", "node-differs"),
        remedy=_REMEDY,
        references=["https://docs.kernel.org/admin-guide/pm/cpufreq.html"],
    )
