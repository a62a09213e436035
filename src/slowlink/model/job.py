"""What launchers, schedulers, frameworks and kernels print when something is wrong, and the commands people typed."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from slowlink.model.source import Ref


class JobEvent(Struct, frozen=True):
    """One message, repeated ones folded."""

    kind: str
    """Id of the message: ``slurm-time-limit``, ``ompi-not-enough-slots``, ``signal``, ``exit-code``,
    ``ssh-permission-denied``,
    ``library-missing``, ``torch-watchdog-timeout``, ``torch-nccl-error``, ``kernel-xid``, ``kernel-segfault`` ..."""
    origin: str
    """Who printed it: ``openmpi mpich slurm kubernetes ssh pytorch kernel loader nccl-tests fabricmanager shell
    libfabric``."""
    text: str
    groups: Mapping[str, str]
    """Named parts: host, rank, signal, code, library, xid, pci, pid, seconds, op, seq ..."""
    ref: Ref
    host: str | None = None
    rank: int | None = None
    secondary: bool = False
    """Follows from another rank's failure."""
    count: int = 1
    level: str = ""
    """How bad the program itself calls it: ``error``, ``warning``; "" where it does not say, or nobody asked."""


class Command(Struct, frozen=True):
    """A command line that somebody typed or a script ran: benchmark, launcher, diagnostic."""

    program: str
    """Base name of what is finally run: ``all_reduce_perf``, ``ib_write_bw``, ``dcgmi`` ..."""
    argv: tuple[str, ...]
    launcher: str | None
    """``mpirun``, ``srun``, ``torchrun`` ... when it was started through one."""
    nranks: int | None
    """``-np 16``, ``-n 16`` ..."""
    ranks_per_node: int | None
    hosts: tuple[str, ...]
    ref: Ref
    everywhere: bool = False
    """Run on all nodes (pdsh, parallel-ssh, clush)."""
    env: Mapping[str, str] = field(default_factory=dict)
    nodes: int | None = None
    """``-N 2`` of srun ..."""
    gpus: int | None = None
    """On each node, by ``--gres=gpu:4``, ``--gpus-per-node 4`` or ``CUDA_VISIBLE_DEVICES=0,1``."""


class Landmark(Struct, frozen=True, gc=False):
    """One step of a loop, with its line."""

    step: int
    """Its place among the steps, from 0."""
    ref: Ref


class TrainingPace(Struct, frozen=True):
    """How long the steps of one training job took, or how much a server did, as one stream prints them."""

    program: str
    """The framework whose line it is: ``Megatron-LM``; ``training loop`` where the line is of nobody's."""
    seconds: tuple[float, ...]
    """Of each step, or for one unit where the line gives a rate; in order."""
    count: int
    """Steps printed; more than are kept in a very long log."""
    last: Ref
    ref: Ref
    """The first step."""
    spanned: int = 0
    """Steps from the first line to the last by the loop's own counter, which may print each tenth; 0: unknown."""
    unit: str = ""
    """What a rate counts (``tokens``); "" where steps were timed, or nobody says what is counted."""
    work: str = "training"
    """``training``, ``serving``, or ``unknown``: a progress bar need not say what it counts."""
    reports: bool = False
    """Is each line a report over some work, however its counter counts, and never a single step?"""
    landmarks: tuple[Landmark, ...] = ()
    """In order: every step of a short log; of a long one the slowest step of each of some hundred equal parts."""


class Observation(Struct, frozen=True):
    """A plain fact about a node or its software that a line states: ``memory-peers-file-missing``, ``mm-kobj-absent``,
    ``governor``, ``acs-off``, ``gpu-count`` ..."""

    kind: str
    subject: str
    """What it is about: a path, a device, a kernel; "" when the line does not say."""
    value: str
    host: str | None
    ref: Ref
    count: int = 1
