"""What the name of a file of accl-profiler tells: its lines name neither communicator nor node.

``accl_profiler_rank2_node07_pid4100_0x7a3c1f.jsonl``; an older name, ``accl_rank_2.jsonl``, tells the rank alone.
"""

from __future__ import annotations

from typing import NamedTuple

from slowlink.model.timed_calls import NO_COMM
from slowlink.patterns import regex

_NAME = regex(
    r"(?:^|[/!\\])accl_profiler_rank(?P<rank>\d{1,9})_(?P<host>[A-Za-z0-9][\w.-]{0,252}?)_pid(?P<pid>\d{1,10})"
    r"_(?P<comm>0x[0-9a-f]{1,16})\.jsonl[^/!\\]{0,20}$"
)


class WrittenBy(NamedTuple):
    """Who wrote a file."""

    comm: str = NO_COMM
    rank: int | None = None
    host: str | None = None
    pid: int | None = None

    @classmethod
    def of(cls, source: str) -> WrittenBy:
        """By the name of ``source``, as far as it tells."""
        found = _NAME.search(source[-600:])
        if found is None:
            return cls()
        return cls(found["comm"], int(found["rank"]), found["host"], int(found["pid"]))

    def is_of(self, rank: int) -> bool:
        """Could a line of this rank stand there? A file that was put together of several, or renamed, tells nothing."""
        return self.rank is None or self.rank == rank
