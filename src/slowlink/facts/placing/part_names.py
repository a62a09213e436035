"""One name for each part: what a message calls by its PCI address is the part that a tool of the same node numbers.

The kernel writes ``0000:3b:00`` and ``0000:3b:00.0`` and NVIDIA's older drivers ``0:3b:00`` of one GPU.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from slowlink.model.facts import State
from slowlink.model.job import JobEvent
from slowlink.patterns import regex

PCI, PART = "pci", "part"
"""Groups of a message: the address of a device, and the name of the part there, where a tool tells it."""
_ADDRESS = regex(r"(?:([0-9a-fA-F]{1,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.([0-7]))?")


def pci_address(text: str) -> str:
    """``0:3B:00`` as ``0000:3b:00.0``; what is no address stays as it is."""
    found = _ADDRESS.fullmatch(text.strip())
    if found is None:
        return text
    domain, bus, device, function = found.groups()
    return f"{(domain or '')[-4:].zfill(4)}:{bus}:{device}.{function or '0'}".lower()


def with_part_names(events: Iterable[JobEvent], state: State | None) -> tuple[JobEvent, ...]:
    """All messages, with one form of each address (``pci``), and the GPU's or HCA's name (``part``) where known."""
    names = {
        (reading.host, str(reading.value)): reading.part.name
        for attribute in ("gpu-bus-id", "hca-bus-id")
        for reading in (state.readings[attribute].all if state is not None and attribute in state.readings else ())
        if reading.part.name != reading.value
    }
    return tuple(_named(event, names) for event in events)


def _named(event: JobEvent, names: dict[tuple[str | None, str], str]) -> JobEvent:
    printed = event.groups.get(PCI)
    if printed is None:
        return event
    address = pci_address(printed)
    part = names.get((event.host or event.ref.source, address))  # readings of a node without a name have the source's
    if part is None and address == printed:
        return event
    return replace(event, groups={**event.groups, PCI: address, **({PART: part} if part is not None else {})})
