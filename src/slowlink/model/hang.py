"""What shows where a hanging job stands: NCCL's RAS, and the flight recorder of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from slowlink.model.source import Ref


class RasProcess(Struct, frozen=True):
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


class RasShare(Struct, frozen=True):
    """The ranks of a communicator that share one state or operation count."""

    ranks: int
    operation: int | None = None
    """Number of the last operation that they launched; None: none launched, or this is about a status."""
    status: str | None = None
    members: tuple[RasProcess, ...] = ()
    """Those that RAS names; it leaves the majority unnamed."""


class RasMismatch(Struct, frozen=True):
    """Ranks of one communicator that differ. RAS counts launches, so a small difference is normal while a job runs."""

    kind: Literal["operations", "status"]
    collective: str | None
    """``AllReduce`` ... since 2.26; None before, when all were counted together."""
    shares: tuple[RasShare, ...]
    ref: Ref


class RasError(Struct, frozen=True):
    """What RAS lists under its errors."""

    kind: Literal["missing-process", "dead", "missing-rank", "init-error", "async-error"]
    count: int
    """Processes for the first two, ranks for the others."""
    members: tuple[RasProcess, ...]
    ref: Ref
    codes: tuple[str, ...] = ()
    """Results of NCCL that these ranks report, as printed."""


class RasCommunicator(Struct, frozen=True):
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
    launched: tuple[tuple[int, int], ...] = ()
    """Ranks, in order, with how many collectives each has launched in all; empty where the format does not tell."""


class RasGroup(Struct, frozen=True):
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


class RasSnapshot(Struct, frozen=True):
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


class RasAsked(Struct, frozen=True):
    """One address of RAS that slowlink asked on a node (``collectors/job/nccl-ras.sh``), and how that ended."""

    address: str
    """``localhost:28028``."""
    at: float
    """Seconds since the epoch, by the node's clock."""
    outcome: str
    """``answered``; ``cut``: its answer is not whole; ``silent``: none; ``foreign``: no RAS; ``absent``: nothing
    listens there; ``unasked``: something does, and other nodes were asked; ``""``: the transcript ends before."""
    detail: str
    ref: Ref
    """The line before its answer."""
    last_line: int | None
    """Of its answer."""
    host: str | None = None


class ProcessGroup(Struct, frozen=True, eq=False):
    """A process group as one process knows it. Compared by identity: comparing thousands of ranks for each operation
    would cost more than anything else. Facts join equal ones of different dumps to one object."""

    name: str
    description: str
    """``default_pg``, or what the program called it; "" when nothing."""
    ranks: tuple[int, ...]
    """Global ranks in order of their rank in the group."""


class GroupStatus(Struct, frozen=True):
    """Numbers of the last work of one process group in one process; -1: none. In a group that was used for send and
    recv they may be numbers of those."""

    enqueued: int | None
    started: int | None
    completed: int | None


class FlightEntry(Struct, frozen=True):
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


class FlightDump(Struct, frozen=True):
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


class FaultInjected(Struct, frozen=True):
    """A fault that somebody injected to test a job, as the injector noted it."""

    ranks: tuple[int, ...]
    fault: str | None
    """Its kind: ``GPU_ERROR`` ..., None where the line does not say."""
    delay_s: float | None
    ref: Ref


class Wait(Struct, frozen=True):
    """One operation that ranks wait in, seen from all dumps together."""

    group: ProcessGroup
    operation: str
    seq: int
    p2p: bool
    waiting: tuple[int, ...]
    """Ranks that enqueued it, have not finished it, and are blocked in nothing older."""
    absent: tuple[int, ...]
    """Ranks that have not enqueued it."""
    elsewhere: tuple[int, ...]
    """Ranks that enqueued it and are still blocked in something older."""
    done: tuple[int, ...]
    """Ranks that finished it."""
    unknown: tuple[int, ...]
    """Ranks of which no dump tells."""
    sample: tuple[int, FlightEntry]
    """A rank that waits, and its entry."""


