"""A link of the fabric corrupts or loses packets, as its ports count.

Error counters of a port grew between two readings; or they are not zero in the only one there is, which may tell of the
day the cable was plugged in. Counters that stay at 255 or 65535 are full: how much they missed is not known.

Why it matters: a corrupted packet is sent again, or breaks a queue pair; one such link slows all ranks.
How to confirm: ``ibqueryerrors -k`` (or ``perfquery -R``) clears; run the job; ``ibqueryerrors`` shows what grew.
What to do: clean, reseat or replace the cable or transceiver of the link; then the port.
When it is wrong: counters since a reboot or a maintenance; then the second reading is as the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.fabric import Picture, now
from slowlink.facts.readings import by_attribute
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_counts import ERRORS, FLAPS, Rise, grown, of_ports, read_twice, standing
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, LOST_LINK, port_suspects, some

CAUSES = ("link-errors", "link-flapping")

Counters = Annotated[
    Readings,
    Of(
        "port-symbol-errors",
        "port-link-error-recovery",
        "port-local-link-integrity-errors",
        "port-excessive-buffer-overruns",
        "port-local-physical-errors",
        "port-rcv-errors",
        "port-link-downed",
        "fabric-ports-checked",
    ),
]


def check(
    counters: Counters,
    fabric: Annotated[Readings, Of("link-lid", "link-guid", "fabric-ports-checked", "link-peer", "fabric-node-type")],
) -> Iterator[Finding | Proof]:
    """Links whose counters grew, links that lost their link, then ports with counters that are merely not zero."""
    found = of_ports(counters.all)
    checks = by_attribute(counters, "fabric-ports-checked")
    rising = [rise for rise in grown(found, checks) if rise.last.attribute in (*ERRORS, FLAPS)]
    errors = [rise for rise in rising if rise.last.attribute != FLAPS]
    flaps = [rise for rise in rising if rise.last.attribute == FLAPS]
    seen = now(fabric.all)
    if errors:
        yield _grew(seen, "link-errors", errors, "counted errors between two readings")
    if flaps:
        yield _grew(seen, "link-flapping", flaps, "lost their link between two readings")
    before = standing(found, rising)
    if before:
        yield _standing(seen, before, _clean(found))
    yield from _proof(found, rising)


def _grew(seen: Sequence[Picture], cause: str, rises: Sequence[Rise], what: str) -> Finding:
    ports = list(dict.fromkeys(rise.last.part.name for rise in rises))
    text = f"{counted(len(ports), 'port')} of the fabric {what}: {some([rise.words for rise in rises])}"
    return finding(
        cause,
        text,
        severity="error",
        confidence="certain",
        evidence=[line_evidence(rise.last.ref, observed=f"+{rise.by}", expected="no growth") for rise in rises[:4]],
        suspects=port_suspects(_picture(seen), ports),
        explains=LOST_LINK,
        remedy=[("Read the cable of the link, from both ends.", "mlxlink -d lid-LID -p PORT -m -c -e")],
        references=[FABRIC_TOOLS],
    )


def _standing(seen: Sequence[Picture], rises: Sequence[Rise], clean: int) -> Finding:
    ports = list(dict.fromkeys(rise.last.part.name for rise in rises))
    text = (
        f"{counted(len(ports), 'port')} of the fabric counted errors at some time: "
        f"{some([rise.words for rise in rises])}"
        + (f", {counted(clean, 'other')} none" if clean else "")
        + "; a second reading tells whether they still do"
    )
    return finding(
        "link-errors",
        text,
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(rise.last.ref) for rise in rises[:4]],
        suspects=port_suspects(_picture(seen), ports[:20]),
        remedy=[
            ("Clear the counters, run the job, and read them again.", "ibqueryerrors -k; ...; ibqueryerrors"),
            ("Or read them twice, and compare.", "perfquery -x LID PORT"),
        ],
        references=[FABRIC_TOOLS],
    )


def _picture(seen: Sequence[Picture]) -> Picture:
    """The fabric in which ports are looked up."""
    return seen[0] if seen else Picture("", None, {}, {})


def _clean(found: dict[str, list[Reading]]) -> int:
    """Ports whose error counters were read, and are all 0."""
    read = {r.part for name in ERRORS for r in found.get(name, ())}
    return len(read - {r.part for name in ERRORS for r in found.get(name, ()) if r.value})


def _proof(found: dict[str, list[Reading]], rising: Sequence[Rise]) -> Iterator[Proof]:
    twice = read_twice(found)
    clean = _clean(found)
    if twice and not rising:
        yield Proof(f"the error counters of {counted(twice, 'fabric port')} were read twice, and none grew")
    elif clean and not rising:
        of = {reading.part for series in found.values() for reading in series}
        yield Proof(f"no errors were counted at {clean} of {counted(len(of), 'fabric port')} since they were cleared")
