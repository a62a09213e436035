"""The probe's time per call beside a bare mpi4py loop with the same calls, in one run of real MPI ranks.

    mpirun -n 2 python bench/probe_overhead.py [--pairs 15]

Both sides alternate, so that whatever else the machine does hits both; the median over the pairs is what counts. The
figure is what the probe's row prints: the largest over the ranks. Limit: 2 % (exit 1 above it). It needs as many idle
cores as ranks: with other work on them both sides measure that work. ``chrt -f 1 mpirun ...`` gives them to the ranks.
"""

from __future__ import annotations

import argparse
import sys
from statistics import median
from time import perf_counter_ns
from typing import Any

import numpy as np
from mpi4py import MPI

from slowlink.probe.launched import Launched
from slowlink.probe.measure import measure
from slowlink.probe.mpi_backend import open_backend
from slowlink.probe.options import parse_options
from slowlink.probe.shapes import shape_of
from slowlink.probe.world import meet

LIMIT = 0.02
SIZES = (8, 4096, 65536, 1 << 20, 4 << 20)
WARMUP = 5


def iterations_for(size_bytes: int) -> int:
    """Enough that one side takes some tens of milliseconds."""
    return 4000 if size_bytes <= 4096 else 800 if size_bytes <= 65536 else 60


def bare_us(comm: Any, size_bytes: int, iterations: int) -> float:
    """Microseconds a call of the plainest loop, the largest over the ranks."""
    send, recv = np.zeros(size_bytes // 4, np.float32), np.zeros(size_bytes // 4, np.float32)
    for _ in range(WARMUP):
        comm.Allreduce(send, recv)
    comm.Barrier()
    start = perf_counter_ns()
    for _ in range(iterations):
        comm.Allreduce(send, recv)
    own = (perf_counter_ns() - start) / iterations / 1e3
    return float(comm.allreduce(own, MPI.MAX))


def probe_us(backend: Any, clocks: list[str], size_bytes: int, iterations: int) -> float:
    """What the probe's row says."""
    options = parse_options(["all_reduce", "-n", str(iterations), "-w", str(WARMUP), "-c", "0"])
    shape = shape_of("all_reduce", size_bytes, 4, backend.nranks)
    return measure(backend, options, clocks, shape, "out_of_place").time_us


def main() -> int:
    """Exit status: 1 when the median is above the limit at any size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=15)
    pairs = parser.parse_args().pairs
    comm = MPI.COMM_WORLD
    backend = open_backend(Launched(comm.Get_rank(), comm.Get_size(), ""))
    clocks = [rank.clock for rank in meet(backend)]
    status = 0
    for size_bytes in SIZES:
        count = iterations_for(size_bytes)
        ratios, bare, probed = [], [], []
        for turn in range(pairs):
            for side in ("bare", "probe") if turn % 2 else ("probe", "bare"):
                if side == "bare":
                    bare.append(bare_us(comm, size_bytes, count))
                else:
                    probed.append(probe_us(backend, clocks, size_bytes, count))
            ratios.append(probed[-1] / bare[-1])
        over = median(ratios) - 1
        status |= over > LIMIT
        if comm.Get_rank() == 0:
            print(
                f"{size_bytes:>9} B  bare {median(bare):10.2f} us  probe {median(probed):10.2f} us  "
                f"{over:+7.2%}  (limit {LIMIT:.0%}){'' if over <= LIMIT else '  ABOVE'}",
                flush=True,
            )
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
