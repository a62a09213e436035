"""Throughput of reading an NCCL log: MB/s on one core and on two, beside the limit, and the memory it takes.

Run as ``python bench/scan.py [MEGABYTES]``. The log is made here: ranks start, print channels, call collectives.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

LIMIT_MB_PER_S = 80
RANKS, RANKS_PER_NODE, CHANNELS = 64, 8, 16


def rank_lines(rank: int, call: int) -> Iterator[str]:
    """What one rank prints around one collective call, in the words of NCCL 2.27."""
    node, device = divmod(rank, RANKS_PER_NODE)
    who = f"gpu-node-{node:03d}:{41000 + rank}:{42000 + rank} [{device}] NCCL INFO"
    if call == 0:
        yield f"{who} NCCL_IB_HCA set to mlx5"
        yield f"{who} NET/IB : GPU Direct RDMA Enabled for HCA {device} 'mlx5_{device}'"
        yield f"{who} comm 0x55d0c{rank:04x}0 rank {rank} nranks {RANKS} cudaDev {device} - Init START"
    if call % 40 == 0:
        for channel in range(CHANNELS):
            peer = (rank + RANKS_PER_NODE) % RANKS
            yield (
                f"{who} Channel {channel:02d}/0 : {rank}[{device}] -> {peer}[{device}] [send] via "
                f"NET/IB/{device}/GDRDMA"
            )
    yield (
        f"{who} AllReduce: opCount {call:x} sendbuff 0x7f3a{call * 4096 % 0xFFFFFF:06x}00 recvbuff "
        f"0x7f3b{call * 4096 % 0xFFFFFF:06x}00 count 8388608 datatype 7 op 0 root 0 comm 0x55d0c{rank:04x}0 "
        f"[nranks={RANKS}] stream 0x55d0d{rank:04x}8"
    )


def make_log(size: int) -> list[bytes]:
    """A log of about ``size`` bytes in pieces of one call each."""
    pieces: list[bytes] = []
    length = call = 0
    while length < size:
        text = "".join(f"{line}\n" for rank in range(RANKS) for line in rank_lines(rank, call))
        pieces.append(text.encode())
        length += len(pieces[-1])
        call += 1
    return pieces


def measure(pieces: list[bytes], workers: int) -> float:
    """Megabytes a second: of processor time on one core (others may use this machine), of wall time on several."""
    size = sum(map(len, pieces))
    clock = time.process_time if workers == 1 else time.perf_counter
    start = clock()
    records = read([Input("made.log", size, pieces)], workers=workers)
    elapsed = clock() - start
    assert sum(source.lines for source in records.sources) == sum(piece.count(b"\n") for piece in pieces)
    return size / elapsed / 1e6


def main() -> int:
    """Print one line a measurement; the exit code is 1 where one core is below the limit."""
    pieces = make_log(int(sys.argv[1] if len(sys.argv) > 1 else 256) * 1_000_000)
    read([Input("warm.log", None, pieces[:10])])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    one = measure(pieces, workers=1)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"NCCL log, one core     {one:7.1f} MB/s   limit {LIMIT_MB_PER_S} MB/s   memory {grown / 1024:+.0f} MiB")
    print(f"NCCL log, two cores    {measure(pieces, workers=2):7.1f} MB/s")
    return int(one < LIMIT_MB_PER_S)


if __name__ == "__main__":
    raise SystemExit(main())
