"""A GPU or HCA is listed on the PCI bus but does not answer.

Reads of a device that fell off the bus, lost its power or hangs return ones in every bit: lspci then prints
``(rev ff)`` and "Unknown header type 7f". The device was there when the node started. A GPU of which a memory window
(BAR) has no address answers, and its driver cannot use it: the firmware left no room.

Why it matters: a rank on a GPU that is gone never arrives, and the others wait; without its HCA a GPU uses a far one,
or the job fails.
How to confirm: ``lspci -s ADDRESS -vv`` as root; ``dmesg -T | grep -E 'fallen off the bus|AER|pciehp|health'``.
What to do: drain the node; a full power cycle often brings the device back; reseat or replace it if it happens again.
When it is wrong: a device that sleeps (D3cold) looks the same; GPUs and HCAs of servers do not sleep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest, latest_of_each
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("gpu-driver-hung", "gpu-missing", "hca-missing")


def check(
    answers: Annotated[Readings, Of("pci-answers", "pci-memory-unassigned")],
    roles: Annotated[Readings, Of("pci-role")] | None,
) -> Iterator[Finding]:
    """One finding for GPUs, one for HCAs; of other devices nothing is said."""
    silent = [r for r in latest(by_attribute(answers, "pci-answers")).values() if r.value is False]
    homeless = list(latest(by_attribute(answers, "pci-memory-unassigned")).values())
    if homeless:
        yield _homeless(homeless)
    known = {(r.host, r.part): r.value for r in (latest_of_each(roles.all) if roles is not None else [])}
    gpus = [r for r in silent if known.get((r.host, r.part)) == "gpu"]
    hcas = [r for r in silent if known.get((r.host, r.part)) == "hca"]
    if gpus:
        yield _gone("gpu-driver-hung", "gpu", gpus, ("rank-lost", "process-crashed", *LOST_PEER))
    if hcas:
        yield _gone("hca-missing", "hca", hcas, ("hca-list-wrong", "gpu-nic-affinity-wrong", *LOST_PEER))


def _homeless(found: Sequence[Reading]) -> Finding:
    return finding(
        "gpu-missing",
        f"{on_nodes(found)}GPU {listed([r.part.name for r in found])}: a memory window (BAR) has no address, so the "
        "driver cannot use it",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(found, expected="an address"),
        suspects=(*part_suspects("gpu", found), *node_suspects(found)),
        remedy=[
            ("See what the kernel says of it.", "dmesg -T | grep -e 'BAR ' -e NVRM"),
            ("Allow addresses above 4 GiB (and resizable BARs) in the firmware's settings.", ""),
        ],
    )


def _gone(cause: str, kind: str, silent: Sequence[Reading], explains: Sequence[str]) -> Finding:
    return finding(
        cause,
        f"{on_nodes(silent)}{kind.upper()} {listed([r.part.name for r in silent])} on the PCI bus no longer answers",
        severity="critical",
        confidence="likely",
        evidence=reading_evidence(silent, expected="answers"),
        suspects=(*part_suspects(kind, silent), *node_suspects(silent)),
        explains=explains,
        remedy=[
            ("See what the kernel says of it.", "dmesg -T | grep -E 'fallen off the bus|AER|pciehp|health'"),
            ("Drain the node and power it off and on.", ""),
        ],
        references=[XID] if kind == "gpu" else [],
    )
