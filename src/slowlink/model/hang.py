"""What shows where a hanging job stands: NCCL's RAS, and the flight recorder of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from slowlink.model.source import Ref


@dataclass(frozen=True, slots=True)
class RasProcess:
    """A process of the job, or one rank in it, as RAS names it."""

    ref: Ref
    rank: int | None = None
    """Rank in its communicator; None where RAS speaks of the process as a whole."""
    pid: int | None = None
    host: str | None = None
    gpus: str | None = None
    """CUDA devices as printed: ``0``, ``0-3``; NVML's number in brackets where it differs."""
    responsive: bool | None = None
    """False: it did not answer RAS. None where the format does not tell."""
    dead: bool | None = None
    """True: RAS gave it up. None where the format does not tell."""


@dataclass(frozen=True, slots=True)
class RasShare:
    """The ranks of a communicator that share one state or operation count."""

    ranks: int
    operation: int | None = None
    """Number of the last operation that they launched; None: none launched, or this is about a status."""
    status: str | None = None
    members: tuple[RasProcess, ...] = ()
    """Those that RAS names; it leaves the majority unnamed."""


@dataclass(frozen=True, slots=True)
class RasMismatch:
    """Ranks of one communicator that differ. RAS counts launches, so a small difference is normal while a job runs."""

    kind: Literal["operations", "status"]
    collective: str | None
    """``AllReduce`` ... since 2.26; None before, when all were counted together."""
    shares: tuple[RasShare, ...]
    ref: Ref


@dataclass(frozen=True, slots=True)
class RasError:
    """What RAS lists under its errors."""

    kind: Literal["missing-process", "dead", "missing-rank", "init-error", "async-error"]
    count: int
    """Processes for the first two, ranks for the others."""
    members: tuple[RasProcess, ...]
    ref: Ref
    codes: tuple[str, ...] = ()
    """Results of NCCL that these ranks report, as printed."""


@dataclass(frozen=True, slots=True)
class RasCommunicator:
    """One communicator that RAS names (by its hash), with what is special about it."""

    hash: str
    """Hexadecimal, without 0x."""
    size: int | None
    """Ranks; None where the text does not say."""
    present: int | None
    """Ranks that data was collected from; None where the text does not say."""
    mismatches: tuple[RasMismatch, ...]
    errors: tuple[RasError, ...]
    ref: Ref


@dataclass(frozen=True, slots=True)
class RasGroup:
    """One row of the table of communicators: ``comms`` of them have the same shape and state."""

    comms: int
    nodes: int
    ranks_per_node: str
    """``8`` or ``4-8``."""
    size: int
    """Ranks in each communicator."""
    ranks: int
    """Ranks in all of them."""
    status: str
    """``RUNNING``, ``INIT``, ``FINALIZE``, ``ABORT``, ``NOCOMM``; several joined by commas."""
    errors: tuple[str, ...]
    """Empty for OK; else ``MISMATCH``, ``ERROR``, ``INCOMPLETE``."""
    ref: Ref


@dataclass(frozen=True, slots=True)
class RasSnapshot:
    """One answer of RAS (``ncclras``): the job at one moment."""

    ref: Ref
    nccl: str | None = None
    cuda_runtime: int | None = None
    cuda_driver: int | None = None
    timestamp: str | None = None
    nodes: int | None = None
    processes: int | None = None
    gpus: int | None = None
    outliers: tuple[str, ...] = ()
    """Nodes that run another number of processes than most, as printed."""
    groups: tuple[RasGroup, ...] = ()
    communicators: tuple[RasCommunicator, ...] = ()
    """In text only those with an error or a warning."""
    count: int | None = None
    """Communicators of the job."""
    errors: tuple[RasError, ...] = ()
    """Of the job as a whole."""
    timeouts: int = 0
    """Answers that RAS waited for in vain while it gathered."""
    complete: bool = True
    """False: the text ended inside it."""


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """A process group as one process knows it."""

    name: str
    description: str
    """``default_pg``, or what the program called it; "" when nothing."""
    ranks: tuple[int, ...]
    """Global ranks in order of their rank in the group."""


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """Numbers of the last work of one process group in one process; -1: none. In a group that was used for send and
    recv they may be numbers of those."""

    enqueued: int | None
    started: int | None
    completed: int | None


@dataclass(frozen=True, slots=True)
class FlightEntry:
    """One operation in a flight recorder."""

    group: str
    """Name of the process group."""
    description: str
    seq: int
    """Number of the collective in its group; for send and recv their own number."""
    operation: str
    """``all_reduce``; ``send 0->1`` with ranks in the group."""
    state: str
    """``scheduled`` (enqueued, not started on the GPU), ``started`` or ``completed``."""
    p2p: bool
    order: int
    """Grows in the order in which this process enqueued."""
    group_id: int | None = None
    """This process's own number of the group, under which its status stands."""
    input_sizes: tuple[tuple[int, ...], ...] | None = None
    output_sizes: tuple[tuple[int, ...], ...] | None = None
    input_dtypes: tuple[str, ...] | None = None
    output_dtypes: tuple[str, ...] | None = None
    retired: bool = False
    """The watchdog is done with it; when it is not completed then it was given up."""
    created_ns: int | None = None
    timeout_ms: int | None = None
    frame: str = ""
    """The program's line that called it, where it was recorded."""


@dataclass(frozen=True, slots=True)
class FlightDump:
    """The flight recorder of one rank."""

    ref: Ref
    rank: int | None
    rank_basis: str
    """How the rank is known: ``rank``, ``process groups``, ``file name``; "" when it is not."""
    version: str | None = None
    nccl: str | None = None
    groups: Mapping[str, ProcessGroup] = field(default_factory=dict)
    """By name."""
    status: Mapping[str, GroupStatus] = field(default_factory=dict)
    """By this process's own number of the group, as text."""
    entries: tuple[FlightEntry, ...] = ()
    """In order."""
    partial: bool = False
    """Cut or damaged: what is missing in it proves nothing."""


@dataclass(frozen=True, slots=True)
class FaultInjected:
    """A fault that somebody injected to test a job, as the injector noted it."""

    ranks: tuple[int, ...]
    fault: str | None
    """Its kind: ``GPU_ERROR`` ..., None where the line does not say."""
    delay_s: float | None
    ref: Ref
