"""What NCCL's RAS answers (``ncclras``, or ``nc localhost 28028``): text since 2.24, JSON since 2.28.7.

The upper part of a healthy answer::

    NCCL version 2.28.7 compiled with CUDA 12.9
    CUDA runtime version 12090, driver version 12080

    Job summary
    ===========

      Nodes  Processes         GPUs  Processes     GPUs
    (total)   per node  per process    (total)  (total)
          2          4            1          8        8

Source: ``src/ras/client_support.cc`` of NCCL 2.24.3 to 2.30. Nodes that are unlike the others have a table of their
own, and errors and warnings name ranks and processes below their sentence. An answer may be cut: it then says less,
and ``complete`` says so.
"""

from __future__ import annotations

from slowlink.parsers.nccl.ras.document import RasDocument
from slowlink.parsers.nccl.ras.text import RasText

PARSER = RasText
DOCUMENT = RasDocument
