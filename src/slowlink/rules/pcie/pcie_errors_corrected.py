"""The PCIe link of a GPU or HCA has errors, and the hardware corrects them.

A sound link has next to none. The kernel logs each as "PCIe Bus Error: severity=Corrected" of the device or of the port
above it, and counts those that it leaves out ("callbacks suppressed"). Some in a log are a warning. More than a handful
a minute, one in each of ten minutes of an hour, or some suppressed, are an error: the link sends packets again all the
time. Errors of other devices (storage, management) are passed over; those of a port are the device's behind it.

Why it matters: each corrected error is a packet that is sent again. The link still works, at a part of its speed, and
often it falls to fewer lanes or dies later.
How to confirm: read ``/sys/bus/pci/devices/ADDRESS/aer_dev_correctable`` twice, a minute apart and under load.
What to do: reseat the card, its riser or cable; compare with a sound node; update firmware; then replace the part.
When it is wrong: a single burst when the driver loads or the device is reset is harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.model.facts import Events, Of, Readings
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity, Suspect
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import RAS
from slowlink.rules.evidence.messages import at_hosts, counted, groups_of, happened, listed
from slowlink.rules.pcie.behind_ports import GPU, HCA, OTHER, UNKNOWN, Devices, devices
from slowlink.rules.pcie.remedies import RESEAT, SLOWED_BY_ERRORS, counters_command

CAUSES = ("pcie-errors",)


class Params(Struct, frozen=True):
    """How many corrected errors of one device are many. No vendor publishes a count; a sound link has next to none."""

    in_a_minute: int = 5
    in_all: int = 50
    in_minutes: int = 10
    """Different minutes of one hour with an error each: no burst of a driver that loads."""


class _Errors(Struct, frozen=True):
    """The errors of one device on one node."""

    node: str | None
    address: str
    kind: str
    lines: tuple[JobEvent, ...]

    @property
    def name(self) -> str:
        """``GPU 0000:17:00.0``, ``the PCIe port 0000:15:01.0``."""
        return f"{self.kind} {self.part}" if self.kind in (GPU, HCA) else f"the PCIe port {self.part}"

    @property
    def part(self) -> str:
        """Its number or name where a tool tells it, else its address."""
        return next(iter(groups_of(self.lines, "part")), self.address)


def check(
    events: Events,
    places: Annotated[Readings, Of("pci-role", "pci-buses", "gpu-bus-id", "hca-bus-id")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for devices with many errors, one for those with a few."""
    lines = [e for e in happened(events, "kernel-aer", "kernel-aer-bit") if e.groups.get("pci") and _is_corrected(e)]
    if not lines:
        return
    known = devices(places, ((e.host, e.groups["pci"], e.groups.get("driver", "")) for e in lines))
    suppressed = happened(events, "kernel-aer-suppressed")
    found = _by_device(lines, known)
    told = frozenset((line.host, line.ref.source) for line in suppressed)
    judged = [(each, _is_many(each, told, params)) for each in found]
    many = [each for each, is_many in judged if is_many]
    few = [each for each, is_many in judged if not is_many and each.kind != UNKNOWN]
    named = [each for each in many if each.kind != UNKNOWN]
    if named:
        yield _finding(named, suppressed, "error", "likely")
    elif many:
        yield _finding(many, suppressed, "warning", "possible")
    if few:
        yield _finding(few, (), "warning", "likely")


def _is_corrected(event: JobEvent) -> bool:
    return event.groups.get("severity", "Corrected").startswith("Correct")


def _by_device(lines: Sequence[JobEvent], known: Devices) -> list[_Errors]:
    """Devices that carry collectives, or that nothing tells about; a port's own errors go where its device's are."""
    of_device: dict[tuple[str | None, str], list[JobEvent]] = {}
    for line in lines:
        of_device.setdefault((line.host, line.groups["pci"]), []).append(line)
    found = [_Errors(node, at, known.kind_of(node, at), tuple(each)) for (node, at), each in of_device.items()]
    sick = {(each.node, port) for each in found if each.kind in (GPU, HCA) for port in groups_of(each.lines, "port")}
    return [each for each in found if each.kind != OTHER and (each.node, each.address) not in sick]


def _is_many(errors: _Errors, suppressed: frozenset[tuple[str | None, str]], params: Params) -> bool:
    """One error is several lines of different forms: the form that was printed most often counts them. ``suppressed``:
    nodes and logs with a line about what was left out."""
    if any((errors.node, line.ref.source) in suppressed for line in errors.lines):
        return True
    hours = Counter(map(_hour, groups_of(errors.lines, "minute")))
    return (
        max(_counts(errors, by_minute=True).values()) > params.in_a_minute
        or _number(errors) > params.in_all
        or max(hours.values(), default=0) >= params.in_minutes
    )


def _hour(minute: str) -> str:
    """Of ``Nov  5 08:11``, or of ``minute 1501`` since the kernel began."""
    number = minute.removeprefix("minute ")
    return str(int(number) // 60) if number.isdecimal() else minute.rpartition(":")[0]


def _number(errors: _Errors) -> int:
    return max(_counts(errors, by_minute=False).values())


def _counts(errors: _Errors, by_minute: bool) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for line in errors.lines:
        form = "port" if "port" in line.groups else line.groups.get("bit", "error")
        # Without stamps nothing tells the pace: all lines together must then be many.
        minute = line.groups.get("minute")
        if not by_minute or minute is not None:
            counts[(form, minute or "") if by_minute else (form,)] += line.count
    return counts or Counter({("",): 0})


def _finding(
    found: Sequence[_Errors], suppressed: Sequence[JobEvent], severity: Severity, confidence: Confidence
) -> Finding:
    hosts = tuple(dict.fromkeys(each.node for each in found if each.node))
    lines = [line for each in found for line in each.lines]
    left_out = sum(int(line.groups["suppressed"]) * line.count for line in suppressed)
    more = f", and {left_out} more that the kernel did not print" if left_out else ""
    bits = groups_of(lines, "bit")
    kinds = f" ({listed(bits)})" if bits else ""
    unknown = "; which device is behind it is not shown" if all(each.kind == UNKNOWN for each in found) else ""
    number = sum(map(_number, found))
    grave = severity == "error"
    return finding(
        "pcie-errors",
        f"{at_hosts(hosts)}{listed([each.name for each in found])} logged "
        f"{counted(number, 'corrected PCIe error')}{kinds}{more}{unknown}",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence([*(line.ref for line in lines[:2]), *(line.ref for line in suppressed)]),
        suspects=(*_suspects(found), *suspects("node", hosts)),
        explains=SLOWED_BY_ERRORS if grave else (),
        remedy=[
            (
                "See whether the count grows, under load and a minute apart.",
                counters_command(found[0].address),
            ),
            *RESEAT,
        ],
        references=[RAS],
    )


def _suspects(found: Sequence[_Errors]) -> Iterator[Suspect]:
    for each in found:
        name = " ".join(filter(None, (each.node, each.part)))
        yield from suspects({GPU: "gpu", HCA: "hca"}.get(each.kind, "pci"), [name])
