"""GPUDirect RDMA: what NCCL decided for each GPU and HCA, and what it could have used.

No message of NCCL names the peer-memory module. The proof that GPUDirect RDMA is in use is ``/GDRDMA`` in a channel
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import GdrDecision
from slowlink.parsers.nccl.nccl_log.message import At, Marker, NcclMessage, Sample, harmless, sample


def _for_hca(match: re.Match[str], at: At) -> Iterator[GdrDecision]:
    if match["net"].startswith("Socket"):
        return  # TCP never reads GPU memory: "Disabled" decides nothing there
    enabled = match["state"] == "Enabled"
    reason = "no module" if match["reason"] else None
    yield GdrDecision(enabled, match["hca"], match["index"], None, None, None, reason, at.process, at.ref, at.count)


def _for_gpu(match: re.Match[str], at: At) -> Iterator[GdrDecision]:
    enabled = match["state"] == "Enabled"
    yield GdrDecision(
        enabled,
        None,
        match["index"],
        match["gpu"],
        int(match["distance"]),
        int(match["limit"]),
        None if enabled else "distance",
        at.process,
        at.ref,
        at.count,
    )


def _described(match: re.Match[str], at: At) -> Iterator[GdrDecision]:
    enabled = match["state"] == "Enabled"
    yield GdrDecision(enabled, None, None, None, None, None, None, at.process, at.ref, at.count)


def _dmabuf(_: re.Match[str], at: At) -> Iterator[Marker]:
    yield Marker("dmabuf", at.process, at.ref)


MESSAGES = (
    NcclMessage(
        r"NET/(?P<net>\w[\w -]*?) ?: GPU Direct RDMA (?P<state>Enabled|Disabled) for HCA "
        r"(?P<index>\d+) '(?P<hca>[^']*)'"
        r"(?P<reason> \(no module\))?",
        (
            Sample("2.7-2.12", "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)"),
            *sample(
                "2.13+",
                "NET/IB : GPU Direct RDMA Enabled for HCA 3 'mlx5_3'",
                "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'",
                "NET/AWS Libfabric : GPU Direct RDMA Enabled for HCA 0 'rdmap16s27'",
            ),
        ),
        _for_hca,
        subsystem="NET",
        bare=True,
    ),
    NcclMessage(
        r"GPU Direct RDMA (?P<state>Enabled|Disabled) for GPU (?P<gpu>\S+) / HCA (?P<index>\w+) "
        r"\(distance (?P<distance>\d{1,6}) (?:<=|>) (?P<limit>\d{1,6})\)",
        (
            *sample(
                "2.7-2.20",
                "GPU Direct RDMA Enabled for GPU b3000 / HCA 0 (distance 4 <= 4), read 0",
                "GPU Direct RDMA Disabled for GPU 81000 / HCA 1 (distance 7 > 4)",
            ),
            Sample("2.21-2.23", "GPU Direct RDMA Enabled for GPU b3000 / HCA 1a (distance 3 <= 5), read 1"),
            Sample("2.26", "GPU Direct RDMA Enabled for GPU 5 / HCA 2 (distance 4 <= 5), read 1 mode Default"),
        ),
        _for_gpu,
        subsystem="NET",
        bare=True,
    ),
    NcclMessage(
        r"GPU Direct RDMA (?P<state>Enabled|Disabled) for (?!GPU \S+ / HCA|HCA )\S",
        sample("2.29", "GPU Direct RDMA Enabled for rank 3 to net 2 (PXB)"),
        _described,
        subsystem="NET",
    ),
    NcclMessage(
        r"DMA-BUF is available on GPU device (?P<device>-?\d+)",
        sample("2.13+", "DMA-BUF is available on GPU device 0"),
        _dmabuf,
        subsystem="INIT",
        bare=True,
    ),
    harmless(r"GPU/|GDRCOPY |DMA_BUF Support", Sample("RCCL", "DMA_BUF Support Enabled")),
)