class Blocked(Struct, frozen=True):
    """A rank that others wait for, directly or behind one another, while it waits for nobody."""

    rank: int
    reason: Literal["absent", "behind", "idle", "silent"]
    """It has not enqueued what the others wait in; it has not finished what the others have; it has nothing under way,
    and its dump does not tell whether it has been there; it left no dump."""
    waits: tuple[Wait, ...]
    """What ranks wait for it in; the one with the most waiting ranks first."""
    oldest: FlightEntry | None
    """The oldest operation that it has not finished itself."""
    last_enqueued: int | None
    """The number of the last work that it enqueued in the group of the first wait; None when unknown."""


class Difference(Struct, frozen=True):
    """Two ranks that called something else under one number of one group."""

    group: ProcessGroup
    seq: int
    what: Literal["operation", "sizes", "dtypes"]
    usual: tuple[int, ...]
    """Ranks that called what most did."""
    odd: tuple[int, ...]
    usual_entry: FlightEntry
    odd_entry: FlightEntry


class FlightSet(Struct, frozen=True):
    """The dumps of one job at one moment."""

    dumps: Mapping[int, FlightDump]
    """By rank."""
    ranks: tuple[int, ...]
    """Every rank that some process group names."""
    missing: tuple[int, ...]
    """Ranks without a dump."""
    unreadable: tuple[int, ...]
    """Ranks whose dump is cut or damaged."""
    oldest: Mapping[int, FlightEntry]
    """For each rank that waits, the oldest operation that it has not finished."""
    waits: tuple[Wait, ...]
    blocked: tuple[Blocked, ...]
    """Of the surest kind that there is: shown by their own dumps, or without a dump, or idle."""
    circle: tuple[Wait, ...]
    """Operations whose ranks wait for one another in a circle."""
    together: tuple[Wait, ...]
    """Operations that all their ranks entered, and none finishes."""
    differences: tuple[Difference, ...]
    status: Mapping[int, Mapping[str, GroupStatus]]
    """Rank -> name of the process group -> its status, where the two can be joined."""
    moved: bool = False
    """Another set of the same job is older or younger, and ranks have gone on in between: the job ran."""

    held_up: tuple[int, ...] = ()
    """Ranks that wait, without those that hold the others up."""


class Flights(Struct, frozen=True):
    """All flight recorder dumps, job by job."""

    all: tuple[FlightSet, ...]
    unplaced: tuple[FlightDump, ...] = ()
    """Dumps whose rank is unknown."""
    unread: str = ""
    """An input that was read only in part and may hold dumps of more ranks; "" for none."""


class StuckMismatch(Struct, frozen=True):
    """A mismatch that two answers of RAS show unmoved: the ranks behind do not come."""

    communicator: str
    collective: str | None
    ahead: RasShare
    behind: tuple[RasShare, ...]
    first: Ref
    last: Ref


class RasJob(Struct, frozen=True):
    """The answers about one job, in order."""

    all: tuple[RasSnapshot, ...]
    stuck: tuple[StuckMismatch, ...]
    moved: bool | None
    """Did operation counts grow between the last two answers that can be compared? None: there are none."""
    still: tuple[RasCommunicator, ...] = ()
    """Those of the newest answer of which no rank launched anything since the one before."""
    going: tuple[str, ...] = ()
    """Hashes of those of which every rank launched something since."""
    seconds: float | None = None
    """Between these two answers, where it is known."""
    asked: bool = False
    """Did slowlink itself ask?"""

    @property
    def newest(self) -> RasSnapshot:
        return self.all[-1]


class Ras(Struct, frozen=True):
    """All answers of RAS, job by job. Told apart are jobs only where slowlink itself asked; all other answers count as
    those of one job."""

    all: tuple[RasSnapshot, ...]
    jobs: tuple[RasJob, ...]


class RasQuestions(Struct, frozen=True):
    """All addresses of RAS that slowlink asked, in order."""

    all: tuple[RasAsked, ...]


class Injected(Struct, frozen=True):
    """Faults that were injected on purpose."""

    all: tuple[FaultInjected, ...]
