"""Channel lines: which transport carries each pair of ranks, and the ring order dump that looks like them.

The bracket after a rank is an NVML index from 2.18.3 on and a bus id before and in RCCL: it is kept as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from slowlink.model.edges import EdgeKind
from slowlink.model.nccl import RingOrder
from slowlink.parsers.nccl.nccl_log.message import At, Keep, NcclMessage, Sample, harmless, sample
from slowlink.patterns import regex

_EDGE = regex(
    r"Channel \w{1,4}(?:/(?P<connection>\d{1,3}))? : (?P<src>\d{1,9})\[(?P<src_dev>[0-9A-Za-z]*)\] -> "
    r"(?P<dst>\d{1,9})\[(?P<dst_dev>[0-9A-Za-z]*)\](?: \[(?P<side>send|receive)\])? via (?P<via>\S.*)"
)
_RCCL_TAIL = regex(r" comm 0x[0-9a-fA-F]+ nRanks \d+")
_NET = regex(r"NET/(?P<name>[^/]+)/(?P<device>\d{1,9})(?:\((?P<proxy>\d{1,9})\))?(?P<flags>(?:/[^/\s]+)*)")
_COLLNET = regex(
    r"CollNet \d+/(?P<connection>\d{1,3}) : (?P<rank>\d{1,9}) \[(?P<side>send|receive)\] "
    r"via COLLNET/(?P<name>[^/]+)/(?P<device>\d{1,9})(?P<flags>(?:/[^/\s]+)*)"
)
_RDMA = regex(r"IB|AWS|OFI|Libfabric|libfabric|gIB|GIB|UCX|RoCE|cxi|CXI|efa|EFA|SHARP")
"""Begins the names of networks that can read GPU memory; of others the missing ``/GDRDMA`` proves nothing."""


class Via(NamedTuple):
    """The text after ``via``, taken apart."""

    transport: str
    net_device: int | None = None
    proxy_rank: int | None = None
    gdr: bool | None = None
    shared: bool = False


class EdgeValues(NamedTuple):
    """What the text of a channel line says, which is the same on every line that repeats it."""

    src: int
    dst: int
    kind: EdgeKind
    after: str
    """What stands behind the two ranks."""


def _uses_gdr(name: str, flags: str) -> bool | None:
    if "/GDRDMA" in flags:
        return True
    return False if _RDMA.match(name) else None


def read_via(via: str) -> Via | None:
    """Take ``NET/IB/2(3)/GDRDMA/Shared``, ``P2P/CUMEM/read`` or ``SHM/direct/direct`` apart; None for anything else."""
    match = _NET.match(via)
    if match is not None:
        name, flags = match["name"], match["flags"]
        proxy = int(match["proxy"]) if match["proxy"] else None
        return Via(f"NET/{name}", int(match["device"]), proxy, _uses_gdr(name, flags), "/Shared" in flags)
    if via.startswith("P2P/"):
        return Via("/".join(via.split("/")[:2]))
    if via.startswith("SHM") or via == "direct shared memory":
        return Via("SHM")
    return None


def read_edge(match: re.Match[str]) -> EdgeValues | None:
    """What a match of ``EDGE`` says; None when the line is torn inside the transport, or names one that is unknown."""
    connection = int(match["connection"]) if match["connection"] else None
    kind = kind_of(match["src_dev"], match["dst_dev"], match["side"], connection, match["via"])
    if kind is None:
        return None
    return EdgeValues(int(match["src"]), int(match["dst"]), kind, match.string[match.end("dst_dev") + 1 :])


def kind_of(src_dev: str, dst_dev: str, side: str | None, connection: int | None, carried: str) -> EdgeKind | None:
    """What these texts say; None for a torn or unknown transport. ``carried`` stands behind ``via``."""
    detail, via = _carried(carried)
    if via is None:
        return None
    return EdgeKind(src_dev, dst_dev, side, via.transport, detail, *via[1:], connection)


@lru_cache(1 << 12)
def _carried(text: str) -> tuple[str, Via | None]:
    """The text behind ``via``, without what RCCL adds, and taken apart: a job has few."""
    detail = _RCCL_TAIL.sub("", text).rstrip()
    return detail, read_via(detail)


def read_collnet(match: re.Match[str]) -> EdgeValues:
    """What a match of ``COLLNET`` says: one end of the edge is the switch."""
    rank, sends = int(match["rank"]), match["side"] == "send"
    return EdgeValues(
        src=rank if sends else -1,  # the other end is the switch, which has no rank
        dst=-1 if sends else rank,
        kind=EdgeKind(
            src_dev="",
            dst_dev="",
            side=match["side"],
            transport=f"COLLNET/{match['name']}",
            detail=match.string.partition(" via ")[2].rstrip(),
            net_device=int(match["device"]),
            gdr="/GDRDMA" in match["flags"],
            connection=int(match["connection"]),
        ),
        after="",
    )


def _ring(match: re.Match[str], at: At) -> Iterator[RingOrder]:
    ranks = tuple(int(rank) for rank in match["ranks"].split())
    yield RingOrder(int(match["channel"]), int(match["nchannels"]), ranks, bool(match["cut"]), at.process, at.ref)


EDGE = NcclMessage(
    _EDGE.pattern,
    (
        *sample("2.7-2.11", "Channel 00 : 0[1b000] -> 8[1b000] [send] via NET/IB/0/GDRDMA"),
        *sample("2.7-2.12", "Channel 01 : 0[1b000] -> 1[1c000] via direct shared memory"),
        *sample("2.7-2.13", "Channel 02 : 3[b3000] -> 2[9b000] via P2P/IPC/read"),
        *sample(
            "2.12+",
            "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/2(3)/GDRDMA/Shared",
            "Channel 00/0 : 8[0] -> 0[0] [receive] via NET/AWS Libfabric/0/GDRDMA",
            "Channel 01/1 : 0[0] -> 8[0] [send] via NET/Socket/0",
        ),
        *sample("2.14+", "Channel 00/0 : 0[0] -> 1[1] via P2P/direct pointer/read"),
        *sample("2.18+", "Channel 11/1 : 0[0] -> 1[1] via P2P/CUMEM/read"),
        *sample("2.20+", "Channel 11/0 : 0[0] -> 4[0] via P2P/MNNVL"),
        *sample("2.13+", "Channel 03 : 0[0] -> 1[1] via SHM/direct/direct"),
        *sample("2.26+", "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/1/GDRDMA(PCI)"),
        *sample("RCCL 2.21", "Channel 03/0 : 0[c1000] -> 1[c6000] via P2P/IPC comm 0x55d0c5e0b2a0 nRanks 08"),
        *sample("all", "Channel 02/0 : 4[4] -> 2[2] via P2P/indirect/3[3]"),
    ),
    None,
    Keep.EACH,
    bare=True,
)
COLLNET = NcclMessage(
    _COLLNET.pattern,
    (Sample("2.7+", "CollNet 00/0 : 3 [send] via COLLNET/SHARP/0/GDRDMA"),),
    None,
    Keep.EACH,
)

MESSAGES = (
    EDGE,
    COLLNET,
    NcclMessage(
        r"Channel (?P<channel>\d{1,4})/(?P<nchannels>\d{1,4}) : (?P<ranks>(?: *\d{1,7}(?![\d\[]))+)(?P<cut> ?\.\.\.)?",
        sample("all", "Channel 00/08 :    0   1   2   3", "Channel 01/02 :    0   1   2   3 ..."),
        _ring,
        subsystem="INIT",
        bare=True,
    ),
    harmless(
        r"(?:rank \d+ )?Connected (?!to proxy)|NVLS Head |Launch mode ",
        *sample(
            "all",
            "Connected all rings",
            "Connected all rings, use ring PXN 0 GDR 1",
            "Connected all trees",
            "rank 3 Connected CollNet",
            "NVLS Head  0:  0  8",
            "Launch mode Parallel",
        ),
    ),
)
