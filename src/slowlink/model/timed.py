"""Calls of a running job joined over its ranks: who took part in which call, and how long it took each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from slowlink.model.source import Ref
from slowlink.model.timed_calls import CallKind

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]
else:
    Array = Any


class Process(Struct, frozen=True):
    """One process of the job, which has one GPU."""

    name: str
    """``node07 process 4103``: of all records of a job no other has it."""
    host: str | None
    pid: int | None
    gpu: int | None
    world_rank: int | None
    place: int | None
    """Among the processes of its node, by their ids; None where the node is not told."""
    of_node: int
    """How many of its node are known."""


class Member(Struct, frozen=True):
    """A process in one communicator."""

    process: int
    """Which of ``Timed.processes``."""
    rank: int
    ref: Ref


class CallTimes(Struct, frozen=True, eq=False):
    """All calls of one kind in one communicator, in their order."""

    kind: CallKind
    times_us: Array
    """[call, member] in microseconds; not a number where a member's record of the call is not here."""
    numbers: Array
    """[call]"""
    ended: Array
    """[call] epoch seconds; 0 where nothing tells."""
    recorded: Array
    """[call] seconds as ``ended``, without the pauses in which nothing was recorded; where no clock but that of a GPU
    tells, by the one of which most calls are known."""


class SendTimes(Struct, frozen=True, eq=False):
    """All sends (or receives) of one member to one other rank, of one size."""

    member: int
    """Which of the group's ``members``."""
    kind: CallKind
    times_us: Array
    """[call]"""


class PartTimes(Struct, frozen=True, eq=False):
    """What one part of the calls of one kind takes, as its writer calls it."""

    kind: CallKind
    name: str
    """One of ``timed_calls.PARTS``."""
    us: Array
    """[member] median over its calls, microseconds; not a number where it does not tell."""


class TimedGroup(Struct, frozen=True, eq=False):
    """One communicator, as far as records of its ranks are here."""

    comm: str
    name: str
    nranks: int
    nnodes: int | None
    members: tuple[Member, ...]
    calls: tuple[CallTimes, ...]
    sends: tuple[SendTimes, ...]
    parts: tuple[PartTimes, ...] = ()


class Timed(Struct, frozen=True, eq=False):
    """What is known of the calls of a running job."""

    processes: tuple[Process, ...]
    groups: tuple[TimedGroup, ...]
    tools: tuple[str, ...]
    on_gpu: bool
    """Were nearly all times taken on the GPU? Those of a processor hold what it did meanwhile."""
    calls: int
    unclear: tuple[str, ...] = ()
    """Communicators that were left out, and why: the first of them."""
    unclear_groups: int = 0
    """How many there are."""
    unclear_calls: int = 0
    """Calls in them, of ``calls``."""
    sends_unseen: bool = False
    """Whoever timed them does not record sends and receives: whether a job has any is not told."""
    lost: tuple[str, ...] = ()
    """What writers say that they left out, a source each: the first of them."""
    lossy: int = 0
    """How many sources say so."""
    unfinished: int = 0
    """Sources that a writer ends with a summary, and has not: it was killed, or goes on."""
