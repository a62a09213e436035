"""PCIe ports that reported an error while the GPU behind them was lost: two reports of one fault.

The kernel names the port (``pcieport 0000:15:01.0: DPC: containment event``), the driver names the GPU. Buses are
numbered from the processor downwards, so a device stands on a higher bus of its domain than every port above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.facts.placing.part_names import PCI, pci_address
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import happened, host_of

_REPORTS = ("kernel-pcie-contained", "kernel-pcie-silent")
_ADDRESS = regex(r"([0-9a-f]{4}):([0-9a-f]{2}):[0-9a-f]{2}\.[0-7]")


def only_ports_above(lost: Sequence[JobEvent], events: Events | None) -> bool:
    """Do ports report errors that are not corrected, and may each of them stand above a GPU that was lost?

    Then the GPU is the part to look at. A port that stands elsewhere has a fault of its own.
    """
    gpus = [(host_of(event), place) for event in lost if (place := _bus(event.groups.get(PCI, ""))) is not None]
    reports = happened(events, *_REPORTS)
    return bool(reports) and all(_is_above(report, gpus) for report in reports)


def _is_above(report: JobEvent, gpus: Sequence[tuple[str | None, tuple[str, int]]]) -> bool:
    port = _bus(report.groups.get("port", report.groups.get(PCI, "")))
    return port is not None and any(
        host == host_of(report) and domain == port[0] and bus >= port[1] for host, (domain, bus) in gpus
    )


def _bus(address: str) -> tuple[str, int] | None:
    """Domain and bus of an address in the form of ``pci_address``."""
    found = _ADDRESS.fullmatch(pci_address(address))
    return (found[1], int(found[2], 16)) if found is not None else None
