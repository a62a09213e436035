"""Is the cost linear for every usual shape of a log? MB/s of reading each at one size and at twice that size.

Run as ``python bench/shapes.py [MEGABYTES]``. A ratio near 2 is linear; the exit code is 1 where one is above 2.2.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, islice

from nccl_log import _init

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

QUADRATIC = 2.2
"""Seconds for twice the bytes, against seconds for once: 2 is linear, 4 quadratic."""
GPUS = 8


def iterations() -> Iterator[str]:
    """A training loop that prints its own words."""
    for n in count():
        rate = 9000 + n * 37 % 90001
        yield f"iteration {n}/50000 | loss {9 / (n + 1):.3f} | lr {n % 97 / 1e6:.1e} | tokens/s {rate}\n"


def megatron() -> Iterator[str]:
    """A training loop whose lines a parser reads."""
    for n in count():
        took = 900 + n * 7.3 % 900
        yield f" iteration {n:8d}/   50000 | elapsed time per iteration (ms): {took:.1f} | loss: {n:.6E} |\n"


def progress() -> Iterator[str]:
    """A progress bar: one line of many carriage returns."""
    for n in count():
        done = n % 101
        yield f"\r{done:3d}%|{'#' * (done // 10):<10}| {done * 10}/1000 [{n % 60:02d}:07, {n * 3 % 71}.5it/s]" + (
            "\n" if done == 100 else ""
        )


def records() -> Iterator[str]:
    """A logger that writes one JSON object a line."""
    for n in count():
        yield (
            json.dumps({"time": f"12:00:{n % 60:02d}", "level": "info", "msg": f"step {n}", "loss": 9 / (n + 1)}) + "\n"
        )


def tagged() -> Iterator[str]:
    """A training loop under ``mpirun --tag-output``."""
    for n, line in enumerate(iterations()):
        yield f"[1,{n % 64}]<stdout>:{line}"


def starts() -> Iterator[str]:
    """The start of ever more nodes."""
    for node in count(1):
        for line in _init(1, GPUS):
            yield line.replace("node000", f"node{node:05d}") + "\n"


def seconds(shape: Callable[[], Iterator[str]], size: int) -> float:
    """Processor time from the bytes to the report."""
    lines = shape()
    pieces: list[bytes] = []
    while sum(map(len, pieces)) < size:
        pieces.append("".join(islice(lines, 4000)).encode())
    start = time.process_time()
    report_of(read([Input("made.log", None, pieces)], workers=1))
    return time.process_time() - start


def main() -> int:
    """One line a shape."""
    size = int(float(sys.argv[1] if len(sys.argv) > 1 else 4) * 1_000_000)
    worst = 0.0
    seconds(iterations, 1000)  # imports and patterns
    for shape in (iterations, megatron, progress, records, tagged, starts):
        once, twice = seconds(shape, size), seconds(shape, 2 * size)
        worst = max(worst, twice / once)
        print(
            f"{shape.__name__:<12} {2 * size / twice / 1e6:7.1f} MB/s   twice the bytes: {twice / once:.1f} x the time"
        )
    return int(worst > QUADRATIC)


if __name__ == "__main__":
    raise SystemExit(main())
