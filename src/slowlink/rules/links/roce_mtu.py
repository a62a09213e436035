"""The MTU of RoCE, which the kernel derives from that of the network interface."""

from __future__ import annotations

HEADERS = 96
"""Bytes that the kernel leaves for headers, the longest there are: 40 GRH, 8 UDP, 12 BTH, 4 XRC, 28 atomic, 4 ICRC
(Linux, include/rdma/ib_addr.h)."""

_SIZES = (4096, 2048, 1024, 512, 256)
"""The MTUs of RDMA (InfiniBand Architecture Specification, volume 1, PathRecord)."""


def roce_mtu(interface_mtu: int) -> int | None:
    """The largest that fits into an interface's MTU, both in bytes; None where none does: RoCE has no MTU then."""
    return next((size for size in _SIZES if size + HEADERS <= interface_mtu), None)
