"""The driver refuses peer-to-peer between GPUs that a link joins.

``nvidia-smi topo -p2p`` and ``rocm-smi --showtopoaccess`` say for each pair whether one GPU may read and write the
other's memory. Between GPUs without a link a refusal is normal for the chipset; between linked ones, or by a registry
key, it is a fault of the set-up.

Why it matters: their traffic goes through the CPU's memory, at a tenth of the speed.
How to confirm: compare ``nvidia-smi topo -p2p r`` with ``nvidia-smi topo -m``; look for ``via SHM`` in NCCL's log.
What to do: look for ACS and the IOMMU on the PCIe bridges, for virtualisation, confidential computing and MIG, and for
NVreg_RegistryDwords in the driver's options.
When it is wrong: MIG instances never have peer-to-peer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.gpu_links import is_direct
from slowlink.facts.readings import by_attribute, latest, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.gpu_links.remedies import SEE_ACS

CAUSES = ("p2p-disabled",)

_STATES = ("gpu-pair-p2p-read", "gpu-pair-p2p-write", "gpu-pair-p2p-nvlink", "gpu-pair-access")
_BY_KEY = "DR"
_REFUSED = {"CNS": "chipset", "GNS": "GPU", "TNS": "topology", "NS": "not supported"}
_REASONS = {**_REFUSED, _BY_KEY: "disabled by a registry key"}
"""Words of the legend below nvidia-smi's matrix."""


def check(
    states: Annotated[
        Readings,
        Of(*_STATES),
    ],
    links: Annotated[Readings, Of("gpu-pair-link")] | None,
) -> Iterator[Finding]:
    """One finding for all pairs of all nodes."""
    joined = latest(by_attribute(links, "gpu-pair-link")) if links is not None else {}
    refused: list[Reading] = []
    for attribute in _STATES:
        for reading in latest(by_attribute(states, attribute)).values():
            link = joined.get((node_of(reading), reading.part))
            linked = link is not None and is_direct(str(link.value))
            if reading.value == _BY_KEY or (linked and _is_refusal(reading)):
                refused.append(reading)
    if not refused:
        return
    pairs = tuple(dict.fromkeys(reading.part.name for reading in refused))
    yield finding(
        "p2p-disabled",
        f"{on_nodes(refused)}the driver refuses peer-to-peer between GPUs {', '.join(pairs[:4])}"
        f"{f' and {len(pairs) - 4} more pairs' if len(pairs) > 4 else ''} ({_why(refused)})",
        severity="error",
        confidence="certain",
        evidence=reading_evidence(refused, expected="OK"),
        suspects=(*suspects("gpu-pair", pairs), *node_suspects(refused)),
        explains=("busbw-below-expected",),
        remedy=[
            ("See which pairs may, and over which path.", "nvidia-smi topo -p2p r; nvidia-smi topo -m"),
            SEE_ACS,
        ],
        references=[NCCL_TROUBLESHOOTING],
    )


def _is_refusal(reading: Reading) -> bool:
    return reading.value is False or reading.value in _REFUSED


def _why(refused: list[Reading]) -> str:
    said = (_REASONS.get(str(reading.value), "no access") for reading in refused)
    return ", ".join(dict.fromkeys(said))
