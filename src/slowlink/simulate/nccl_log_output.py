"""Renders the debug log that NCCL writes for a described cluster, in the text of several versions.

The inverse of ``parsers.nccl_log``. Grammar and versions as read from NCCL's sources, 2.7 to 2.30: prefix, START and
COMPLETE lines, device lists, GPUDirect RDMA decisions and channel lines changed on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

VERSIONS = ("2.10.3", "2.18.5", "2.21.5", "2.24.3", "2.28.9", "2.30.7")
"""One of each generation of the text."""


class LoggedCluster(Struct, frozen=True):
    """A cluster and one communicator over all of its GPUs."""

    hosts: tuple[str, ...] = ("node1", "node2")
    gpus: int = 8
    """GPUs, and ranks, of one host."""
    version: str = "2.21.5"
    cuda: str = "12.4"
    network: str = "IB"
    """``IB``, ``Socket`` or the name of a plug-in (``AWS Libfabric``)."""
    hcas: tuple[str, ...] = ("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3")
    link_layer: str = "IB"
    gdr: bool = True
    gdr_limit_exceeded: bool = False
    """Without GPUDirect RDMA: because GPU and HCA are too far apart, not because the module is missing."""
    hosts_without_gdr: frozenset[str] = frozenset()
    """Hosts that go without GPUDirect RDMA although ``gdr`` is on."""
    hcas_down: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Host -> HCAs without a link, which NCCL does not list there."""
    intra: str = "P2P/CUMEM"
    """How GPUs of one host talk: ``P2P/CUMEM/read``, ``P2P/IPC``, ``SHM/direct/direct``."""
    channels: int = 4
    nvls_channels: int = 0
    env: Mapping[str, str] = field(default_factory=dict)
    lost_ranks: frozenset[int] = frozenset()
    """Ranks that start and never complete."""
    network_details: bool = True
    """Print what NCCL_DEBUG_SUBSYS=NET,GRAPH adds (GPUDirect decisions, the system's bandwidth)."""

    @property
    def nranks(self) -> int:
        return len(self.hosts) * self.gpus


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


