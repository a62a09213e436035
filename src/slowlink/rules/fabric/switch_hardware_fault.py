"""A switch reports a fault of a fan or a power supply.

ibswinfo and MLNX-OS show the state of the switch's fans and power supplies. A part without a state is not known; that
is no fault.

Why it matters: a switch that gets hot lowers its clocks, drops links, or switches itself off; all hosts connected to
it stop.
How to confirm: ``ibswinfo -d lid-LID``, or ``show fan`` and ``show power`` on a managed switch; the light on its front.
What to do: replace the fan or power supply; make sure that nothing blocks the air.
When it is wrong: a power supply may be unplugged on purpose.
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

# How bad states begin, and the good ones, as the tools print them; any other state proves nothing.
_BAD = ("error", "fail", "fault", "fatal", "critical", "bad", "not ok")
_GOOD = ("ok", "good", "normal")


def check(parts: Annotated[Readings, Of("switch-part-status")]) -> Iterator[Finding | Proof]:
    """One finding for all parts that report a fault, else a proof for those that are well."""
    now = list(latest(parts.all).values())
    bad = [reading for reading in now if _state(reading).startswith(_BAD)]
    good = [reading for reading in now if _state(reading) in _GOOD]
    if bad:
        switches = dict.fromkeys(_switch(reading) for reading in bad)
        faults = [_in_words(reading) for reading in bad]
        yield finding(
            "switch-hardware-fault",
            f"{counted(len(switches), 'switch', 'switches')} with a fault: {some(faults)}",
            severity="error",
            confidence="likely",
            evidence=reading_evidence(bad, expected="OK"),
            suspects=suspects("switch", switches),
            remedy=[("Read all sensors of the switch.", "ibswinfo -d lid-LID")],
            references=[FABRIC_TOOLS],
        )
    elif good:
        yield Proof(f"{counted(len(good), 'fan and power status', 'fan and power statuses')} of switches OK")


def _state(reading: Reading) -> str:
    return str(reading.value).strip().lower()


def _switch(reading: Reading) -> str:
    return reading.part.name.rsplit("/", 1)[0]


def _in_words(reading: Reading) -> str:
    """``fan of leaf1 says ERROR``."""
    switch, part = reading.part.name.rsplit("/", 1)
    return f"{part} of {switch} says {reading.value}"
