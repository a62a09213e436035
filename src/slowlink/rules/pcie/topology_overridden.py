"""NCCL was given a topology instead of reading the machine's.

NCCL_TOPO_FILE replaces or completes what NCCL finds in sysfs. Cloud providers ship such files for virtual machines
that hide the real topology. A file for another type of machine makes NCCL choose wrong HCAs and rings.

Why it matters: wrong paths cost half of the bandwidth or more, and nothing else in the log looks wrong.
How to confirm: ``NCCL_TOPO_DUMP_FILE=topo.xml`` with and without the file, compared with ``nvidia-smi topo -m``.
What to do: use the provider's file for exactly this machine type, or unset the variable.
When it is wrong: with the provider's file on its machine the setting is right, and needed. So it is only a note, and a
warning where NCCL's topology shows a GPU on a narrower PCIe link than the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Topology
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.pcie.nccl_pci_links import uneven

CAUSES = ("topology-overridden",)

_NAMES = ("NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "MCCL_TOPO_FILE")


def check(environment: Environment, topology: Topology | None) -> Iterator[Finding]:
    """A note, and a warning where the GPUs of the tree are not connected alike."""
    found = [s for s in environment.settings if s.name in _NAMES and s.value]
    if not found:
        return
    odd = uneven(topology) if topology is not None else ()
    yield finding(
        "topology-overridden",
        f"{found[0].name}={found[0].value} replaces the topology that NCCL would find"
        + (", and its GPUs are not connected alike" if odd else ""),
        severity="warning" if odd else "info",
        confidence="possible",
        evidence=(line_evidence(found[0].ref), *(line_evidence(link.ref) for link in odd[:2])),
        suspects=suspects("setting", [found[0].name]),
        explains=("pcie-link-degraded", "gpu-nic-affinity-wrong", "busbw-below-expected") if odd else (),
        remedy=[
            (
                "Compare with what NCCL finds itself.",
                command("env", "-u", as_variable(found[0].name), "NCCL_TOPO_DUMP_FILE=topo.xml", "..."),
            )
        ],
        references=[f"{NCCL_ENV}#nccl-topo-file"],
    )
