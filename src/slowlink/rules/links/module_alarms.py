"""A plugged module or cable is beyond the limits that its maker wrote into it.

Each transceiver measures its temperature, its supply, and the light that each channel sends and gets, and compares
them with its own limits: ``ethtool -m`` prints which ones are crossed. Too little light is a dirty or bent fibre, a
plug that does not sit, or a laser that dies; a hot module loses margin on all channels.

Why it matters: light at the limit is read with bit errors; they cost repetitions first, then lanes, then the link.
How to confirm: ``ethtool -S IF`` and ``mlxlink -d DEVICE -m -c`` twice: errors before correction that grow.
What to do: clean and reseat the plug, then change module and fibre crosswise with a good one.
When it is wrong: the other end is switched off on purpose, or this port is not used: then no light is no fault. Cables
of copper and some modules raise alarms for light that they do not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Step, finding, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("link-errors",)

_REMEDY = (
    Step("See whether the link counts errors, and how much light each channel gets.", "mlxlink -d DEVICE -m -c"),
    Step("Clean and reseat the plug; then change module and fibre crosswise with those of a good port."),
)


def check(
    alarms: Annotated[Readings, Of("interface-module-alarm")],
    carriers: Annotated[Readings, Of("interface-carrier")] | None,
) -> Iterator[Finding]:
    """One finding for alarms, else one for warnings. Interfaces known to have no link are left out: nobody sends them
    light. A finding is a warning: only counters tell whether data was lost."""
    dark = {(r.host, r.part.name) for r in latest(carriers.all).values() if not r.value} if carriers else set()
    raised = [r for r in latest(alarms.all).values() if r.value is True and (r.host, interface_of(r)) not in dark]
    grave = [reading for reading in raised if " warning" not in reading.part.name]
    if grave:
        yield _finding(grave, "likely")
    elif raised:
        yield _finding(raised, "possible")


def interface_of(reading: Reading) -> str:
    """The interface that the module is plugged into."""
    return reading.part.name.partition(" ")[0]


def _finding(raised: Sequence[Reading], confidence: Confidence) -> Finding:
    interfaces = list(dict.fromkeys(interface_of(reading) for reading in raised))
    limits = list(dict.fromkeys(reading.part.name.partition(" ")[2] for reading in raised))
    return finding(
        "link-errors",
        f"{on_nodes(raised)}the module of {listed(interfaces)} is beyond its limits: {listed(limits)}",
        severity="warning",
        confidence=confidence,
        evidence=reading_evidence(raised),
        suspects=(*node_suspects(raised), *suspects("interface", interfaces[:8])),
        explains=("link-flapping", "port-down"),
        remedy=_REMEDY,
        references=["https://man7.org/linux/man-pages/man8/ethtool.8.html"],
    )
