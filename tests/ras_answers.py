"""Answers of RAS in our own words and numbers, section by section as NCCL 2.24 to 2.30 prints them."""

from __future__ import annotations

VERSION = "NCCL version 2.28.7 compiled with CUDA 12.9\nCUDA runtime version 12090, driver version 12080\n\n"
JOB = """Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      2          4            1          8        8
"""
IRREGULAR = """Job summary
===========

  Nodes  Processes         GPUs
          per node  per process
      3          8            1
      1          7            1

  Nodes  Processes         GPUs
(total)    (total)      (total)
      4         31           31

The outlier node:
  Node 10.1.0.7 running processes 4101,4102,4103,4104,4105,4106,4107
"""
TABLE = """
Communicators... (0.004s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
"""
FINE = TABLE + "    0         1         2         4         8         8   RUNNING      OK\n"
BEHIND = TABLE + "    0         1         2         4         8         8   RUNNING  MISMATCH\n"
INCOMPLETE = TABLE + "    0         1         2       3-4         8         7   RUNNING  INCOMPLETE,MISMATCH\n"

MISSING = """
Errors
======

INCOMPLETE
  Missing communicator data from 1 job process
  Process 4204 on node 10.1.0.9 managing GPU 3 (NVML 7)

DEAD
  2 job processes are considered dead (unreachable via the RAS network)
  Process 4205 on node 10.1.0.9 managing GPU 4
  [could not find information on 1 process]

#0-0 (00c0ffee12345678) INCOMPLETE
  Missing communicator data from 1 rank
  Rank 7 -- GPU 3 managed by process 4204 on node 10.1.0.9

#0-1 (00c0ffee12345679) ERROR
  Initialization errors on 2 ranks
  2 ranks reported unhandled system error
  Rank 2 -- GPU 2 managed by process 4103 on node 10.1.0.8
  Rank 3 -- [process information not found]
  Asynchronous error on 1 rank
  Rank 5 reported remote process exited or there was a network error -- GPU 1 managed by process 4202 on node 10.1.0.9

"""


def mismatch(ahead: int, behind: int, collective: str = "AllReduce") -> str:
    """Six ranks at one operation, ranks 2 and 5 at another."""
    return f"""
Warnings
========

TIMEOUT
  Encountered 2 communication timeouts while gathering communicator data

#0-0 (00c0ffee12345678) MISMATCH
  Communicator ranks have different {collective} operation counts
  6 ranks have launched up to operation {ahead}
  2 ranks have launched up to operation {behind}
  Rank 2 -- GPU 2 managed by process 4103 on node 10.1.0.8
  Rank 5 -- GPU 1 managed by process 4202 on node 10.1.0.9

"""


STATUS = """
#0-0 (00c0ffee12345678) MISMATCH
  Communicator ranks have different status
  5 ranks have status RUNNING
  2 ranks have status INIT
  Rank 0 -- GPU 0 managed by process 4101 on node 10.1.0.8
  Rank 4 -- GPU 0 managed by process 4201 on node 10.1.0.9
  Rank 6 has status FINALIZE -- GPU 2 managed by process 4203 on node 10.1.0.9
  Communicator ranks have different Broadcast operation counts
  7 ranks have not launched any operations
  Rank 1 has launched up to operation 3 -- [process information not found]
"""


def answer(ahead: int, behind: int) -> str:
    """A whole answer with one mismatch."""
    return VERSION + JOB + BEHIND + mismatch(ahead, behind)


def rank(number: int, counts: dict[str, int], **status: object) -> dict[str, object]:
    """One rank of a communicator in JSON."""
    return {
        "rank": number,
        "host": f"10.1.0.{8 + number // 4}",
        "pid": 4100 + number,
        "cuda_dev": number % 4,
        "nvml_dev": number % 4,
        "status": {
            "init_state": 0,
            "async_error": 0,
            "finalize_called": False,
            "destroy_flag": False,
            "abort_flag": False,
            **status,
        },
        "collective_counts": counts,
    }


def missing_rank(number: int, unresponsive: bool, dead: bool) -> dict[str, object]:
    """One missing rank of a communicator in JSON."""
    found = rank(number, {})
    del found["collective_counts"]
    return {**found, "status": {"unresponsive": unresponsive, "considered_dead": dead}}


def document(
    ranks: list[dict[str, object]],
    missing: list[dict[str, object]] | None = None,
    timestamp: str = "2026-01-02 03:04:05",
) -> dict[str, object]:
    """A whole answer as JSON."""
    lacking = missing or []
    return {
        "nccl_version": "2.29.2",
        "cuda_runtime_version": 13000,
        "cuda_driver_version": 13000,
        "timestamp": timestamp,
        "communicators_count": 1,
        "communicators": [
            {
                "hash": "0xc0ffee12345678",
                "secondary_hash": "0x1:0x2",
                "size": len(ranks) + len(lacking),
                "ranks_count": len(ranks),
                "missing_ranks_count": len(lacking),
                "ranks": ranks,
                "missing_ranks": lacking,
            }
        ],
        "ras": {"collection_time_sec": 0.002, "timeouts_count": 1},
    }
