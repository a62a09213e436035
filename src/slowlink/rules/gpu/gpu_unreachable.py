"""nvidia-smi or amd-smi reaches no GPU or no driver.

The tool says that no device was found, or that it could not talk to the driver: the kernel module is not loaded (a new
kernel without a module for it, Secure Boot, a failed update), or every GPU failed to start.

Why it matters: no GPU of the node can be used.
How to confirm: ``lsmod | grep nvidia``; ``lspci -d 10de:``; ``dmesg | grep -e NVRM -e nvidia`` shows which of the two.
What to do: load or install the module for this kernel (``dkms status``); if it is loaded, reboot with power off.
When it is wrong: the command was run where no GPU is: on a login node, in a container or job without GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, happened, hosts_of, refs_of

CAUSES = ("gpu-missing",)

_SAYS = {
    "nvidia-smi-no-driver": "nvidia-smi cannot talk to the driver: the kernel module is not loaded, or failed",
    "amd-smi-no-driver": "AMD's tools cannot talk to the driver: the module amdgpu is not loaded, or failed",
    "nvidia-smi-no-device": "nvidia-smi finds no GPU: none was handed in, or none started",
}
_SEE = {False: "lsmod | grep nvidia; lspci -d 10de:", True: "lsmod | grep amdgpu; lspci -d 1002:"}
_WHY = {False: "dmesg | grep -e NVRM -e nvidia; dkms status", True: "dmesg | grep amdgpu; dkms status"}


def check(events: Events) -> Iterator[Finding]:
    """One finding for each kind."""
    for kind, words in _SAYS.items():
        found = happened(events, kind)
        if found:
            yield finding(
                "gpu-missing",
                f"{at_hosts(hosts_of(found))}{words}",
                severity="critical",
                confidence="likely",
                evidence=lines_evidence(refs_of(found)),
                suspects=suspects("node", hosts_of(found)),
                explains=("tool-failed", *FAILED_RUN),
                remedy=[
                    ("See whether the module is loaded and the GPUs are there.", _SEE[kind.startswith("amd")]),
                    ("See why it failed.", _WHY[kind.startswith("amd")]),
                ],
                references=[NVIDIA_SMI],
            )
