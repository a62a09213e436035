"""A link of the fabric corrupts or loses packets, as its ports count.

Error counters of a port grew between two readings, which is an error; or they are not zero in the only reading there
is, which is a warning (of received packets with errors only above 100): they may date from the day the cable was
plugged in. Those that stand still between two readings while data passes are no finding. Counters that stay at 255 or
65535 are full: how much they missed is not known. See docs/fabric.md, "How it is judged".

Why it matters: a corrupted packet is sent again, or breaks a queue pair; one such link slows all ranks.
How to confirm: clear with ``ibqueryerrors -k`` (or ``perfquery -R``), run the job; ``ibqueryerrors`` shows what grew.
What to do: clean, reseat or replace the cable or transceiver of the link; if that does not help, change the port.
When it is wrong: a reboot or maintenance may have raised the counters; then a second reading equals the first.
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
from slowlink.rules.fabric.fabric_counts import (
    ERRORS,
    LOST_LINKS,
    OF_OTHERS,
    TRAFFIC,
    Rise,
    clean_ports,
    counters_of_ports,
    lossy_ports,
    not_zero,
    ports_read_twice,
    ports_with_traffic,
    rises,
)
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, LOST_LINK, port_suspects, some

CAUSES = ("link-errors", "link-flapping")
DENIES = ()
"""Errors of long ago and counters that do not grow are both true."""

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
        "port-xmit-discards",
        *OF_OTHERS,
        *TRAFFIC,
        "fabric-ports-checked",
    ),
]


def check(
    counters: Counters,
    fabric: Annotated[Readings, Of("link-lid", "link-guid", "fabric-ports-checked", "link-peer", "fabric-node-type")],
) -> Iterator[Finding | Proof]:
    """Links whose counters grew, links that lost their link, then ports with counters that are merely not zero."""
    found = counters_of_ports(counters.all)
    checks = by_attribute(counters, "fabric-ports-checked")
    rising = [rise for rise in rises(found, checks) if rise.last.attribute in (*ERRORS, LOST_LINKS)]
    errors = [rise for rise in rising if rise.last.attribute != LOST_LINKS]
    flaps = [rise for rise in rising if rise.last.attribute == LOST_LINKS]
    seen = now(fabric.all)
    if errors:
        yield _grew(seen, "link-errors", errors, "counted errors between two readings")
    if flaps:
        yield _grew(seen, "link-flapping", flaps, "lost their link between two readings")
    settled = ports_read_twice(found) & ports_with_traffic(found)
    if before := [rise for rise in not_zero(found, rising) if rise.last.part not in settled]:
        yield _not_zero(seen, before, len(clean_ports(found)))
    if not rising:
        yield from _proof(found, before)


def _grew(seen: Sequence[Picture], cause: str, rising: Sequence[Rise], what: str) -> Finding:
    ports = list(dict.fromkeys(rise.last.part.name for rise in rising))
    text = f"{counted(len(ports), 'port')} of the fabric {what}: {some([rise.words for rise in rising])}"
    return finding(
        cause,
        text,
        severity="error",
        confidence="certain",
        evidence=[line_evidence(rise.last.ref, observed=f"+{rise.by}", expected="no growth") for rise in rising[:4]],
        suspects=port_suspects(_picture(seen), ports),
        explains=LOST_LINK,
        remedy=[("Read the cable of the link, from both ends.", "mlxlink -d lid-LID -p PORT -m -c -e")],
        references=[FABRIC_TOOLS],
    )


def _not_zero(seen: Sequence[Picture], found: Sequence[Rise], clean: int) -> Finding:
    ports = list(dict.fromkeys(rise.last.part.name for rise in found))
    text = (
        f"{counted(len(ports), 'port')} of the fabric counted errors at some time: "
        f"{some([rise.words for rise in found])}"
        + (f", {counted(clean, 'other')} none" if clean else "")
        + "; a second reading shows whether they still do"
    )
    return finding(
        "link-errors",
        text,
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(rise.last.ref) for rise in found[:4]],
        suspects=port_suspects(_picture(seen), ports[:20]),
        remedy=[
            ("Clear the counters, run the job, and read them again.", "ibqueryerrors -k; ...; ibqueryerrors"),
            ("Or read them twice, and compare.", "perfquery -x LID PORT"),
        ],
        references=[FABRIC_TOOLS],
    )


def _picture(seen: Sequence[Picture]) -> Picture:
    """The fabric in which the hosts of ports are looked up; an empty one where none was seen."""
    return seen[0] if seen else Picture("", None, {}, {})


def _proof(found: dict[str, list[Reading]], before: Sequence[Rise]) -> Iterator[Proof]:
    """That no port counts errors now. Where some port counted errors nobody knows when (``before``), and was not read
    again, they may go on; a few clean ports do not speak for the rest of a fabric, nor do any beside one that loses
    packets or its link (``fabric_losses.py`` says so)."""
    twice, clean = ports_read_twice(found), clean_ports(found)
    ports = {reading.part for series in found.values() for reading in series}
    if not {rise.last.part for rise in before} <= twice:
        return
    if twice:
        yield Proof(f"the error counters of {counted(len(twice), 'fabric port')} were read twice, and none grew")
    elif clean:
        text = f"no errors were counted at {len(clean)} of {counted(len(ports), 'fabric port')} since they were cleared"
        yield Proof(text, weight=int(2 * len(clean) > len(ports) and not lossy_ports(found)))
