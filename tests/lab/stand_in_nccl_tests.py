"""Stands in for ``all_reduce_perf`` of nccl-tests where there is no GPU: ranks over MPI that print its table, each with
a log as NCCL writes one into NCCL_DEBUG_FILE. The numbers are made up; where files lie and how they come home is not.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

from mpi4py import MPI

_HEAD = """\
# nccl-tests version 2.17.6 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
#
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""


def main() -> None:
    world = MPI.COMM_WORLD
    rank, host = world.Get_rank(), platform.node()
    place = os.environ["NCCL_DEBUG_FILE"].replace("%h", host).replace("%p", str(os.getpid()))
    with Path(place).open("w") as log:
        prefix = f"{host}:{os.getpid()}:{os.getpid()} [0] NCCL INFO"
        log.write(f"{prefix} Bootstrap: Using eth0:10.0.0.{rank}<0>\n{prefix} NET/Socket : Using [0]eth0:10.0.0.1<0>\n")
        log.write(f"{prefix} ncclCommInitRank comm 0x55d0c8 rank {rank} nranks {world.Get_size()} cudaDev 0 ")
        log.write("nvmlDev 0 busId 18000 commId 0x9e3779b97f4a7c15 - Init COMPLETE\n")
    if rank == 0:
        Path(os.environ["NCCL_TOPO_DUMP_FILE"]).write_text('<system version="1">\n</system>\n')
        print(_HEAD, end="", flush=True)
    rows = 100_000 if "--endless" in sys.argv else 2
    for row in range(rows):
        world.Barrier()
        if rank == 0:
            size = 8 << min(row, 20)
            print(f"{size:12d} {size // 4:12d}   float     sum      -1    50.12   0.10   0.15      0    50.01   0.10"
                  f"   0.15      0", flush=True)  # fmt: skip
        time.sleep(0.1 if rows > 2 else 0)
    if rank == 0:
        print("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.15\n#", flush=True)


main()
