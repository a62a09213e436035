"""Interrupts of an HCA do not reach the processor.

An HCA says by an interrupt that a command of its driver is done, or that a queue has something. Between stands the
IOMMU, which lets only those interrupts through that the kernel has entered in its table; it logs each that it refuses
with the device. The driver of an HCA that hears nothing looks by itself when the time is over, finds the command done,
and says that it recovered. Each of the two alone may have another reason; both of one PCI device are this cause.

Why it matters: setting up queues takes a time-out (seconds to a minute) for each command, completions are found late,
and what waits for them fails: jobs start slowly or not at all.
How to confirm: ``grep mlx5 /proc/interrupts`` twice, under load: counts that stand still;
``dmesg -T | grep -E 'INTR-REMAP|ADDRESS'``.
What to do: update kernel, firmware of the machine and of the HCA; turn off what takes interrupts another way (VMD, a
virtual machine monitor's passing on of the device), or interrupt remapping as a test (``intremap=off``).
When it is wrong: a device that a virtual machine had before may leave such lines while it is handed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, happened, hosts_of, listed, refs_of

CAUSES = ("hca-interrupts-lost",)

_ANY_DOMAIN = "0000"
"""What an address has in front that is told without its PCI domain."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for all HCAs with refused interrupts and commands that were done unheard."""
    refused = happened(events, "kernel-interrupt-refused")
    late = happened(events, "mlx5-command-recovered", "kernel-hca-timeout")
    both = {_device(event) for event in refused} & {_device(event) for event in late}
    refused = tuple(event for event in refused if _device(event) in both)
    late = tuple(event for event in late if _device(event) in both)
    if refused:
        yield _finding(refused, late)


def _device(event: JobEvent) -> tuple[str | None, str]:
    """Node and PCI address, written in one way: the IOMMU of one machine writes 0xc5:0x00.1, its HCA 0000:c5:00.1."""
    address = event.groups.get("pci", "").lower().replace("0x", "")
    return event.host, address if address.count(":") != 1 else f"{_ANY_DOMAIN}:{address}"


def _commands(late: tuple[JobEvent, ...]) -> int:
    """How many commands were late, or the fewest that explain the lines: for one the driver prints that it found the
    completion, and that it recovered; or that none came, and that the time is over."""
    told: Counter[tuple[object, ...]] = Counter()
    for event in late:
        key = (_device(event), event.kind, event.groups.get("command"))
        told[key] = max(told[key], event.count)
    named = sum(count for (*_, command), count in told.items() if command)
    return named or sum(told.values())


def _finding(refused: tuple[JobEvent, ...], late: tuple[JobEvent, ...]) -> Finding:
    devices = sorted({address for _, address in map(_device, late)})
    hosts = hosts_of((*refused, *late))
    return finding(
        "hca-interrupts-lost",
        f"{at_hosts(hosts)}the IOMMU refuses interrupts of the HCA {listed(devices)}, whose driver hears of its "
        f"commands only after their time is over ({_commands(late)} of them)",
        severity="error",
        confidence="likely",
        evidence=lines_evidence([*refs_of(refused)[:2], *refs_of(late)[:2]]),
        suspects=(*suspects("hca", devices), *suspects("node", hosts)),
        explains=("hca-fatal-error", "hca-driver-failed", "error-unexplained", "slow-init", "rank-stuck"),
        remedy=[
            ("See whether the counts of the HCA's interrupts move under load.", "grep mlx5 /proc/interrupts"),
            ("Read what the IOMMU and the driver say of the device.", "dmesg -T | grep -E 'INTR-REMAP|mlx5_core'"),
            ("Update the kernel and the firmware of machine and HCA.", ""),
        ],
    )
