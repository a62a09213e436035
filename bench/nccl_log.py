"""How fast an NCCL log is folded: MB/s on one core, splitting lines included, on a generated log of many ranks.

Run ``python bench/nccl_log.py``. The limit of the project is 80 MB/s for the mix of lines that a long run writes.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterator

from slowlink.parsers.nccl.nccl_log.fold import NcclFold

LIMIT_MB_S = 80.0


def _channels(hosts: int, gpus: int, channels: int) -> list[str]:
    lines = []
    ranks = hosts * gpus
    for rank in range(ranks):
        host, gpu = divmod(rank, gpus)
        prefix = f"node{host:03d}:{1484000 + gpu}:{1484100 + gpu} [{gpu}] NCCL INFO "
        peer = (rank + 1) % ranks
        via = "P2P/CUMEM/read" if peer // gpus == host else f"NET/IB/{gpu}/GDRDMA"
        side = "" if via.startswith("P2P") else " [send]"
        for channel in range(channels):
            for connection in (0, 1):
                lines.append(
                    f"{prefix}Channel {channel:02d}/{connection} : {rank}[{gpu}] -> "
                    f"{peer}[{peer % gpus}]{side} via {via}"
                )
    return lines


def peers(hosts: int, gpus: int, channels: int, distances: int) -> Iterator[str]:
    """Channels of each rank to and from others ever farther away: ``4 * distances`` edges a rank."""
    ranks = hosts * gpus
    for rank in range(ranks):
        host, gpu = divmod(rank, gpus)
        prefix = f"node{host:04d}:{1484000 + gpu}:{1484100 + gpu} [{gpu}] NCCL INFO Channel "
        for step in range(distances):
            for sends in (True, False):
                peer = (rank + (1 if sends else -1) * (1 << step)) % ranks
                src, dst = (rank, peer) if sends else (peer, rank)
                via = f"NET/IB/{gpu}/GDRDMA" if peer // gpus != host else "P2P/CUMEM/read"
                side = "" if via.startswith("P2P") else " [send]" if sends else " [receive]"
                for connection in (0, 1):
                    ends = f"/{connection} : {src}[{src % gpus}] -> {dst}[{dst % gpus}]{side} via {via}"
                    yield from (f"{prefix}{channel:02d}{ends}" for channel in range(channels))


def _init(hosts: int, gpus: int) -> list[str]:
    lines = []
    for rank in range(hosts * gpus):
        host, gpu = divmod(rank, gpus)
        prefix = f"node{host:03d}:{1484000 + gpu}:{1484100 + gpu} [{gpu}] NCCL INFO "
        comm = (
            f"comm 0x55d0c5{rank:06x} rank {rank} nranks {hosts * gpus} cudaDev {gpu} nvmlDev {gpu} busId {gpu:x}b000"
        )
        lines += [
            prefix + "NCCL version 2.21.5+cuda12.4",
            prefix + "Bootstrap : Using eth0:10.0.0.1<0>",
            prefix + "NCCL_IB_HCA set to mlx5_0,mlx5_1,mlx5_2,mlx5_3",
            prefix + "NCCL_IB_QPS_PER_CONNECTION set by environment to 4.",
            prefix + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/IB [RO]; OOB eth0:10.0.0.1<0>",
            prefix + "Using network IB",
            prefix + f"ncclCommInitRank {comm} commId 0xfa38 - Init START",
            prefix + "Setting affinity for GPU 0 to ffff,0000ffff",
            prefix + "NVLS multicast support is available on dev 0",
            prefix + "Trees [0] " + " ".join(f"[{n}] 1/-1/-1->{rank}->-1" for n in range(8)),
            prefix + "threadThresholds 8/8/64 | 128/8/64 | 512 | 512",
            prefix
            + "16 coll channels, 16 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p channels per peer",
            prefix + f"ncclCommInitRank {comm} commId 0xfa38 - Init COMPLETE",
        ]
        lines += [prefix + f"New proxy send connection {n} from local rank {gpu}, transport 2" for n in range(16)]
        lines += [prefix + f"Connected to proxy localRank {gpu} -> connection 0x7f2a4000{n:04x}" for n in range(16)]
    return lines


def _calls(hosts: int, gpus: int, count: int) -> list[str]:
    lines = []
    for op in range(count):
        for rank in range(hosts * gpus):
            host, gpu = divmod(rank, gpus)
            lines.append(
                f"node{host:03d}:{1484000 + gpu}:{1484000 + gpu} [{gpu}] NCCL INFO AllReduce: opCount {op:x} sendbuff "
                f"0x7f2a{op & 0xFFFF:04x}0000 recvbuff 0x7f2a80000000 count 67108864 datatype 7 op 0 root 0 "
                f"comm 0x55d0c5{rank:06x} [nranks={hosts * gpus}] stream 0x55d0c4a1f0e0"
            )
    return lines


def _nothing(prefix: str, message: str, line: int, text: str) -> None:
    """Stands in for the fold: what remains is the cost of splitting and of a call a line."""


def _rate(data: str, feed: Callable[[str, str, int, str], object]) -> float:
    start = time.process_time()
    for number, line in enumerate(data.split("\n"), 1):
        prefix, found, message = line.partition(" NCCL ")
        if found:
            feed(prefix, message, number, line)
    return len(data) / (time.process_time() - start) / 1e6


def measure(name: str, lines: list[str]) -> float:
    """Fold ``lines`` once and print the rate in MB/s (1e6 bytes)."""
    data = "\n".join(lines)
    best = empty = 0.0
    for _ in range(5):
        fold = NcclFold()
        empty = max(empty, _rate(data, _nothing))
        best = max(best, _rate(data, fold.feed))
    start = time.process_time()
    logs = fold.result("bench")
    seconds = time.process_time() - start
    size = len(pickle.dumps(fold))
    print(
        f"{name:10s} {len(data) / 1e6:7.1f} MB  {len(lines):8d} lines  {best:6.1f} MB/s (empty loop {empty:6.1f})  "
        f"{len(data) / len(lines):5.0f} B/line"
        f"  result {seconds:5.2f} s  pickle {size / 1e3:8.0f} kB  unknown {logs[0].unknown}"
    )
    return best


def main() -> int:
    """Measure each kind of line alone and the mix; fail below the limit for the mix."""
    channels, init, calls = _channels(16, 8, 32), _init(16, 8), _calls(16, 8, 400)
    measure("channels", channels * 4)
    measure("init", init * 4)
    measure("calls", calls)
    mix = measure("mix", init + channels + init + channels + calls)
    return 0 if mix >= LIMIT_MB_S else 1


if __name__ == "__main__":
    sys.exit(main())
