"""GPUs of one node do not communicate peer to peer.

Between GPUs of a node NCCL uses P2P: over NVLink, xGMI or a PCIe switch. Where that is not possible, or was switched
off, the traffic goes through shared memory (``via SHM``) and crosses the CPU's memory bus twice.

Why it matters: shared memory gives 10 to 40 GB/s where NVLink gives hundreds.
How to confirm: ``nvidia-smi topo -p2p r`` and ``nvidia-smi topo -m``; ``NCCL_DEBUG=INFO`` shows ``via P2P`` or ``via
SHM``.
What to do: unset NCCL_P2P_DISABLE and NCCL_P2P_LEVEL; disable ACS and IOMMU translation; give containers the same IPC
and PID namespace.
When it is wrong: consumer GPUs and GPUs on different sockets without NVLink have no P2P; islands of bridged GPUs
(H200 NVL) use it inside each island only. Where NCCL_P2P_LEVEL was set to less than SYS, shared memory between distant
GPUs was asked for, and is a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.gpus import all_gpus
from slowlink.model.edges import Edges
from slowlink.model.facts import Environment, Hardware, Transports
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.gpu_links.remedies import SEE_ACS

CAUSES = ("p2p-disabled",)

_LIMITS = ("NVL", "PIX", "PXB", "PHB", "1", "2", "3", "4")
"""Values of NCCL_P2P_LEVEL that leave some pairs of a node without peer-to-peer access; SYS leaves none."""
_LINKED = ("nvswitch", "mesh")
"""Ways to join GPUs that give every pair of a node a path of its own."""


def check(
    transports: Transports | None, environment: Environment | None, hardware: Hardware | None
) -> Iterator[Finding]:
    """A setting proves it; SHM channels prove that P2P was not used, and the GPU says whether it could be."""
    switched_off = [s for s in (environment.settings if environment is not None else ()) if _is_off(s)]
    if switched_off:
        yield _by_setting(switched_off, transports, hardware)
    elif transports is not None:
        shm = transports.intra.of(lambda kind: kind.transport.startswith("SHM"))
        chosen = [s for s in (environment.settings if environment is not None else ()) if _is_limit(s)]
        if shm:
            yield _shared_memory(shm, transports, hardware, chosen)


def _is_off(setting: EnvSetting) -> bool:
    if setting.name == "NCCL_P2P_DISABLE":
        return setting.value not in ("0", "")
    return setting.name == "NCCL_P2P_LEVEL" and setting.value.upper() in ("LOC", "0")


def _is_limit(setting: EnvSetting) -> bool:
    """Somebody chose how far apart GPUs may be: where only PCIe joins them, shared memory beyond that is as asked."""
    return setting.name == "NCCL_P2P_LEVEL" and setting.value.upper() in _LIMITS


def _by_setting(settings: list[EnvSetting], transports: Transports | None, hardware: Hardware | None) -> Finding:
    """Between GPUs with links of their own, or in a log that shows traffic inside nodes, it costs bandwidth."""
    name, value = settings[0].name, settings[0].value
    fabric = _fabric(hardware)
    costly = fabric in _LINKED or (fabric is None and transports is not None and transports.intra)
    return finding(
        "p2p-disabled",
        f"{name}={value} turns peer-to-peer between GPUs off; their traffic goes through shared memory",
        severity="error" if costly else "warning",
        confidence="certain",
        suspects=suspects("setting", [name]),
        evidence=lines_evidence(s.ref for s in settings),
        explains=["busbw-below-expected"],
        remedy=[("Take the setting out.", command("unset", as_variable(name)))],
        references=[f"{NCCL_ENV}#{name.lower().replace('_', '-')}"],
    )


def _fabric(hardware: Hardware | None) -> str | None:
    """How the catalogue says these GPUs are joined; None when the GPU is not known."""
    entry = all_gpus().get(hardware.gpu) if hardware is not None and hardware.gpu is not None else None
    return entry.fabric if entry is not None else None


def _shared_memory(shm: Edges, transports: Transports, hardware: Hardware | None, chosen: list[EnvSetting]) -> Finding:
    direct = any(kind.transport.startswith("P2P") for kind in transports.intra.kinds)
    severity, confidence = _weight(hardware, islands=direct)
    asked = chosen[0] if chosen and _fabric(hardware) not in _LINKED else None
    if asked is not None:  # some pairs are farther apart than that, and only PCIe joins them
        severity, confidence = "info", "possible"
    why = f", as {asked.name}={asked.value} asks for pairs that far apart" if asked is not None else ""
    part = "some GPUs of a node reach" if direct else "the GPUs of a node reach"
    first = shm[0]
    pair = f"{first.src} and {first.dst}"
    return finding(
        "p2p-disabled",
        f"{part} one another through shared memory instead of peer to peer (ranks {pair}, {len(shm)} channel groups)"
        f"{why}",
        severity=severity,
        confidence=confidence,
        suspects=suspects("node", [process.host for process in shm.processes]),
        evidence=[line_evidence(edge.ref, observed=f"via {edge.detail}", expected="via P2P") for edge in shm[:3]],
        explains=[] if asked is not None else ["busbw-below-expected"],
        remedy=[
            ("See which pairs of GPUs can reach one another.", "nvidia-smi topo -p2p r; nvidia-smi topo -m"),
            SEE_ACS if asked is None else ("Measure with and without it.", command("unset", as_variable(asked.name))),
        ],
    )


def _weight(hardware: Hardware | None, *, islands: bool) -> tuple[Severity, Confidence]:
    """(severity, confidence) of shared memory: an error where this GPU surely has a link to its peers."""
    fabric = _fabric(hardware)
    if fabric in _LINKED:
        return "error", "certain"
    if islands and fabric != "none":
        return "error", "likely"
    return "warning", "possible"
