"""NICs are merged that should not be, or cannot be.

NCCL can treat several NICs as one (NCCL_NET_FORCE_MERGE, NCCL_NET_MERGE_LEVEL). NICs of different NUMA domains lie on
different paths. NCCL warns when it fuses such NICs, and when merging fails; since 2.30 it refuses, and the job does not
start. It is an error where NICs of different NUMA domains were merged and one of these variables is set, else a
warning.

Why it matters: half of the traffic of the merged device crosses the CPU's interconnect.
How to confirm: ``nvidia-smi topo -m``: merged NICs should be PIX or PXB to each other.
What to do: merge only the ports of one card, or unset the variables.
When it is wrong: in virtual machines the NUMA domains that are shown may not be the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Warnings
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import at_hosts, groups_of, hosts_of, listed, refs_of, warned

CAUSES = ("nic-fusion-invalid",)

_SETTINGS = ("NCCL_NET_FORCE_MERGE", "NCCL_NET_MERGE_LEVEL")


def check(warnings: Warnings, environment: Environment | None) -> Iterator[Finding]:
    """One finding for all merges that NCCL warns of."""
    refused, across = warned(warnings, "nic-fusion-refused"), warned(warnings, "nic-fusion-across-numa")
    found = (*refused, *across, *warned(warnings, "nic-fusion-failed"))
    if not found:
        return
    settings = [s for s in (environment.settings if environment is not None else ()) if s.name in _SETTINGS]
    if refused:
        what = "NICs of different NUMA domains are to be merged, and NCCL stops there"
    elif across:
        devices = listed([d.strip(": ") for d in groups_of(across, "devices")])
        what = f"{devices or 'NICs'} of different NUMA domains are merged into one device"
    else:
        what = "NICs could not be merged into one device"
    severity: Severity = "critical" if refused else "error" if across and settings else "warning"
    yield finding(
        "nic-fusion-invalid",
        f"{at_hosts(hosts_of(found))}{what}" + (f" ({settings[0].name}={settings[0].value})" if settings else ""),
        severity=severity,
        confidence="certain" if refused else "likely",
        evidence=(*lines_evidence(refs_of(found)), *(line_evidence(s.ref) for s in settings[:1])),
        suspects=(*suspects("setting", (s.name for s in settings)), *suspects("node", hosts_of(found))),
        explains=("busbw-below-expected", "gpu-nic-affinity-wrong"),
        remedy=[
            ("See how the NICs lie to each other.", "nvidia-smi topo -m"),
            ("Merge only the ports of one card.", "unset NCCL_NET_FORCE_MERGE NCCL_NET_MERGE_LEVEL"),
        ],
        references=[f"{NCCL_ENV}#nccl-net-force-merge"],
    )
