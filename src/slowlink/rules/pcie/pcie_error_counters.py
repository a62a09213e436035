"""The kernel's counters of PCIe errors grew between two readings, on a GPU, an HCA or the port above.

``aer_dev_correctable``, ``aer_dev_nonfatal`` and ``aer_dev_fatal`` count since the node started, and a start adds some,
so only growth counts: a handful of corrected errors is a warning, more are an error, and so is any that was not
corrected. A great total that was read once is a warning, for it may be old; so is a single fatal error of a GPU or HCA
that was counted or noted (lspci's ``DevSta``: ``FatalErr+``). Packets sent again that the device noted are worth a
second look (``CESta``: ``BadTLP+``).

Why it matters: each corrected error is a packet that is sent again; after one that is not corrected the device may be
gone.
How to confirm: read the files again under load; compare with the same device of another node.
What to do: reseat the card, its riser or cable; compare with a sound node; update firmware; then replace the part.
When it is wrong: a reset of the device between the two readings adds a few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import Growth, by_attribute, latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding, Suspect
from slowlink.model.state import Reading
from slowlink.parting import parted
from slowlink.rules.evidence.counters import growth_evidence, growth_of_each
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import RAS
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.pcie.behind_ports import GPU, HCA, OTHER, UNKNOWN, Devices, devices
from slowlink.rules.pcie.remedies import RESEAT, SLOWED_BY_ERRORS, counters_command

CAUSES = ("pcie-errors",)
_CORRECTED, _NOTED = "pcie-corrected-errors", "pcie-resent"
_FATAL, _BITS = "pcie-fatal-errors", "pcie-error-bits"


class Params(Struct, frozen=True):
    """Which counts are normal. No vendor publishes one; sound links count none for months."""

    few: int = 10
    """Corrected errors of one device between two readings: up to here a warning."""
    many_in_all: int = 1000
    """Corrected errors since the node started, read once."""
    picked: int = 2
    """Devices whose counters somebody asked for by name. Who reads those of all devices reads those of storage, too, so
    there a device that nothing names is no more than a warning."""


def check(
    counters: Annotated[Readings, Of(_CORRECTED, "pcie-nonfatal-errors", _FATAL, _NOTED, _BITS)],
    places: Annotated[Readings, Of("pci-role", "pci-buses", "gpu-bus-id", "hca-bus-id")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for counters that grew by much, one for those that grew by little, one for great totals, one for
    fatal errors of some time, one for what devices noted."""
    known = devices(places, ())
    counted = [reading for reading in counters.all if reading.attribute not in (_NOTED, _BITS)]
    mine = [reading for reading in counted if _kind(known, reading) != OTHER]
    read_twice = growth_of_each(mine)
    grown = [each for each in read_twice if each.by > 0]
    picked = len({(reading.host, reading.part) for reading in mine}) <= params.picked
    named, others = parted(
        grown,
        lambda each: (
            (each.last.attribute != _CORRECTED or each.by > params.few)
            and (picked or _kind(known, each.last) != UNKNOWN)
        ),
    )
    for found, sure in ((named, True), (others, False)):
        if found:
            yield _growing(found, known, sure)
    seen = {(each.last.host, each.last.part) for each in read_twice}
    totals = latest(by_attribute(Readings(tuple(mine)), _CORRECTED)).values()
    great = [r for r in totals if (r.host, r.part) not in seen and int(r.value) > params.many_in_all]
    if great:
        yield _great(great, known)
    once = [r for r in latest(by_attribute(Readings(tuple(mine)), _FATAL)).values() if (r.host, r.part) not in seen]
    fatal = [r for r in once if int(r.value) > 0 and _kind(known, r) in (GPU, HCA)]
    bits = latest(by_attribute(counters, _BITS)).values()
    fatal += [r for r in bits if "FatalErr" in str(r.value).split() and _kind(known, r) in (GPU, HCA)]
    if fatal:
        yield _was_fatal(fatal, known)
    noted = list(latest(by_attribute(counters, _NOTED)).values())
    if noted and not grown:
        yield _noted(noted, known)


def _kind(known: Devices, reading: Reading) -> str:
    if reading.part.kind != "pci":
        return HCA
    return known.kind_of(reading.host, reading.part.name)


def _names(known: Devices, readings: Sequence[Reading]) -> str:
    words = {GPU: "GPU", HCA: "HCA", UNKNOWN: "PCI device"}
    names = (f"{words.get(_kind(known, r), 'the PCIe port')} {r.part.name}" for r in readings)
    return f"{on_nodes(readings)}{listed(list(dict.fromkeys(names)))}"


def _growing(grown: Sequence[Growth], known: Devices, sure: bool) -> Finding:
    last = [each.last for each in grown]
    worst = max(grown, key=lambda each: each.by)
    # What nothing names may be storage: a doubt that one listing of devices settles.
    named = any(_kind(known, reading) != UNKNOWN for reading in last)
    within = f" in {worst.seconds:.0f} s" if worst.seconds else " between two readings"
    return finding(
        "pcie-errors",
        f"{_names(known, last)}: {attribute(worst.last.attribute).title} grew by {worst.by}{within}",
        severity="error" if sure else "warning",
        confidence="likely" if named else "possible",
        evidence=growth_evidence(grown),
        suspects=(*_parts(last), *node_suspects(last)),
        explains=SLOWED_BY_ERRORS if sure else (),
        remedy=_remedy(last[0], named),
        references=[RAS],
    )


def _great(readings: Sequence[Reading], known: Devices) -> Finding:
    most = max(int(reading.value) for reading in readings)
    return finding(
        "pcie-errors",
        f"{_names(known, readings)} counted {most} corrected PCIe errors since the node started; whether they still "
        "come, a second reading shows",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(readings),
        suspects=(*_parts(readings), *node_suspects(readings)),
        remedy=_remedy(readings[0], named=True),
        references=[RAS],
    )


def _was_fatal(readings: Sequence[Reading], known: Devices) -> Finding:
    return finding(
        "pcie-errors",
        f"{_names(known, readings)} had a fatal PCIe error at some time since the node started or it was cleared",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(readings),
        suspects=(*_parts(readings), *node_suspects(readings)),
        remedy=[
            ("See when it was, and what the kernel did.", "dmesg -T | grep -E 'AER|pciehp|Hardware Error'"),
            *RESEAT,
        ],
        references=[RAS],
    )


def _noted(readings: Sequence[Reading], known: Devices) -> Finding:
    kinds = dict.fromkeys(kind for reading in readings for kind in str(reading.value).split())
    return finding(
        "pcie-errors",
        f"{_names(known, readings)} noted packets that were sent again ({', '.join(kinds)}); whether they still "
        "come, a second reading shows",
        severity="info",
        confidence="possible",
        evidence=reading_evidence(readings),
        suspects=(*_parts(readings), *node_suspects(readings)),
        remedy=_remedy(readings[0], named=True),
        references=[RAS],
    )


def _parts(readings: Sequence[Reading]) -> Iterator[Suspect]:
    for reading in readings:
        yield from part_suspects("hca" if reading.part.kind == "hca" else "pci", [reading])


def _remedy(first: Reading, named: bool) -> list[tuple[str, str]]:
    steps = [("Read the counters again, under load and a minute apart.", counters_command(first.part.name))]
    if not named:
        steps.append(("See which device it is.", "lspci -D | grep -Ei 'nvidia|mellanox|amd|ethernet|infiniband'"))
    return [*steps, *RESEAT]
