"""NCCL was given a topology instead of reading the machine's.

NCCL_TOPO_FILE replaces or completes what NCCL finds in sysfs. Cloud providers ship such files for virtual machines
that hide the real topology. A file for another type of machine makes NCCL choose wrong HCAs and rings.

Why it matters: wrong paths cost half of the bandwidth or more, and nothing else in the log looks wrong.
How to confirm: ``NCCL_TOPO_DUMP_FILE=topo.xml`` with and without the file, compared with ``nvidia-smi topo -m``.
What to do: use the provider's file for exactly this machine type, or unset the variable.
When it is wrong: with the provider's file on its machine the setting is right, and needed. So a file that nobody is
known to ship is only a note, and one that comes with the platform (``catalog/platforms/settings.toml``) or that a
plug-in names itself is not reported; unless it is for machines with other GPUs, or NCCL's topology shows a GPU on a
narrower PCIe link than the others: that is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.platforms.settings import TOPOLOGY_FILES, platform_file
from slowlink.model.facts import Environment, Hardware, Topology
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.pcie.nccl_pci_links import uneven

CAUSES = ("topology-overridden",)

_FOLLOWS = (
    *("pcie-link-degraded", "gpu-nic-affinity-wrong", "busbw-below-expected"),
    *("nvls-unavailable", "p2p-disabled"),
)
"""What NCCL sees wrongly then: links that the file leaves out are not used."""


def check(environment: Environment, topology: Topology | None, hardware: Hardware | None) -> Iterator[Finding]:
    """A note on a file of unknown origin; a warning where it is of another machine, or the GPUs of the tree are not
    connected alike."""
    found = [s for s in environment.settings if s.name in TOPOLOGY_FILES and s.value]
    odd = uneven(topology) if topology is not None else ()
    other = [s for s in found if not _fits(s, hardware)]
    chosen = other or [s for s in found if odd or not s.made_by]
    if not chosen:
        return
    setting = chosen[0]
    yield finding(
        "topology-overridden",
        f"{setting.name}={setting.value} "
        + ("describes a machine with other GPUs" if other else "replaces the topology that NCCL would find")
        + (", and its GPUs are not connected alike" if odd else ""),
        severity="warning" if odd or other else "info",
        confidence="likely" if other else "possible",
        evidence=(line_evidence(setting.ref), *(line_evidence(link.ref) for link in odd[:2])),
        suspects=suspects("setting", [setting.name]),
        explains=_FOLLOWS if odd or other else (),
        remedy=[
            (
                "Compare with what NCCL finds itself.",
                command("env", "-u", as_variable(setting.name), "NCCL_TOPO_DUMP_FILE=topo.xml", "..."),
            )
        ],
        references=[f"{NCCL_ENV}#nccl-topo-file"],
    )


def _fits(setting: EnvSetting, hardware: Hardware | None) -> bool:
    """Is the file of a machine with these GPUs, as far as its path says?"""
    file = platform_file(setting.value)
    return file is None or hardware is None or hardware.mentioned or file.fits(hardware.gpu)
