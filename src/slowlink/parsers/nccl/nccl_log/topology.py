"""Topology and graph search: the system tree, the graphs, the channel counts, NVLink SHARP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from slowlink.model.nccl import ChannelCounts, GraphSearch, NvlsSupport, TopologyLink, TopologySummary
from slowlink.parsers.nccl.nccl_log.message import At, Keep, NcclMessage, Sample, TreeLine, harmless, sample

_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"


def _counts(match: re.Match[str], at: At) -> Iterator[ChannelCounts]:
    def number(name: str) -> int | None:
        return int(match[name]) if match[name] is not None else None

    yield ChannelCounts(
        int(match["coll"]),
        number("collnet"),
        number("nvls"),
        int(match["p2p"]),
        number("per_peer"),
        at.process,
        at.ref,
    )


def _nvls(match: re.Match[str], at: At) -> Iterator[NvlsSupport]:
    yield NvlsSupport(match["no"] is None, int(match["device"]), at.process, at.ref)


def _graph(match: re.Match[str], at: At) -> Iterator[GraphSearch]:
    cross = match["cross"]
    yield GraphSearch(
        int(match["pattern"]),
        int(cross) if cross is not None else None,
        int(match["nchannels"]),
        float(match["intra"]),
        float(match["inter"]),
        match["type_intra"],
        match["type_inter"],
        at.process,
        at.ref,
    )


def _summary(match: re.Match[str], at: At) -> Iterator[TopologySummary | TreeLine]:
    total = match["total"]
    yield TopologySummary(float(match["max"]), float(total) if total is not None else None, at.process, at.ref)
    yield TreeLine(at.thread, -1, None, 0.0, "", at.process, at.ref)


def _root(match: re.Match[str], at: At) -> Iterator[TreeLine]:
    yield TreeLine(at.thread, 0, None, 0.0, match["node"], at.process, at.ref)


def _link(match: re.Match[str], at: At) -> Iterator[TreeLine]:
    yield TreeLine(
        at.thread, len(match["indent"]), match["kind"], float(match["bw"]), match["node"], at.process, at.ref
    )


def join(lines: Iterable[TreeLine]) -> Iterator[TopologyLink]:
    """Give every link its parent. ``lines`` come in order; trees of several threads may be interleaved."""
    above: dict[str, list[tuple[int, str]]] = {}
    for line in lines:
        stack = above.setdefault(line.thread, [])
        if line.kind is None:
            stack.clear()
            if line.node:
                stack.append((-1, line.node))
            continue
        while stack and stack[-1][0] >= line.indent:
            stack.pop()
        parent = stack[-1][1] if stack else None
        stack.append((line.indent, line.node))
        yield TopologyLink(line.kind, line.bandwidth_gbs, parent, line.node, line.process, line.ref)


MESSAGES = (
    NcclMessage(
        r"(?P<coll>\d{1,6}) coll channels(?:, (?P<collnet>\d{1,6}) collnet channels)?(?:, "
        r"(?P<nvls>\d{1,6}) nvls channels)?"
        r", (?P<p2p>\d{1,6}) p2p channels(?:, (?P<per_peer>\d{1,6}) p2p channels per peer)?",
        (
            Sample("2.7-2.16", "16 coll channels, 32 p2p channels, 2 p2p channels per peer"),
            Sample("2.17-2.19", "16 coll channels, 0 nvls channels, 32 p2p channels, 2 p2p channels per peer"),
            Sample(
                "2.20+",
                "16 coll channels, 16 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p channels per peer",
            ),
        ),
        _counts,
        subsystem="INIT",
        bare=True,
    ),
    NcclMessage(
        r"NVLS multicast support is (?P<no>not )?available on dev (?P<device>-?\d{1,9})",
        (
            Sample("2.17+", "NVLS multicast support is not available on dev 0"),
            Sample("2.27-2.29", "NVLS multicast support is available on dev 3 (NVLS_NCHANNELS 24)"),
        ),
        _nvls,
        subsystem="INIT",
        bare=True,
    ),
    NcclMessage(
        rf"Pattern (?P<pattern>\d{{1,3}})(?:, crossNic (?P<cross>\d{{1,3}}))?, nChannels (?P<nchannels>\d{{1,6}}), "
        rf"(?:bw|speed) (?P<intra>{_NUMBER})/(?P<inter>{_NUMBER}), type (?P<type_intra>\w+)/(?P<type_inter>\w+)",
        (
            Sample(
                "2.7-2.13",
                "Pattern 4, crossNic 0, nChannels 8, speed 24.000000/24.000000, type NVL/PIX, sameChannels 1",
            ),
            Sample(
                "2.14+",
                "Pattern 4, crossNic 0, nChannels 8, bw 48.000000/48.000000, type NVL/PIX, sameChannels 1",
            ),
        ),
        _graph,
        subsystem="GRAPH",
        bare=True,
    ),
    NcclMessage(
        rf"=== System : max(?:Bw|Width) (?P<max>{_NUMBER})(?: total(?:Bw|Width) (?P<total>{_NUMBER}))? ===",
        (
            Sample("2.7", "=== System : maxWidth 24.0 ==="),
            Sample("2.8-2.13", "=== System : maxWidth 24.0 totalWidth 240.0 ==="),
            Sample("2.14+", "=== System : maxBw 48.0 totalBw 370.8 ==="),
        ),
        _summary,
        Keep.EACH,
        subsystem="GRAPH",
        bare=True,
    ),
    NcclMessage(
        r"(?P<node>CPU/[0-9A-Fa-f-]+ \(.*)",
        sample("all", "CPU/0 (1/1/2)", "CPU/0-1 (1/2/-1)"),
        _root,
        Keep.EACH,
        subsystem="GRAPH",
    ),
    NcclMessage(
        rf"(?P<indent> *)\+ (?P<kind>[A-Z][A-Z0-9]+)\[(?P<bw>{_NUMBER})\] - (?P<node>\S.*)",
        sample(
            "all",
            "+ PCI[24.0] - PCI/14000 (1000c0101000ffff)",
            "              + PCI[24.0] - GPU/B3000 (0)",
            "                            + NVL[80.0] - GPU/C1000",
            "+ SYS[10.0] - CPU/1",
            "              + NET[25.0] - NET/0 (b8cef6030011223a/1/25.000000)",
        ),
        _link,
        Keep.EACH,
        subsystem="GRAPH",
    ),
    harmless(
        r"=+$|(?:GPU|NET|CPU|PCI|NVS|NIC|GIN)/\S+ :| *\d+ :(?: |$)",
        *sample(
            "all",
            "==========================================",
            "GPU/0-b3000 :GPU/0-b3000 (0/5000.0/LOC) CPU/0-0 (2/48.0/PHB) NET/0-0 (3/48.0/PXB) ",
            "NET/0-0 :GPU/0-b3000 (3/48.0/PXB) NET/0-0 (0/5000.0/LOC) ",
            "CPU/0 :GPU/B3000 (2/48.0/PHB) ",
            " 0 : NET/0 GPU/0 GPU/1 NET/0",
            "12 : GPU/0 GPU/1",
        ),
        subsystem="GRAPH",
    ),
    harmless(
        r"(?:Ring|Tree) \d+ : ",
        *sample("2.7+", "Ring 00 : 1 -> 0 -> 1", "Tree 0 : -1 -> 0 -> 1/-1/-1"),
        subsystem="GRAPH",
    ),
    harmless(
        r"Trees \[|NVLS (?:Trees|comm|tuning|rank|Creat|Bind)|P2P Chunksize|Check P2P Type|Symmetric "
        r"|Tuning P2P|Setting affinity"
        r"|ncclTopo\w+ ?:|Topology detection|NVLink target|TOPO/|Attribute |Found CPU|KV Convert|Affinity",
        *sample(
            "all",
            "Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1",
            "NVLS comm 0x55d0c5e0b2a0 headRank 0 nHeads 8 buffSize 1048576 nvlsPerRankSize 201326592 "
            "nvlsTotalSize 1610612736",
            "NVLS Creating Multicast group nranks 8 size 2097152 on rank 0",
            "NVLS tuning: nChannels 16 chunkSize 131072 treeMaxChunkSize 65536",
            "P2P Chunksize set to 131072",
            "Check P2P Type isAllDirectP2p 1 directMode 0",
            "Symmetric VA size=128GB",
            "Tuning P2P operations with maxP2pPeers = 8",
            "Setting affinity for GPU 0 to ffff,0000ffff",
            "ncclTopoGetCpuAffinity: Affinity for GPU 0 is 0-31. (GPU affinity = 0-31 ; CPU affinity = 0-63).",
            "ncclTopoPopulateNics : Filled mlx5_0 in topo with pciPath=/sys/devices/pci0000:15/0000:16:00.0 keep=1",
            "Topology detection : could not read /sys/devices/system/node/node0/cpumap, ignoring",
            "NVLink target 0 not visible, assuming NVSwitch",
            "TOPO/NET : Made vNic 2",
        ),
    ),
)
