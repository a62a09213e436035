"""The management controller of a node saw a fault of power or cooling.

The BMC watches the machine by itself, so that it tells what the operating system never sees: a power supply without
input, a fan that stands still, a temperature above its limit. What a sensor shows now is a fault now. An event may be
old: it counts as long as nothing took it back.

Some machines log the power brake itself: that one is no guess from a supply.

Why it matters: without a power supply the machine pulls the power brake of its GPUs; without fans all parts slow down.
How to confirm: ``ipmitool sel elist`` (the dates), ``ipmitool sdr type "Power Supply"``, and on the GPUs
``nvidia-smi -q -d PERFORMANCE``.
What to do: see to the power cable and the feed of the rack, replace the supply or the fan; then clear the log.
When it is wrong: the event may be years old, or from a day of maintenance; a second supply may carry the load alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slowlink.model.facts import Observations
from slowlink.model.job import Observation
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, listed

CAUSES = ("power-brake", "node-too-hot")


class _Fault(NamedTuple):
    """What a kind of fact means."""

    cause: str
    words: str
    remedy: Step


_BRAKE = "bmc-power-brake"
_FAULTS = {
    _BRAKE: _Fault(
        "power-brake",
        "the power brake of the GPUs is pulled",
        Step(
            "See whether the GPUs are braked now, and what pulls it: a supply, its feed, or a limit of the rack.",
            "nvidia-smi -q -d PERFORMANCE; ipmitool sdr type 'Power Supply'",
        ),
    ),
    "bmc-power-lost": _Fault(
        "power-brake",
        "a power supply failed or has no input, so that the machine may brake its GPUs",
        Step(
            "See to cable and feed of the supply, and whether the GPUs are braked.",
            "ipmitool sdr type 'Power Supply'; nvidia-smi -q -d PERFORMANCE",
        ),
    ),
    "bmc-fan-failed": _Fault(
        "node-too-hot",
        "a fan failed",
        Step("Replace the fan; compare temperatures with another node.", "ipmitool sdr type Fan"),
    ),
    "bmc-too-hot": _Fault(
        "node-too-hot",
        "a temperature is above its critical limit",
        Step("Look at fans, filters and inlet temperature.", "ipmitool sdr type Temperature"),
    ),
}


def check(observations: Observations) -> Iterator[Finding]:
    """One finding for each kind of fault; what a sensor shows now weighs more than what was logged once."""
    for kind, fault in _FAULTS.items():
        found = [each for each in observations.all if each.kind == kind]
        now = [each for each in found if each.value.startswith("state: ")]
        if now:
            supply = fault.cause == "power-brake" and kind != _BRAKE
            # The supply is faulty for sure; that the GPUs are braked is what their own state must show.
            yield _finding(fault, now, "error", "possible" if supply else "likely")
        faulty = {each.host for each in now}
        logged = [each for each in found if each.host not in faulty]
        if logged:
            # A brake that nobody let go costs speed as long as it holds; a second supply may carry the load.
            yield _finding(fault, logged, "error" if kind == _BRAKE else "warning", "possible")


def _finding(fault: _Fault, found: Sequence[Observation], severity: Severity, confidence: Confidence) -> Finding:
    hosts = list(dict.fromkeys(each.host for each in found if each.host))
    sensors = listed(list(dict.fromkeys(each.subject for each in found)))
    said = found[0].value.partition(": ")[2]
    grave = severity == "error"
    return finding(
        fault.cause,
        f"{at_hosts(hosts)}{fault.words} ({sensors}: {said})",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(each.ref for each in found),
        suspects=suspects("node", hosts),
        explains=("gpu-clocks-throttled", "straggler-node") if grave else (),
        remedy=[fault.remedy],
    )
