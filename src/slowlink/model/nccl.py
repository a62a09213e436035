"""What NCCL's, RCCL's and MCCL's own log lines say, one record a message, repeated messages folded.

Every record carries ``host`` and ``pid`` of the process that logged it (from the ``host:pid:tid`` prefix, or the
launcher's prefix where that is missing) and ``ref``, its first line. Ranks are joined later, in facts.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from slowlink.model.edges import EdgeColumns
from slowlink.model.source import LogProcess as LogProcess
from slowlink.model.source import Ref


class LibraryVersion(Struct, frozen=True):
    """``NCCL version 2.29.7+cuda13.1``, ``RCCL version : 2.26.6-...``, ``MCCL version ...``."""

    library: str
    """``NCCL``, ``RCCL`` or ``MCCL``."""
    version: str
    """``2.29.7``: digits and dots alone."""
    runtime: str | None
    """``cuda13.1``, ``hip6.4`` ... as printed after ``+``."""
    process: LogProcess
    ref: Ref


class ComponentVersion(Struct, frozen=True):
    """``cudaDriverVersion 12040``, ``NET/OFI Initializing aws-ofi-nccl 1.13.2``, ``HIP version``, ``ROCm version``
    ..."""

    component: str
    """``cuda-driver``, ``aws-ofi-nccl``, ``libfabric``, ``hip``, ``rocm``, ``gdrcopy``, ``kernel`` ..."""
    version: str
    process: LogProcess
    ref: Ref


class EnvSetting(Struct, frozen=True):
    """A variable that was announced, exported or given on a command line."""

    name: str
    value: str
    origin: str
    """``log`` (NCCL announced it), ``command`` (mpirun -x, env prefix of a command that was typed), ``export``,
    ``manifest`` (YAML), ``dump`` (env output), ``default`` (announced as an invalid value, default used), ``plugin``
    (a plug-in says that it makes this setting), ``heading`` (somebody's words above a table)."""
    process: LogProcess
    ref: Ref
    made_by: str = ""
    """The plug-in or platform that makes this setting; "" for one that somebody chose."""


class NetworkChoice(Struct, frozen=True):
    """``Using network IB``: what a communicator uses between nodes; where that line is missing, the start of the socket
    transport, which NCCL tries last."""

    network: str
    process: LogProcess
    ref: Ref


class NetDevice(Struct, frozen=True):
    """One entry of ``NET/IB : Using [0]mlx5_0:1/IB ...`` or of ``NET/Socket : Using [0]eth0:10.0.0.1<0>``."""

    transport: str
    """``IB`` or ``Socket`` or a plug-in's name."""
    index: int
    name: str
    port: int | None
    link_layer: str | None
    """``IB`` or ``RoCE``."""
    speed_gbit: float | None
    process: LogProcess
    ref: Ref
    members: tuple[str, ...] = ()
    """Physical devices of a merged (virtual) device."""
    list_cut: bool = False
    """The line was visibly cut (``...``, 1024 characters): there may be more devices."""


class Bootstrap(Struct, frozen=True):
    """``Bootstrap : Using eth0:10.0.0.1<0>``: the TCP interface for start-up."""

    interface: str
    address: str
    process: LogProcess
    ref: Ref


class PluginEvent(Struct, frozen=True):
    """A plug-in was looked for, found, failed to load, initialised or assigned."""

    kind: str
    """``NET``, ``TUNER``, ``PROFILER``, ``ENV``, ``GIN``, ``RMA``, ``COLLNET``."""
    event: str
    """``not-found``, ``load-failed``, ``symbol-missing`` (harmless probing, where a ``loaded`` follows),
    ``unsupported``, ``loaded``, ``initialized``, ``init-failed``,
    ``assigned``, ``selected-by-env``, ``internal``, ``found`` (its file)."""
    name: str | None
    detail: str | None
    process: LogProcess
    ref: Ref


class CommInit(Struct, frozen=True):
    """One rank's part in creating a communicator: the START, ``nRanks nNodes`` and COMPLETE lines joined."""

    process: LogProcess
    comm: str | None
    """Address as printed (``0x55...``): unique within a process only."""
    comm_id: str | None
    """``commId``: equal on all ranks (>= 2.16); None where the version does not print it."""
    rank: int | None
    nranks: int | None
    cuda_dev: int | None
    nvml_dev: int | None
    bus_id: str | None
    """Hex text as printed: ``b3000``."""
    nnodes: int | None
    local_ranks: int | None
    local_rank: int | None
    mnnvl: bool | None
    parent: str | None
    """Address of the parent communicator of a split."""
    started: Ref | None
    completed: Ref | None
    init_seconds: float | None
    """``Init timings ... total``."""
    init_parts: tuple[tuple[str, float], ...] = ()
    """Seconds of each part of it: ``kernels alloc bootstrap allgathers topo graphs connections rest``."""
    destroyed: Ref | None = None
    aborted: Ref | None = None
    timed: Ref | None = None
    """Where the timings stand."""


class GdrDecision(Struct, frozen=True):
    """``GPU Direct RDMA Enabled|Disabled for GPU/HCA ... (distance D <= L)``."""

    enabled: bool
    hca: str | None
    hca_index: str | None
    gpu: str | None
    distance: int | None
    limit: int | None
    reason: str | None
    """``no module``, ``distance`` or None."""
    process: LogProcess
    ref: Ref
    count: int = 1


class ChannelCounts(Struct, frozen=True):
    """``16 coll channels, 16 collnet channels, 0 nvls channels, 32 p2p channels, 2 p2p channels per peer``."""

    coll: int
    collnet: int | None
    nvls: int | None
    p2p: int
    p2p_per_peer: int | None
    process: LogProcess
    ref: Ref


class NvlsSupport(Struct, frozen=True):
    """``NVLS multicast support is (not) available on dev 0``."""

    available: bool
    device: int | None
    process: LogProcess
    ref: Ref


class RingOrder(Struct, frozen=True):
    """``Channel 00/08 :  0 1 2 3``: ranks in the order of one ring."""

    channel: int
    nchannels: int
    ranks: tuple[int, ...]
    cut: bool
    process: LogProcess
    ref: Ref


class GraphSearch(Struct, frozen=True):
    """``Pattern 4, crossNic 0, nChannels 8, bw 48.0/48.0, type NVL/PIX, sameChannels 1``."""

    pattern: int
    cross_nic: int | None
    nchannels: int
    bw_intra_gbs: float
    """Per channel."""
    bw_inter_gbs: float
    type_intra: str
    type_inter: str
    process: LogProcess
    ref: Ref


class TopologyLink(Struct, frozen=True):
    """One link of the ``=== System`` tree: ``+ PCI[24.0] - GPU/B3000 (0)``."""

    kind: str
    """``NVL PCI C2C SYS NET LOC``."""
    bandwidth_gbs: float
    parent: str | None
    child: str
    """Node text as printed, e.g. ``GPU/B3000 (0)`` or ``NET/0 (...)``."""
    process: LogProcess
    ref: Ref


class TopologySummary(Struct, frozen=True):
    """``=== System : maxBw 48.0 totalBw 370.8 ===``."""

    max_bw_gbs: float
    total_bw_gbs: float | None
    process: LogProcess
    ref: Ref


class AlgorithmChoice(Struct, frozen=True):
    """``AllReduce: 8589934592 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}`` (TUNING)."""

    collective: str | None
    size_bytes: int
    algorithm: str
    """``TREE RING COLLNET_DIRECT COLLNET_CHAIN NVLS NVLS_TREE PAT``, ids translated."""
    protocol: str
    """``LL LL128 SIMPLE``."""
    process: LogProcess
    ref: Ref


class ProxyCore(Struct, frozen=True):
    """``[Proxy Progress] Device 4 CPU core 61``: where a thread of NCCL began, on the processors it may use."""

    thread: str
    """``Progress`` (drives the network), ``Service``, ``Service UDS``."""
    device: int
    """CUDA device of the process: the GPU's number in the node only where nothing hides GPUs from it."""
    core: int
    process: LogProcess
    ref: Ref


class CollectiveCall(Struct, frozen=True):
    """The last ``opCount`` line of one (process, communicator), with what was called (COLL)."""

    collective: str
    op_count: int
    count: int
    datatype: int
    redop: int
    root: int
    comm: str
    nranks: int | None
    calls: int
    """Lines folded."""
    process: LogProcess
    ref: Ref


class LogWarning(Struct, frozen=True):
    """A line of the catalogue of facts about WARN messages (or an INFO line that belongs to it)."""

    message: str
    """Id in the catalogue: ``ib-completion-error``, ``shm-extend-failed``, ``duplicate-gpu`` ...; ``unknown``
    otherwise."""
    level: str
    """``WARN`` or ``INFO`` as printed."""
    text: str
    """The message, continuation lines joined with blanks."""
    secondary: bool
    """Caused by another rank's failure: never a root cause."""
    groups: Mapping[str, str]
    """Named parts of the message: status, opcode, vendor_err, peer, hca, errno, size, path, rank ..."""
    location: str | None
    """``transport/net_ib.cc:1295`` where printed."""
    process: LogProcess
    ref: Ref
    count: int = 1


class NcclLog(Struct, frozen=True):
    """Everything read from the NCCL lines of one stream of one source."""

    source: str
    versions: tuple[LibraryVersion, ...] = ()
    components: tuple[ComponentVersion, ...] = ()
    env: tuple[EnvSetting, ...] = ()
    networks: tuple[NetworkChoice, ...] = ()
    net_devices: tuple[NetDevice, ...] = ()
    no_ib_device: tuple[Ref, ...] = ()
    """``NET/IB : No device found.``"""
    bootstraps: tuple[Bootstrap, ...] = ()
    plugins: tuple[PluginEvent, ...] = ()
    comms: tuple[CommInit, ...] = ()
    edges: EdgeColumns = EdgeColumns()
    gdr: tuple[GdrDecision, ...] = ()
    dmabuf: tuple[Ref, ...] = ()
    """``DMA-BUF is available on GPU device N`` lines, one a process."""
    channel_counts: tuple[ChannelCounts, ...] = ()
    nvls: tuple[NvlsSupport, ...] = ()
    rings: tuple[RingOrder, ...] = ()
    graphs: tuple[GraphSearch, ...] = ()
    links: tuple[TopologyLink, ...] = ()
    topologies: tuple[TopologySummary, ...] = ()
    algorithms: tuple[AlgorithmChoice, ...] = ()
    proxy_cores: tuple[ProxyCore, ...] = ()
    calls: tuple[CollectiveCall, ...] = ()
    warnings: tuple[LogWarning, ...] = ()
    processes: tuple[LogProcess, ...] = ()
    """Every process that logged anything."""
    lines: int = 0
    """NCCL lines seen."""
    unknown: int = 0
    """NCCL lines whose message no family knows."""
    subsystems: frozenset[str] = field(default_factory=frozenset)
    """Subsystems whose lines were seen (``INIT ENV NET GRAPH TUNING COLL``): the absence of a line is evidence only
    where its subsystem was on."""
