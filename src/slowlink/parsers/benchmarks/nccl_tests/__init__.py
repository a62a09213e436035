"""nccl-tests, rccl-tests and MetaX' tests: text tables of every version, and nccl-tests' JSON.

The table of a run on two GPUs, older columns::

    # nThread 1 nGpus 2 minBytes 1048576 maxBytes 1073741824 step: 1024(factor) warmup iters: 5 iters: 20
    #                                              out-of-place                       in-place
    #       size         count      type   redop     time   algbw   busbw #wrong     time   algbw   busbw #wrong
    #        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
         1048576        262144     float     sum    35.83   29.27   29.27      0    36.01   29.12   29.12      0
      1073741824     268435456     float     sum   5995.2  179.10  179.10      0   6179.7  173.75  173.75      0
    # Out of bounds values : 0 OK
    # Avg bus bandwidth    : 102.811

Source: nccl-tests 1.0 to 2.19, rccl-tests, MetaX 2.32 and 3.8. Columns are read by their header, never by position:
every version has others. Sizes are bytes, times microseconds, bandwidths GB/s (10^9 bytes). A row torn by another line
is put together where that is certain; a row whose numbers contradict each other is in doubt.
"""

from __future__ import annotations

from slowlink.parsers.benchmarks.nccl_tests.json_output import DOCUMENT
from slowlink.parsers.benchmarks.nccl_tests.table import PARSER

__all__ = ["DOCUMENT", "PARSER"]
