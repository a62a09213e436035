"""GPUs of one node do not talk peer to peer.

Between GPUs of a node NCCL uses P2P: over NVLink, xGMI or a PCIe switch. When that is not possible, or was switched
off, it goes through shared memory (``via SHM``): twice over the CPU's memory bus.

Why it matters: shared memory gives 10 to 40 GB/s where NVLink gives hundreds.
How to confirm: ``nvidia-smi topo -p2p r`` and ``nvidia-smi topo -m``; ``NCCL_DEBUG=INFO`` shows ``via P2P`` or ``via SHM``.
What to do: unset NCCL_P2P_DISABLE and NCCL_P2P_LEVEL; disable ACS and IOMMU translation; give containers the same IPC and PID
namespace.
When it is wrong: consumer GPUs and GPUs on different sockets without NVLink have no P2P; islands of bridged GPUs
(H200 NVL) use it inside each island only.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.gpus import all_gpus
from slowlink.model.facts import Environment, Hardware, Transports
from slowlink.model.nccl import ChannelEdge
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.findings import finding, line, lines, suspects


def check(
    transports: Transports | None, environment: Environment | None, hardware: Hardware | None
) -> Iterator[Finding]:
    """A setting proves it; SHM channels prove that P2P was not used, and the GPU says whether it could be."""
    switched_off = [
        s
        for s in (environment.settings if environment is not None else ())
        if s.name == "NCCL_P2P_DISABLE" and s.value not in ("0", "")
    ]
    if switched_off:
        yield finding(
            "p2p-disabled",
            "NCCL_P2P_DISABLE=1 turns peer-to-peer between GPUs off; their traffic goes through shared memory",
            severity="error" if transports is not None else "warning",
            confidence="certain",
            suspects=suspects("setting", ["NCCL_P2P_DISABLE"]),
            evidence=lines(s.ref for s in switched_off),
            explains=["busbw-below-expected"],
            remedy=[("Take the setting out.", "unset NCCL_P2P_DISABLE")],
            references=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-p2p-disable"],
        )
    elif transports is not None:
        shm = [edge for edge in transports.intra if edge.transport.startswith("SHM")]
        if shm:
            yield _shared_memory(shm, transports, hardware)


def _shared_memory(shm: list[ChannelEdge], transports: Transports, hardware: Hardware | None) -> Finding:
    direct = [edge for edge in transports.intra if edge.transport.startswith("P2P")]
    severity, confidence = _weight(hardware, islands=bool(direct))
    part = "some GPUs of a node reach" if direct else "the GPUs of a node reach"
    pair = f"{shm[0].src} and {shm[0].dst}"
    return finding(
        "p2p-disabled",
        f"{part} one another through shared memory instead of peer to peer (ranks {pair}, {len(shm)} channel groups)",
        severity=severity,
        confidence=confidence,
        suspects=suspects("node", [edge.process.host for edge in shm]),
        evidence=[line(edge.ref, observed=f"via {edge.detail}", expected="via P2P") for edge in shm[:3]],
        explains=["busbw-below-expected"],
        remedy=[
            ("See which pairs of GPUs can reach one another.", "nvidia-smi topo -p2p r; nvidia-smi topo -m"),
            ("Look for ACS on the PCIe bridges.", "lspci -vvv | grep ACSCtl"),
        ],
    )


def _weight(hardware: Hardware | None, *, islands: bool) -> tuple[Severity, Confidence]:
    """How bad SHM is depends on whether this GPU has a link to its peers."""
    entry = all_gpus().get(hardware.gpu) if hardware is not None and hardware.gpu is not None else None
    if entry is not None and entry.fabric in ("nvswitch", "mesh"):
        return "error", "certain"
    if islands:
        return "error", "likely"
    return "warning", "possible"
