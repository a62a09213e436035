"""The infoROM of a GPU is corrupted.

The infoROM of a board holds its identity, its ECC state and which memory was retired. nvidia-smi says below its table
that it cannot be read; DCGM's diagnostics isolate such a GPU.

Why it matters: rows of memory that had been remapped may come back into use, and settings such as ECC and power limits
may be lost at the next start.
How to confirm: ``nvidia-smi -q`` shows the infoROM's versions of each GPU; a corrupted one has none, or an error.
What to do: take the node out; the vendor's tool writes the infoROM anew, else the board is replaced.
When it is wrong: on a consumer card the message may be there for years and cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_pci_address, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("gpu-hardware-fault",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all GPUs that are named."""
    found = happened(events, "gpu-inforom-corrupted")
    if not found:
        return
    addresses = groups_of(found, "pci")
    gpus = tuple(f"GPU {name}" for name in (*addresses, *groups_of(found, "gpu")))
    which = listed(gpus) if gpus else "a GPU"
    look = command("nvidia-smi", "-q", "-i", as_pci_address(addresses[0])) if addresses else "nvidia-smi -q"
    yield finding(
        "gpu-hardware-fault",
        f"{at_hosts(hosts_of(found))}the infoROM of {which} is corrupted",
        severity="error",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        remedy=[
            ("Read what the GPU says of its infoROM, ECC and retired memory.", look),
            ("Take the node out; have the infoROM written anew or the board replaced.", ""),
        ],
        references=[NVIDIA_SMI],
    )
