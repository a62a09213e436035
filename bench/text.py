"""Throughput of text that is not NCCL's: training loops, ever new words, long lines, and what nodes answer.

Run as ``python bench/text.py [MEGABYTES]``. Processor time on one core from bytes to records, without start-up. The
exit code is 1 where a limit is missed.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from string import ascii_lowercase

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

SEED = 7
NODE_BYTES = 200_000


def _words(random_: random.Random, count: int) -> list[str]:
    return ["".join(random_.choices(ascii_lowercase, k=random_.randint(2, 9))) for _ in range(count)]


def training(width: int) -> Iterator[str]:
    """A loop that prints the same names and ever new numbers, of any length."""
    random_ = random.Random(SEED)
    names = _words(random_, width // 15)
    step = 0
    while True:
        step += 1
        cells = (f"{name} {random_.random() * 10 ** random_.randint(-6, 6)}" for name in names)
        yield f"[2026-01-01 12:{step // 60 % 60:02d}:{step % 60:02d}] iteration {step}/500000 | {' | '.join(cells)}\n"


def prose() -> Iterator[str]:
    """Ever new words: the worst case, nothing is remembered."""
    random_ = random.Random(SEED)
    words = _words(random_, 400)
    while True:
        yield " ".join(random_.choices(words, k=50)) + "\n"


def node_state() -> Iterator[str]:
    """Kernel files and ibstat of HCAs, as a node with many of them answers."""
    random_ = random.Random(SEED)
    names = ("port_rcv_data", "port_xmit_data", "port_xmit_wait", "symbol_error", "link_downed", "port_rcv_errors")
    while True:
        for hca in range(16):
            files = f"/sys/class/infiniband/mlx5_{hca}/ports/1"
            yield f"{files}/state:4: ACTIVE\n"
            yield f"{files}/rate:400 Gb/sec (4X NDR)\n"
            for name in names:
                yield f"{files}/counters/{name}:{random_.randint(0, 10**14)}\n"
            yield f"CA 'mlx5_{hca}'\n\tFirmware version: 28.39.1002\n\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n"


def source_of(name: str, lines: Iterator[str], size: int) -> Input:
    """About ``size`` bytes of ``lines``."""
    pieces: list[bytes] = []
    length = 0
    while length < size:
        pieces.append(next(lines).encode())
        length += len(pieces[-1])
    return Input(name, None, [b"".join(pieces)])


def megabytes_per_second(sources: list[Input], size: int) -> float:
    """Of processor time on one core."""
    start = time.process_time()
    read(sources, workers=1)
    return size / (time.process_time() - start) / 1e6


def main() -> int:
    """Print one line a measurement."""
    size = int(float(sys.argv[1] if len(sys.argv) > 1 else 4) * 1_000_000)
    shapes: tuple[tuple[str, Callable[[], Iterator[str]], float], ...] = (
        ("training loop", lambda: training(300), 5.0),
        ("long lines", lambda: training(4000), 5.0),
        ("ever new words", prose, 0.5),
    )
    missed = False
    for name, lines, limit in shapes:
        read([source_of("warm", lines(), 10_000)], workers=1)  # imports and patterns
        rate = megabytes_per_second([source_of("made.log", lines(), size)], size)
        missed = missed or rate < limit
        print(f"{name:<16} {rate:6.1f} MB/s   limit {limit} MB/s")
    read([source_of("warm", node_state(), 10_000)], workers=1)
    nodes = [source_of(f"node{n:04d}", node_state(), NODE_BYTES) for n in range(max(1, size // NODE_BYTES))]
    rate = megabytes_per_second(nodes, size)
    print(f"{'node state':<16} {rate:6.1f} MB/s   limit 4 MB/s")
    return int(missed or rate < 4)


if __name__ == "__main__":
    raise SystemExit(main())