class _Rank(Struct, frozen=True):
    """One rank of the cluster and the way its version prints it."""

    cluster: LoggedCluster
    rank: int

    @property
    def since(self) -> tuple[int, ...]:
        return _number(self.cluster.version)

    @property
    def gpu(self) -> int:
        return self.rank % self.cluster.gpus

    @property
    def host(self) -> str:
        return self.cluster.hosts[self.rank // self.cluster.gpus]

    @property
    def hcas(self) -> tuple[str, ...]:
        down = self.cluster.hcas_down.get(self.host, frozenset())
        return tuple(hca for hca in self.cluster.hcas if hca not in down)

    @property
    def gdr(self) -> bool:
        return self.cluster.gdr and self.host not in self.cluster.hosts_without_gdr

    @property
    def bus_id(self) -> str:
        return f"{0x1B + 0x10 * self.gpu:x}000"

    @property
    def bracket(self) -> str:
        """What stands behind the rank in channel lines: a bus id before 2.18.3, the NVML index since."""
        return f"{self.rank}[{self.gpu if self.since >= (2, 18, 3) else self.bus_id}]"

    def line(self, message: str) -> str:
        return f"{self.host}:{4000 + self.gpu}:{4100 + self.gpu} [{self.gpu}] NCCL INFO {message}"


def nccl_log_lines(cluster: LoggedCluster) -> Iterator[str]:
    """The lines of all ranks, in the order in which the steps of an initialisation happen."""
    return (text for _, text in ranked_nccl_log_lines(cluster))


def ranked_nccl_log_lines(cluster: LoggedCluster) -> Iterator[tuple[int, str]]:
    """The same with the rank that writes each line, for launchers that print it in front."""
    ranks = [_Rank(cluster, rank) for rank in range(cluster.nranks)]
    if _number(cluster.version) < (2, 22):
        yield 0, f"NCCL version {cluster.version}+cuda{cluster.cuda}"
    for step in (_start, _network, _communicator, _gdr, _channels, _complete):
        for rank in ranks:
            for message in step(rank):
                yield rank.rank, rank.line(message)


def nccl_log(cluster: LoggedCluster) -> str:
    """The whole log as one text."""
    return "\n".join(nccl_log_lines(cluster)) + "\n"


def _start(rank: _Rank) -> Iterator[str]:
    cluster, since = rank.cluster, rank.since
    if since >= (2, 22):
        yield f"NCCL version {cluster.version}+cuda{cluster.cuda}"
    if since >= (2, 13):
        major, _, minor = cluster.cuda.partition(".")
        yield f"cudaDriverVersion {int(major) * 1000 + int(minor or 0) * 10}"
    colon = "Bootstrap:" if since >= (2, 24) else "Bootstrap :"
    yield f"{colon} Using eth0:10.0.0.{1 + rank.rank // cluster.gpus}<0>"
    for name, value in cluster.env.items():
        stop = "." if value.lstrip("-").isdecimal() else ""
        yield f"{name} set by environment to {value}{stop}"


def _network(rank: _Rank) -> Iterator[str]:
    cluster, since = rank.cluster, rank.since
    address = f"eth0:10.0.0.{1 + rank.rank // cluster.gpus}<0>"
    if cluster.network == "IB":
        listed = " ".join(f"[{n}]{hca}:1/{cluster.link_layer}" for n, hca in enumerate(rank.hcas))
        ordering = " [RO]; OOB" if since >= (2, 12) else " ; OOB"
        yield f"NET/IB : Using {listed}{ordering} {address}"
    elif cluster.network == "Socket":
        yield "NET/IB : No device found."
        yield f"NET/Socket : Using [0]{address}"
    if since >= (2, 27):
        yield f"Assigned NET plugin {cluster.network} to comm"
    yield f"Using network {cluster.network}"
    if since >= (2, 13) and rank.gdr:
        yield f"DMA-BUF is available on GPU device {rank.gpu}"


def _place(rank: _Rank) -> str:
    nvml = f" nvmlDev {rank.gpu}" if rank.since >= (2, 18) else ""
    return (
        f"comm 0x55d0c5{rank.rank:06x} rank {rank.rank} nranks {rank.cluster.nranks} cudaDev {rank.gpu}{nvml} "
        f"busId {rank.bus_id}"
    )


def _life(rank: _Rank, step: str) -> str:
    since = rank.since
    comm_id = " commId 0xfa38415269cf0cf7" if since >= (2, 16) else ""
    function = "ncclCommInitRank " if since >= (2, 21) else ""
    number = f"[Rank {rank.rank}] " if since >= (2, 29) and step == "START" else ""
    return f"{number}{function}{_place(rank)}{comm_id} - Init {step}"


def _communicator(rank: _Rank) -> Iterator[str]:
    cluster, since = rank.cluster, rank.since
    if since >= (2, 18):
        yield _life(rank, "START")
    if since >= (2, 17):
        no = "" if cluster.nvls_channels else "not "
        yield f"NVLS multicast support is {no}available on dev {rank.gpu}"
    if since >= (2, 20):
        yield (
            f"comm 0x55d0c5{rank.rank:06x} rank {rank.rank} nRanks {cluster.nranks} nNodes {len(cluster.hosts)} "
            f"localRanks {cluster.gpus} localRank {rank.gpu} MNNVL 0"
        )


def _gdr(rank: _Rank) -> Iterator[str]:
    cluster, since = rank.cluster, rank.since
    if not cluster.network_details or cluster.network == "Socket" or since >= (2, 30):
        return
    present = rank.gdr or cluster.gdr_limit_exceeded
    for index, hca in enumerate(rank.hcas):
        if since >= (2, 13):
            able = "Enabled" if present else "Disabled"
            yield f"NET/{cluster.network} : GPU Direct RDMA {able} for HCA {index} '{hca}'"
        elif not present:
            yield f"NET/{cluster.network} : GPU Direct RDMA Disabled for HCA {index} '{hca}' (no module)"
    if present:
        gpu = str(rank.rank) if since >= (2, 24) else rank.bus_id
        decision = "Enabled" if rank.gdr else "Disabled"
        distance = "distance 4 <= 5), read 1" if rank.gdr else "distance 7 > 5)"
        yield f"GPU Direct RDMA {decision} for GPU {gpu} / HCA {rank.gpu % len(rank.hcas)} ({distance}"


def _edge(sender: _Rank, receiver: _Rank, channel: int, side: str) -> str:
    cluster = sender.cluster
    since = sender.since
    through_net = sender.rank // cluster.gpus != receiver.rank // cluster.gpus
    if not through_net:
        connection = "/0" if since >= (2, 14) and not cluster.intra.startswith("SHM") else ""
        return f"Channel {channel:02d}{connection} : {sender.bracket} -> {receiver.bracket} via {cluster.intra}"
    connection = "/0" if since >= (2, 12) else ""
    logger = sender if side == "send" else receiver
    device = 0 if cluster.network == "Socket" else logger.gpu % len(logger.hcas)
    gdr = "/GDRDMA" if logger.gdr and cluster.network != "Socket" else ""
    return (
        f"Channel {channel:02d}{connection} : {sender.bracket} -> {receiver.bracket} [{side}] "
        f"via NET/{cluster.network}/{device}{gdr}"
    )


def _channels(rank: _Rank) -> Iterator[str]:
    cluster, since = rank.cluster, rank.since
    n = cluster.nranks
    if rank.rank == 0:
        for channel in range(cluster.channels):
            order = " ".join(f"{each:3d}" for each in range(min(n, 16)))
            yield f"Channel {channel:02d}/{cluster.channels:02d} : {order}" + (" ..." if n > 16 else "")
    if n > 1:
        receiver = _Rank(cluster, (rank.rank + 1) % n)
        sender = _Rank(cluster, (rank.rank - 1) % n)
        for channel in range(cluster.channels):
            if sender.rank // cluster.gpus != rank.rank // cluster.gpus:
                yield _edge(sender, rank, channel, "receive")
            yield _edge(rank, receiver, channel, "send")
    yield "Connected all rings"
    c, nvls = cluster.channels, cluster.nvls_channels
    collnet = f"{c} collnet channels, " if since >= (2, 20) else ""
    with_nvls = f"{nvls} nvls channels, " if since >= (2, 17) else ""
    yield f"{c} coll channels, {collnet}{with_nvls}{2 * c} p2p channels, 2 p2p channels per peer"


def _complete(rank: _Rank) -> Iterator[str]:
    if rank.rank in rank.cluster.lost_ranks:
        return
    yield _life(rank, "COMPLETE")
    if rank.since >= (2, 23):
        yield (
            f"Init timings - ncclCommInitRank: rank {rank.rank} nranks {rank.cluster.nranks} total 1.27 (kernels 0.17, "
            "alloc 0.51, bootstrap 0.21, allgathers 0.02, topo 0.05, graphs 0.01, connections 0.30, rest 0.00)"
        )
