"""What fabric tools checked: links, rates, errors.

This page has mostly good news: how many links there are and at which rate, and what ibqueryerrors and ibdiagnet checked
without finding errors. It also reports errors that ibdiagnet counted, and that no switch routes adaptively.

Why it matters: only a fabric that was looked at can be called healthy.
How to confirm: ``iblinkinfo``, ``ibqueryerrors`` and ``ibdiagnet`` on any node of the subnet.
What to do: nothing for healthy links; read ``/var/tmp/ibdiagnet2/ibdiagnet2.log`` where ibdiagnet counted errors.
When it is wrong: a tool does not see what is wrong in a part of the fabric that it could not reach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.fabric import FabricPort, Picture, node_of, now
from slowlink.facts.readings import by_attribute
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, rate, some

CAUSES = (
    "link-errors",
    "partition-mismatch",
    "port-rate-low",
    "subnet-manager-missing",
    "switch-hardware-fault",
    "tuning-missing",
)
DENIES = ("link-errors", "link-flapping", "port-down", "port-rate-low")

_STAGES = {
    "Port Counters": "link-errors",
    "Links Check": "link-errors",
    "BER": "link-errors",
    "Speed": "port-rate-low",
    "Subnet Manager": "subnet-manager-missing",
    "Partition Keys": "partition-mismatch",
    "Temperature": "switch-hardware-fault",
}
"""First words of a stage of ibdiagnet -> what its errors mean."""


def check(
    links: Annotated[Readings, Of("link-peer", "link-width", "link-speed", "fabric-node-type", "fabric-row-unread")]
    | None,
    checked: Annotated[Readings, Of("fabric-ports-checked", "fabric-ports-bad", "fabric-query-failures")] | None,
    stages: Annotated[Readings, Of("ibdiagnet-errors", "ibdiagnet-message", "fabric-link-class")] | None,
    routing: Annotated[Readings, Of("fabric-ar-switches")] | None,
) -> Iterator[Finding | Proof]:
    """Proofs of links, of ibqueryerrors and of ibdiagnet; then what ibdiagnet says is wrong."""
    if links is not None:
        yield from _links(links)
    if checked is not None:
        yield from _checked(checked)
    if stages is not None:
        yield from _stages(stages)
    if routing is not None and not routing.all[-1].value:
        yield finding(
            "tuning-missing",
            "adaptive routing is on at no switch: flows that meet on one link of a fat tree stay there",
            severity="info",
            confidence="possible",
            evidence=[line_evidence(routing.all[-1].ref)],
            references=[FABRIC_TOOLS],
        )


def _links(links: Readings) -> Iterator[Proof]:
    """How many links each picture has, and at which rates; where no rate is known, nothing.

    Links of one kind that differ may belong there or have trained low: nobody calls them right. A row that was not
    understood may be of any link, so what the others show is no health.
    """
    unread = Counter(reading.host or "" for reading in links.all if reading.attribute == "fabric-row-unread")
    for picture in now(links.all):
        if not picture.types:
            continue  # ports that were picked, not the links of the fabric
        rates = Counter(rate(port) for port, _ in picture.links())
        of_kind = {(_joins_switches(picture, port, peer), rate(port)) for port, peer in picture.links()}
        known, left_out = rates.total() - rates[""], unread[picture.asked]
        rest = f"; {counted(left_out, 'row')} of the topology could not be read" if left_out else ""
        weight = 0 if left_out else 1
        if known and len(rates) == 1:
            yield Proof(f"{counted(known, 'link')} of the fabric, all {next(iter(rates))}{rest}", weight=weight)
        elif known:
            alike = len({kind for kind, _ in of_kind}) == len(of_kind)
            each = [f"{count} {name}" for name, count in rates.most_common() if name]
            rest += "" if alike else "; those of one kind differ, which may be as it should be or not"
            said = f"{counted(known, 'link')} of the fabric: {some(each, 5)}{rest}"
            yield Proof(said, weight=weight if alike else 0, undecided=not alike)


def _joins_switches(picture: Picture, port: FabricPort, peer: str) -> bool:
    """Is it a link between switches, and not one to a node?"""
    return picture.is_switch(node_of(port.name)) and picture.is_switch(node_of(peer))


def _checked(checked: Readings) -> Iterator[Proof]:
    """The last run of ibqueryerrors, when it asked ports, all answered and none had errors."""
    ports, bad = by_attribute(checked, "fabric-ports-checked"), by_attribute(checked, "fabric-ports-bad")
    failures = [r for r in by_attribute(checked, "fabric-query-failures") if r.value]
    if ports and bad and ports[-1].value and not bad[-1].value and not failures:
        yield Proof(f"ibqueryerrors asked {ports[-1].value} ports of the fabric: none has errors above its threshold")


def _stages(stages: Readings) -> Iterator[Finding | Proof]:
    """Errors of ibdiagnet's stages; a proof where no stage counted one."""
    found = by_attribute(stages, "ibdiagnet-errors")
    wrong = [reading for reading in found if reading.value]
    classes = by_attribute(stages, "fabric-link-class")
    messages = by_attribute(stages, "ibdiagnet-message")
    if wrong:
        yield from _errors(wrong, messages)
    elif messages:
        yield _told(messages)
    elif found:
        names = [f"{reading.value} at {reading.part.name.replace(' ', '')}" for reading in classes]
        links = f"; links: {some(names, 5)}" if names else ""
        yield Proof(f"ibdiagnet found no error in {counted(len(found), 'stage')}{links}")


def _telling(messages: Sequence[Reading]) -> Sequence[Reading]:
    """Those that say what is wrong, where there are any; the others say only that something is."""
    return [r for r in messages if r.value != "finished with errors"] or messages


def _in_words(message: Reading) -> str:
    name = message.part.name.partition("/")[2]
    return str(message.value) if name == "error" else f"{name}: {message.value}"


def _told(messages: Sequence[Reading]) -> Finding:
    """Errors that ibdiagnet printed, and no stage of the summary has: it is of another run, or cut off."""
    said = some([_in_words(reading) for reading in _telling(messages)], 2)
    return finding(
        "link-errors",
        f"ibdiagnet printed {counted(len(messages), 'error')}: {said}",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(reading.ref) for reading in messages[:4]],
        remedy=[("Read what it says of each.", "grep -- '-E-' /var/tmp/ibdiagnet2/ibdiagnet2.log")],
        references=[FABRIC_TOOLS],
    )


def _errors(wrong: Sequence[Reading], messages: Sequence[Reading]) -> Iterator[Finding]:
    """One finding for each cause; stages whose errors mean none of our causes are left to the reader of the log."""
    causes: dict[str, list[Reading]] = {}
    for reading in wrong:
        stage = reading.part.name.partition("/")[2]
        cause = next((cause for word, cause in _STAGES.items() if stage.startswith(word)), None)
        if cause is not None:
            causes.setdefault(cause, []).append(reading)
    for cause, stages in causes.items():
        said = some([f"{reading.value} in {reading.part.name.partition('/')[2]}" for reading in stages])
        first = f"; the first: {_in_words(_telling(messages)[0])}" if messages else ""
        yield finding(
            cause,
            f"ibdiagnet counted errors: {said}{first}",
            severity="error",
            confidence="possible",
            evidence=[line_evidence(reading.ref) for reading in (*stages[:2], *messages[:3])],
            remedy=[("Read what it says of each.", "grep -- '-E-' /var/tmp/ibdiagnet2/ibdiagnet2.log")],
            references=[FABRIC_TOOLS],
        )
