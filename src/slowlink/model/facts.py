"""The picture that the records join to: what rules and expectations ask for by type.

A fact that was not collected is absent (None in ``Facts``), never an empty collection: unknown is not healthy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from slowlink.model.benchmark import BandwidthMatrix, CollectiveRun, MpiTables, PairTable, PerftestRun, Point
from slowlink.model.edges import Edges
from slowlink.model.hang import Flights, Injected, Ras, RasQuestions
from slowlink.model.job import Command, JobEvent, Observation, TrainingPace
from slowlink.model.ladder import Ladder
from slowlink.model.nccl import (
    AlgorithmChoice,
    Bootstrap,
    ChannelCounts,
    CollectiveCall,
    CommInit,
    ComponentVersion,
    EnvSetting,
    GdrDecision,
    GraphSearch,
    LibraryVersion,
    LogProcess,
    LogWarning,
    NetDevice,
    NetworkChoice,
    NvlsSupport,
    PluginEvent,
    ProxyCore,
    TopologyLink,
    TopologySummary,
)
from slowlink.model.policy import PolicyReview
from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Collected, Reading
from slowlink.model.timed import Timed


class MeasuredSweep(Struct, frozen=True):
    """One run of a collective benchmark joined with what else is known about it."""

    run: CollectiveRun
    name: str
    """``job.log:12``: source and first line."""
    collective: str | None
    nranks: int | None
    nranks_basis: str
    """``device list``, ``busbw/algbw = 1.875``, ``NCCL log`` ..., "" when unknown."""
    nnodes: int | None
    nnodes_basis: str
    hosts: tuple[str, ...]
    gpu: str | None
    """The device's name as printed somewhere, not a catalogue id."""
    library: LibraryVersion | None
    points: tuple[Point, ...]
    """The points that can be used as numbers: bandwidth and time there, no doubt about them."""
    peak_busbw_gbs: float | None
    complete: bool
    interleaved: bool = False
    """Printed by one of several single processes side by side (a build without MPI)."""


class Sweeps(Struct, frozen=True):
    """Every collective benchmark run, in order of source and line."""

    all: tuple[MeasuredSweep, ...]


class NicGroup(Struct, frozen=True):
    """NICs of one kind in a node: ``8 x 400``."""

    count: int
    rate_gbit: float
    link_layer: str | None = None
    """``IB``, ``RoCE``, ``EFA``, ``Slingshot``, ``TCPX`` ... or None when unknown."""


class Hardware(Struct, frozen=True):
    """What one node of the job is made of, as far as it was given or can be inferred."""

    system: str | None
    """Catalogue id of the system: ``hgx_h100``."""
    gpu: str | None
    """Catalogue id of the GPU: ``h100-sxm``."""
    gpus_per_node: int | None
    nics: tuple[NicGroup, ...]  # empty when unknown
    basis: str  # one sentence: how each part is known; "" when nothing is
    given: bool = False
    """Given by the user, not inferred."""
    mentioned: bool = False
    """A part rests on words around the numbers, not on what a tool printed."""
    ports: int | None = None
    """How many HCAs the log names while it does not print their rates: a node has at least these."""
    nodes: int | None = None
    """How many nodes like this the job has, where the user says so."""
    linked: bool | None = None
    """Does NVLink join GPUs, as far as NCCL's topology shows it? None where no line tells."""
    excluded: frozenset[str] = frozenset()
    """Architectures of GPUs that cannot be here, where the GPU is not known."""


class Communicators(Struct, frozen=True):
    """Communicators as NCCL's log tells them, and who should be in them."""

    all: tuple[CommInit, ...]
    processes: tuple[LogProcess, ...]
    nranks: int | None
    """Of the largest communicator."""
    hosts: tuple[str, ...]
    host_of_rank: Mapping[int, str]
    """For the largest communicator."""
    incomplete: tuple[CommInit, ...]
    """START without COMPLETE, where the log shows COMPLETE lines of others or the version prints them."""


class Transports(Struct, frozen=True):
    """How ranks reach one another, from channel lines."""

    edges: Edges
    intra: Edges
    """Between ranks on one node (P2P, SHM, or NET inside a node when the hosts are known)."""
    inter: Edges
    """Between nodes (NET, COLLNET)."""
    gdr: bool | None
    """True: every RDMA edge between nodes uses GPUDirect RDMA; False: none does; None: mixed, no RDMA edge, or not
    collected."""
    gdr_mixed: bool


