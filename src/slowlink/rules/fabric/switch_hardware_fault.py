"""A switch reports a fault of a fan or a power supply.

ibswinfo and MLNX-OS tell the state of the switch's parts. A part without a word is not known; it is no fault.

Why it matters: a switch that gets hot lowers its clocks, drops links, or switches itself off; all hosts behind it stop.
How to confirm: ``ibswinfo -d lid-LID``, or ``show fan`` and ``show power`` on a managed switch; the light on its front.
What to do: replace the fan or power supply; see that nothing blocks the air.
When it is wrong: a power supply that was left unplugged on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, some

CAUSES = ("switch-hardware-fault",)

_BAD = ("error", "fail", "fault", "fatal", "critical", "bad", "not ok")
_GOOD = ("ok", "good", "normal")


def check(parts: Annotated[Readings, Of("switch-part-status")]) -> Iterator[Finding | Proof]:
    """One finding for all parts that report a fault, else a proof for those that are well."""
    now = list(latest(parts.all).values())
    bad = [reading for reading in now if _word(reading).startswith(_BAD)]
    good = [reading for reading in now if _word(reading) in _GOOD]
    if bad:
        switches = dict.fromkeys(_switch(reading) for reading in bad)
        yield finding(
            "switch-hardware-fault",
            f"{counted(len(switches), 'switch', 'switches')} with a fault: {some([_said(reading) for reading in bad])}",
            severity="error",
            confidence="likely",
            evidence=reading_evidence(bad, expected="OK"),
            suspects=suspects("switch", switches),
            remedy=[("Read all sensors of the switch.", "ibswinfo -d lid-LID")],
            references=[FABRIC_TOOLS],
        )
    elif good:
        yield Proof(f"{counted(len(good), 'fan and power status', 'fan and power statuses')} of switches OK")


def _word(reading: Reading) -> str:
    return str(reading.value).strip().lower()


def _switch(reading: Reading) -> str:
    return reading.part.name.rsplit("/", 1)[0]


def _said(reading: Reading) -> str:
    switch, part = reading.part.name.rsplit("/", 1)
    return f"{part} of {switch} says {reading.value}"
