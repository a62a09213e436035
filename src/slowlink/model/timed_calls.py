"""Calls of collectives in a running job, as the library or a profiler timed them on each rank.

A rank of a training job calls a million collectives a day, so they are kept as columns: numbers, in the order in which
they were written, and the few kinds of calls that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import calcsize

from msgspec import Struct

from slowlink.model.source import Ref

KIND, NUMBER, TIME, ENDED = "H", "I", "f", "d"
"""What a value of each column is, as ``array`` and ``struct`` name it, in the order of this machine."""
INSPECTOR, INSPECTOR_METRICS, KINETO = "nccl-inspector", "nccl-inspector-metrics", "kineto"
ACCL = "accl-profiler"
NO_COMM = "an unnamed communicator"
"""Of calls of which neither their lines nor their file's name tell the communicator: they are compared with nothing."""
PART = "f"
PARTS = ("enqueue", "kernel", "gpu_wait", "peer_wait", "network", "flush", "gpu_recv_wait")
"""What ``TimedCalls.parts`` may have, as accl-profiler names them. What they hold depends on its version but for
``enqueue`` and ``kernel``: older ones add the time before a step of the proxy enters a state to that state, newer ones
the time in it, and nothing that they write tells which did."""

SENDS = frozenset({"send", "recv"})
"""Collectives that are of one rank to one other."""


class CallKind(Struct, frozen=True):
    """What calls that may be compared have in common."""

    collective: str
    """``all_reduce all_gather reduce_scatter alltoall broadcast reduce``; ``send`` and ``recv`` of one rank."""
    size_bytes: int
    """As the source counts it: of all_gather and reduce_scatter what one rank gives or gets."""
    peer: int | None = None
    """The other rank of ``send`` and ``recv``, in the same communicator."""
    method: str = ""
    """Algorithm and protocol, of a source that counts calls of each apart."""


class TimedCalls(Struct, frozen=True):
    """All calls of one rank in one communicator that one source holds."""

    tool: str
    comm: str
    """What all ranks of the communicator call it, and no other communicator of the job is called."""
    comm_name: str
    """"" where it has none."""
    rank: int
    """In the communicator; of a process group of which not all ranks are listed, in the job."""
    nranks: int
    nnodes: int | None
    host: str | None
    pid: int | None
    world_rank: int | None
    """In the whole job, where the source tells."""
    gpu: int | None
    kinds: tuple[CallKind, ...]
    kind: bytes
    """Which of ``kinds``, of each call."""
    number: bytes
    """Of each call: the same on all ranks that take part in it, and no other call of its kind has it. Meaningless for
    ``send`` and ``recv``."""
    time_us: bytes
    """How long each call was at work on this rank: with the time that it waited there for others."""
    ended: bytes
    """When each ended, or was written down soon afterwards, epoch seconds; 0 where nothing tells."""
    timed_by: Mapping[str, int]
    """Which clock measured how many of them: ``kernel_gpu``, ``kernel_cpu``, ``collective_cpu``."""
    ref: Ref
    """The first."""
    counted: bool = False
    """Calls have no numbers: ``number`` means nothing, and a call is told by its place among those of its kind."""
    own_clock: bool = False
    """``ended`` is of a clock that nothing else goes by (a GPU's): its differences are seconds, and no more."""
    parts: Mapping[str, bytes] = {}
    """Of ``PARTS``, microseconds of each call (``PART``); not a number where a call does not tell it."""
    lost: str = ""
    """What its writer says that it left out, in words; "" where it says nothing of the kind."""
    unfinished: bool = False
    """Its writer ends each file with a summary, and there is none: the process was killed, or it goes on."""

    def __len__(self) -> int:
        return len(self.kind) // calcsize(KIND)

    def is_sound(self) -> bool:
        """Do the columns go together? They may have been sent by anybody."""
        lengths = {
            len(column) / calcsize(code)
            for column, code in ((self.kind, KIND), (self.number, NUMBER), (self.time_us, TIME), (self.ended, ENDED))
        }
        lengths |= {len(column) / calcsize(PART) for column in self.parts.values()}
        if len(lengths) != 1 or lengths.pop() % 1:
            return False
        return not self.kind or max(memoryview(self.kind).cast("H")) < len(self.kinds)