class GdrDecisions(Struct, frozen=True):
    """``GPU Direct RDMA Enabled|Disabled`` lines."""

    all: tuple[GdrDecision, ...]
    dmabuf: tuple[Ref, ...]


class Network(Struct, frozen=True):
    """Which network NCCL chose, its devices, plug-ins and start-up interface."""

    choices: tuple[NetworkChoice, ...]
    devices: tuple[NetDevice, ...]
    plugins: tuple[PluginEvent, ...]
    bootstraps: tuple[Bootstrap, ...]
    no_ib_device: tuple[Ref, ...]
    single_node: bool | None
    """True when all ranks sit on one node, so that the network carries nothing; None when unknown."""


class Topology(Struct, frozen=True):
    """NVLS, channels, graph search and the topology tree."""

    nvls: tuple[NvlsSupport, ...]
    channel_counts: tuple[ChannelCounts, ...]
    graphs: tuple[GraphSearch, ...]
    links: tuple[TopologyLink, ...]
    summaries: tuple[TopologySummary, ...]
    algorithms: tuple[AlgorithmChoice, ...]


class ProxyCores(Struct, frozen=True):
    """On which cores the proxy threads of ranks began."""

    all: tuple[ProxyCore, ...]


class Calls(Struct, frozen=True):
    """Last collective call of each rank and communicator."""

    all: tuple[CollectiveCall, ...]


class Environment(Struct, frozen=True):
    """Settings in force, by name, and where each came from."""

    settings: tuple[EnvSetting, ...]
    """Those that were in force: announced by the library, or given to the command that ran."""
    values: Mapping[str, tuple[str, ...]]
    """Distinct values of each name in ``settings``, in order of appearance."""
    advised: tuple[EnvSetting, ...] = ()
    """Settings in text that only talks about them (prose, tables, manifests of something that did not run here)."""
    headings: tuple[EnvSetting, ...] = ()
    """Those that stand in headings above tables; an empty value where one says that a variable was not set."""


class Versions(Struct, frozen=True):
    """Versions of libraries and components per process."""

    libraries: tuple[LibraryVersion, ...]
    components: tuple[ComponentVersion, ...]


class Warnings(Struct, frozen=True):
    """Catalogued messages of NCCL, primary and secondary."""

    all: tuple[LogWarning, ...]


class Events(Struct, frozen=True):
    """Messages of launchers, schedulers, frameworks and the kernel."""

    all: tuple[JobEvent, ...]


class Commands(Struct, frozen=True):
    """Commands that were typed."""

    all: tuple[Command, ...]


class Perftests(Struct, frozen=True):
    """Point-to-point RDMA measurements."""

    all: tuple[PerftestRun, ...]


class Matrices(Struct, frozen=True):
    """nvbandwidth measurements."""

    all: tuple[BandwidthMatrix, ...]


class Paces(Struct, frozen=True):
    """How long the steps of training jobs took, in order of source and line."""

    all: tuple[TrainingPace, ...]


class Observations(Struct, frozen=True):
    """Plain facts about nodes that single lines state."""

    all: tuple[Observation, ...]


class Readings(Struct, frozen=True):
    """Readings of some attributes, over all nodes, in order of source and line."""

    all: Sequence[Reading]
    of_each: Mapping[str, Sequence[Reading]] | None = None
    """Those of each attribute, as the state has them: of the very same ones nothing has to be found out twice. None
    where nobody has parted them."""


class Of(tuple[str, ...]):
    """Names the attributes that a rule needs: ``Annotated[Readings, Of("cpu-governor")]``. One of them is enough."""

    __slots__ = ()

    def __new__(cls, *attributes: str) -> Of:
        return super().__new__(cls, attributes)

    @property
    def attributes(self) -> tuple[str, ...]:
        return self


class State(Struct, frozen=True):
    """Everything that is known of the state of nodes, devices and fabric. Every reading names its node."""

    readings: Mapping[str, Readings]
    """By attribute; an attribute that was not read is absent."""
    nodes: tuple[str, ...]
    """Nodes in order of appearance. A source that names no node counts as one, under the source's name."""
    unnamed: frozenset[str]
    """Those of ``nodes`` that are names of sources."""
    collected: tuple[Collected, ...] = ()
    """What was asked of the nodes and how that went, where a transcript tells."""


