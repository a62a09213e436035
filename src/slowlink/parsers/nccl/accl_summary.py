"""The last line of a file of ROCm's accl-profiler (``parsers.nccl.accl_profiler``): what it left out.

It begins otherwise than the lines of calls, and is taken together with them.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.nccl.accl_profiler.lines import AcclLines


class AcclSummary(AcclLines):
    """Takes both, as the other does, whichever comes first."""

    begins: ClassVar[bytes] = b'{"summary":{"dropped_collectives":'


TAKER = AcclSummary
