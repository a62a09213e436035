"""From a trace to columns of timed calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

from slowlink.model.timed_calls import KINETO, CallKind
from slowlink.parsers.forms.columns.timed_calls import CallColumns, Owner, collective_of
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.job.kineto_trace.events import Events, told_around
from slowlink.parsers.job.kineto_trace.kernels import Kernel, Kernels

_START = re.compile(
    rb"\s*\{\s*\"(?:schemaVersion|deviceProperties|distributedInfo|displayTimeUnit|baseTimeNanoseconds|traceEvents"
    rb"|traceName|trace_id|record_shapes|profile_memory|with_(?:stack|flops|modules)|(?!nccl_)\w{1,20}_version)\"\s*:"
)
"""The profiler begins with the first. Programs that sort or filter traces write them with another one first. What
begins with NCCL's version is an answer of its RAS."""
_FILE = re.compile(
    r"(?:^|[/!\\])(?P<host>[A-Za-z][\w.-]{0,120}?)_(?P<pid>\d{1,10})\.\d{6,20}(?:\.\w{1,20})?\.pt\.trace\.json"
)
"""As PyTorch's ``tensorboard_trace_handler`` names files."""
_KERNELS = ("nccl", "rccl", "mccl", "hccl")
_BYTES = {
    "byte": 1, "char": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "short": 2, "half": 2, "bfloat16": 2,
    "int": 4, "float": 4, "long": 8, "double": 8,
}  # fmt: skip
"""Of one element, by the type's name in PyTorch; of others the elements are counted."""


class KinetoTrace:
    """Gives, for each process group of the process, a column of the calls whose kernels ran."""

    kind: ClassVar[str] = KINETO
    otherwise: ClassVar[str] = "a trace of events, without kernels of collectives in process groups of PyTorch"
    of_text: ClassVar[bool] = True

    @staticmethod
    def wants_start(start: bytes) -> bool:
        return _START.match(start) is not None

    def read(self, chunks: Iterator[bytes], source: str) -> tuple[list[Record], str | None]:
        events = Events()
        kept = Kernels()
        unreadable = 0
        for event, line in events.of(chunks):
            if event is None:
                unreadable += 1
            elif event.cat in ("kernel", "") and event.name.lower().startswith(_KERNELS):
                kept.add(event, line)
        self.lines, self.used = events.lines, len(kept)
        rank, base = told_around(events)
        columns = CallColumns(source)
        host = _FILE.search(source)
        for kernel in kept:
            _add(columns, kernel, rank, base, (host["host"], int(host["pid"])) if host else (None, None))
        return [*columns.records()], _problem(events, unreadable)


def _problem(events: Events, unreadable: int) -> str | None:
    if not events.tail.rstrip().endswith(b"}"):
        return "the trace ends before its end: it was cut, or is still being written"
    if unreadable:
        return f"{unreadable:,} events that name a collective could not be read"
    return None


def _add(
    columns: CallColumns,
    kernel: Kernel,
    world_rank: int | None,
    base: float,
    place: tuple[str | None, int | None],
) -> None:
    """Keep one kernel. Its rank is the place in the group's list of ranks; where that was cut, that in the job."""
    args = kernel.args
    place_of, size = ranks_of(args.ranks), args.group_size or 0
    listed = len(place_of) == size
    name = args.group or ""
    if args.collective is None or world_rank is None or (listed and world_rank not in place_of):
        return
    rank = place_of[world_rank] if listed else world_rank
    owner = Owner(KINETO, f"{name} {args.ranks}", name, rank, size, None, place[0], place[1], world_rank, args.device)
    calls = columns.of(owner, kernel.line, f"rank {world_rank} in process group {name} of {size} ranks")
    if calls is None:
        return
    kind = CallKind(collective_of(args.collective), (args.elements or 0) * _BYTES.get(args.dtype.lower(), 1))
    calls.add(kind, kernel.number, kernel.dur, base + kernel.ended / 1e6, "kernel_gpu")


@lru_cache(maxsize=256)
def ranks_of(text: str) -> dict[int, int]:
    """World rank -> rank in the group, of ``[0, 1, 2]``; of a list that PyTorch cut (more than 30 ranks), of those that
    are there."""
    return {int(number): place for place, number in enumerate(re.findall(r"\d{1,9}", text))}