class Camp(Struct, frozen=True):
    """Nodes that say the same of an attribute."""

    value: str
    """As people write it: ``on``, ``550.90.07``; ``absent`` for a part that these nodes do not have."""
    readings: tuple[Reading, ...]
    """One for each of these nodes and parts; of a part that is absent, none."""
    nodes: tuple[str, ...]


class NodeDifference(Struct, frozen=True):
    """An attribute in which nodes differ, in the same way for each of ``parts``."""

    attribute: str
    parts: tuple[str, ...]
    """Names of parts; ``("",)`` for the node itself."""
    camps: tuple[Camp, ...]
    """At least two, the largest first."""


class Differences(Struct, frozen=True):
    """How nodes differ from one another, what matters most first. Empty: they were compared, and are alike."""

    all: tuple[NodeDifference, ...]
    compared: tuple[str, ...]
    """The nodes of which something is known, in order of appearance."""
    partly: tuple[str, ...] = ()
    """Those of ``compared`` of which something is not known that most others tell."""


class Busy(Struct, frozen=True):
    """What a process that is not of the run did on a node while it was watched."""

    node: str
    name: str
    """Its name, without arguments; processes of one name on one node are one."""
    on_gpu: bool
    """It held a GPU; otherwise it took what follows."""
    spans: tuple[tuple[float, float], ...]
    """(from, to), seconds since the epoch: the samples that saw it, joined where they touch."""
    percent: float
    """Mean over the samples that saw it take processor time, of one core; 0 where that is not known."""
    disk_mbs: float
    """Mean over the samples that saw it read from disks or write to them; 0 for none."""
    network_mbs: float
    """The same of bytes over TCP."""
    readings: tuple[Reading, ...]


class Watched(Struct, frozen=True):
    """Nodes that were sampled while something was measured there."""

    samples: Mapping[str, tuple[float, ...]]
    """Node -> times of its samples, ascending."""
    busy: tuple[Busy, ...]
    """Processes of others, the busiest first; empty: watched, and nobody was there."""


class Pair(Struct, frozen=True):
    """One test between two nodes (or two sets) of a survey."""

    a: str
    b: str
    sweep: MeasuredSweep


class PairSurvey(Struct, frozen=True):
    """Many runs over different pairs of nodes: at least three pairs that share nodes."""

    pairs: tuple[Pair, ...]
    """Completed ones."""
    unfinished: tuple[tuple[str, str, Ref], ...]
    """Pairs whose run did not come to its end."""
    nodes: tuple[str, ...]
    tables: tuple[PairTable, ...] = ()
    """Surveys of which only a table is there: a bandwidth a pair."""


class Sources(Struct, frozen=True):
    """What became of every input; always there."""

    all: tuple[SourceStats, ...]


class Facts(Struct, frozen=True):
    """Everything, by type. None: not collected."""

    sources: Sources
    sweeps: Sweeps | None = None
    hardware: Hardware | None = None
    communicators: Communicators | None = None
    transports: Transports | None = None
    gdr: GdrDecisions | None = None
    network: Network | None = None
    topology: Topology | None = None
    proxy_cores: ProxyCores | None = None
    calls: Calls | None = None
    environment: Environment | None = None
    versions: Versions | None = None
    warnings: Warnings | None = None
    events: Events | None = None
    commands: Commands | None = None
    perftests: Perftests | None = None
    matrices: Matrices | None = None
    mpi_tables: MpiTables | None = None
    observations: Observations | None = None
    paces: Paces | None = None
    survey: PairSurvey | None = None
    state: State | None = None
    differences: Differences | None = None
    watched: Watched | None = None
    ras: Ras | None = None
    ras_questions: RasQuestions | None = None
    flights: Flights | None = None
    injected: Injected | None = None
    ladder: Ladder | None = None
    policy: PolicyReview | None = None
    timed: Timed | None = None


class Absence(Struct, frozen=True):
    """What a rule needs and nobody collected."""

    fact: str
    """Name of the field of ``Facts``, or ``expectations``."""
    attributes: tuple[str, ...] = ()
    """The attributes asked for, where there is state of nodes and none of these in it."""
