"""What is to be run: frozen values that a launcher makes, ``--dry-run`` prints, and ``launch.execute`` runs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Node(Struct, frozen=True):
    """One host of an allocation."""

    name: str
    slots: int | None = None
    """Ranks that it may take; None: not said."""
    address: str | None = None
    """What to connect to, where it is not the name."""
    user: str | None = None
    port: int | None = None


class Allocation(Struct, frozen=True):
    """Which nodes, and how that is known: ``--nodes node[01-04]``, ``hostfile x.txt``, ``SLURM_JOB_NODELIST`` ..."""

    nodes: tuple[Node, ...]
    basis: str


class NodeScripts(Struct, frozen=True):
    """What each node (or pod) does around the ranks, for launchers that give the nodes back at the end."""

    before: str
    """Shell: a place for what ranks write."""
    after: str
    """Shell: prints what they wrote, in frames, also after ranks that were killed."""
    mark: str
    """Of the frames, random."""


class RankJob(Struct, frozen=True):
    """What every rank runs. How ranks are started is the launcher's business."""

    argv: tuple[str, ...]
    """Program and arguments of one rank, the same on every node."""
    nranks: int
    ranks_per_node: int
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that every rank gets, besides what the launcher needs."""
    cwd: str | None = None
    name: str = "slowlink"
    gpus_per_node: int | None = None
    timeout_s: float | None = None
    """The launcher's own limit where it has one (Slurm, Kubernetes); ``Plan.timeout_s`` bounds it from here."""
    around: NodeScripts | None = None
    """For launchers whose only way back is what the job prints."""


class PlannedFile(Struct, frozen=True):
    """A file that must exist before the plan runs: a hostfile, a batch script, Kubernetes objects."""

    path: str
    """Relative to the plan's own scratch directory, which is removed afterwards; argv names it ``{scratch}/path``."""
    content: str
    mode: int = 0o600


class Step(Struct, frozen=True):
    """One process that is started here."""

    argv: tuple[str, ...]
    """Never a shell string. ``{scratch}`` stands for the plan's scratch directory."""
    timeout_s: float | None = None


class Plan(Struct, frozen=True):
    """One launch, as a value: a pure function of the job, tested against its exact text."""

    launcher: str
    """``local``, ``ssh``, ``slurm``, ``kubernetes``."""
    argv: tuple[str, ...]
    """What is started here. ``{scratch}`` stands for the plan's scratch directory."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables added to our own environment for this process."""
    files: tuple[PlannedFile, ...] = ()
    stdin: str | None = None
    timeout_s: float | None = None
    """The process is ended after this long; None: the caller decides."""
    prepare: tuple[Step, ...] = ()
    """Run before, one after another; the first that fails ends the plan."""
    cleanup: tuple[Step, ...] = ()
    """Run afterwards whatever happened, also after Ctrl-C: removes what this plan made, by its own names or ids."""
    nodes: tuple[str, ...] = ()
    """Nodes that take part, in rank order."""
    note: str = ""
    """How ranks are laid out, in words."""


class Detection(Struct, frozen=True):
    """Can this launcher be used here, and why (not)."""

    launcher: str
    usable: bool
    reason: str


class Ended(Struct, frozen=True):
    """How one process came to its end."""

    status: int | None
    """Exit status; None when it was ended by a signal."""
    signal: int | None
    reason: str
    """``exited``, ``timeout``, ``silent`` and ``standing`` (watchdog: a node is gone, a rank stands still),
    ``interrupted``, ``enough`` (the time chosen was over), ``not-started``, ``written`` (no process)."""
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    detail: str = ""
    """For the user: which node is silent, what could not be started."""
    nodes: tuple[str, ...] = ()
    """Nodes that this is about: silent, lost, not reached."""


class Capture(Struct, frozen=True):
    """One entry of a bundle's manifest: what was run where and when, and where its output lies."""

    name: str
    """Unique in the bundle: ``run-1``, ``nccl-debug/node01.4711`` ..."""
    kind: str
    """``collective``, ``perftest``, ``nvbandwidth``, ``nccl-debug``, ``probe-iterations``, ``command``,
    ``environment``, ``state`` (a node's transcript)."""
    argv: tuple[str, ...]
    node: str | None
    files: tuple[str, ...]
    """Paths inside the bundle."""
    ended: Ended | None
    """None while it runs, or when slowlink was killed before it ended."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that matter for the result, redacted."""
