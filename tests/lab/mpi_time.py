"""A rank that never ends: rank 0 prints the hosts, then start and time of each all-reduce of 2 MiB, in seconds."""

from __future__ import annotations

import time

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
hosts = world.gather(MPI.Get_processor_name())
if hosts is not None:
    print(" ".join(hosts), flush=True)
sent = np.ones(1 << 19, dtype=np.float32)
received = np.empty_like(sent)
while True:
    world.Barrier()
    started = time.monotonic()
    world.Allreduce(sent, received)
    if world.rank == 0:
        print(started, time.monotonic() - started, flush=True)
