"""The subnet has no subnet manager, or only one.

sminfo or ibqueryerrors asked the subnet manager, and nobody answered, then or later; or ports of the fabric have their
link and stay in Init, because nobody has configured them. A master without a standby is only worth knowing.

Why it matters: without a subnet manager a port gets no LID and no routes: what is not connected yet stays so.
How to confirm: ``sminfo`` on a node; ``systemctl status opensm``, or the state of UFM or of the managed switch.
What to do: start one; run a second one as standby with a lower priority.
When it is wrong: the port that was asked may lead to another subnet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec.structs import replace

from slowlink.facts.fabric import now
from slowlink.facts.readings import by_attribute, latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, lines_evidence
from slowlink.rules.evidence.messages import BROKEN_PATH, counted
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, port_suspects, some

CAUSES = ("subnet-manager-missing",)
DENIES = ()

_REMEDY = [("See whether a subnet manager answers.", "sminfo")]


def check(
    managers: Annotated[Readings, Of("sm-reachable", "sm-state", "fabric-standby-sms", "sm-subnet-up")] | None,
    links: Annotated[Readings, Of("link-state", "link-physical-state")] | None,
) -> Iterator[Finding | Proof]:
    """One finding where nobody answers, else one for ports in Init; else the master, and whether it has a standby."""
    silent = _silent(managers)
    waiting = _waiting(links)
    if silent is not None:
        yield silent
    elif waiting is not None:
        yield waiting
    elif managers is not None:
        yield from _masters(managers)


def _silent(managers: Readings | None) -> Finding | None:
    """Every node that asked got no answer the last time."""
    answers = latest(by_attribute(managers, "sm-reachable")).values() if managers is not None else ()
    silent = [reading for reading in answers if reading.value is False]
    if not silent or len(silent) < len(answers):
        return None  # nobody asked, or somebody has an answer: one subnet is managed
    return finding(
        "subnet-manager-missing",
        "no subnet manager answers: what was asked of the fabric is not known",
        severity="error",
        confidence="likely",
        evidence=lines_evidence(reading.ref for reading in silent),
        explains=BROKEN_PATH,
        remedy=_REMEDY,
        references=[FABRIC_TOOLS],
    )


def _waiting(links: Readings | None) -> Finding | None:
    """Ports with a link that nobody has configured, of the first fabric that has some."""
    for picture in now(links.all) if links is not None else ():
        ports = [
            port
            for port in picture.ports.values()
            if port.text("link-state") == "Init" and port.text("link-physical-state") == "LinkUp"
        ]
        if ports:
            names = some([port.name for port in ports])
            return finding(
                "subnet-manager-missing",
                f"{counted(len(ports), 'port')} of the fabric with a link stay in Init: {names}",
                severity="error",
                confidence="likely",
                evidence=lines_evidence(port.said["link-state"].ref for port in ports),
                suspects=port_suspects(picture, [port.name for port in ports[:20]]),
                explains=BROKEN_PATH,
                remedy=_REMEDY,
                references=[FABRIC_TOOLS],
            )
    return None


def _masters(managers: Readings) -> Iterator[Finding | Proof]:
    """A proof where there is a master or a subnet that was brought up; a note where the master has no standby.

    That links get their routes says nothing about how fast they are: it is no ground for health.
    """
    states = list(latest(by_attribute(managers, "sm-state")).values())
    masters = [reading for reading in states if reading.value == "master"]
    standbys = by_attribute(managers, "fabric-standby-sms")
    if masters:
        yield Proof(
            f"{counted(len(masters), 'subnet manager')} in state master", (line_evidence(masters[0].ref),), weight=0
        )
    elif any(reading.value is True for reading in by_attribute(managers, "sm-subnet-up")[-1:]):
        yield Proof("the subnet manager has brought the subnet up", weight=0)
    if masters and standbys and not standbys[-1].value:
        alone = finding(
            "subnet-manager-missing",
            "the subnet has one subnet manager and no standby: if it stops, links that come up stay in Init",
            severity="info",
            confidence="certain",
            evidence=[line_evidence(standbys[-1].ref)],
            remedy=[("Run a second subnet manager with a lower priority.", "opensm --priority 1")],
            references=[FABRIC_TOOLS],
        )
        yield replace(alone, title="No standby subnet manager")
