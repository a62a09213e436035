"""linux-rdma perftest: a server on one node, a client on the other, one HCA and one port each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from slowlink.benchmarks.interface import Program, RankCommand, Request
from slowlink.benchmarks.own_module import own_module
from slowlink.errors import SlowlinkError

TESTS = ("ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_write_lat", "ib_read_lat", "ib_send_lat")
FIRST_TCP_PORT = 18515
"""perftest's own default. Pairs that run at once need one each."""


class Endpoint(Struct, frozen=True):
    """One side."""

    node: str
    hca: str | None = None
    """None: the first that perftest finds."""
    port: int = 1
    gpu: int | None = None
    """GPU whose memory is the buffer; None: host memory."""


class Pair(Struct, frozen=True):
    """Two commands: the server is started first, and the client when it listens."""

    server_node: str
    server: tuple[str, ...]
    client_node: str
    client: tuple[str, ...]


class Perftest:
    """The tests by name; ``command`` gives the server's side, ``pair`` both."""

    name: ClassVar[str] = "perftest"
    collectives: ClassVar[tuple[str, ...]] = TESTS

    def candidates(self, collective: str) -> tuple[str, ...]:
        return (collective, f"/usr/bin/{collective}", f"/opt/perftest/bin/{collective}", f"/usr/local/bin/{collective}")

    def command(self, request: Request, program: Program) -> RankCommand:
        return RankCommand((*_argv(program, request), *request.extra), gpus_per_rank=0)


def pair(
    request: Request,
    program: Program,
    server: Endpoint,
    client: Endpoint,
    *,
    address: str | None = None,
    gpu_memory: str = "cuda",
    tcp_port: int = FIRST_TCP_PORT,
) -> Pair:
    """One test between two HCAs. ``address``: how the client reaches the server; None: its name.

    ``gpu_memory``: ``cuda``, ``rocm`` or ``maca``, used where an endpoint names a GPU. Raises SlowlinkError when the
    program was built without it.
    """
    common = [*_argv(program, request), "-p", str(tcp_port)]
    return Pair(
        server.node,
        (*common, *_side(server, program, gpu_memory), *request.extra),
        client.node,
        (*common, *_side(client, program, gpu_memory), *request.extra, address or server.node),
    )


def pairs(
    request: Request,
    program: Program,
    servers: Sequence[Endpoint],
    clients: Sequence[Endpoint],
    *,
    address: str | None = None,
    gpu_memory: str = "cuda",
) -> tuple[Pair, ...]:
    """HCA by HCA, each pair on a TCP port of its own so that all may run at once."""
    return tuple(
        pair(request, program, server, client, address=address, gpu_memory=gpu_memory, tcp_port=FIRST_TCP_PORT + index)
        for index, (server, client) in enumerate(zip(servers, clients, strict=True))
    )


def rank_command(pairs: Sequence[Pair]) -> RankCommand:
    """What both ranks run: rank 0 the servers, rank 1 the clients, one pair after another."""
    words: list[str] = []
    for each in pairs:
        words += ["--server", *each.server, "--client", *each.client]
    return RankCommand((*own_module(sys.executable, "slowlink.launch.pair"), *words), gpus_per_rank=0)


def _argv(program: Program, request: Request) -> list[str]:
    """Bandwidth in Gb/s, CPU frequency not checked (it warns on every modern CPU). A range of sizes is all of them."""
    bandwidth = ["--report_gbits"] if request.collective.endswith("_bw") else []
    sizes = ["-s", str(request.max_bytes)] if request.min_bytes == request.max_bytes else ["-a"]
    count = ["-n", str(max(5, request.iterations))] if request.duration_s is None else ["-D", str(request.duration_s)]
    return [program.path, "-F", *bandwidth, *sizes, *count]


def _side(endpoint: Endpoint, program: Program, gpu_memory: str) -> list[str]:
    argv = [] if endpoint.hca is None else ["-d", endpoint.hca, "-i", str(endpoint.port)]
    if endpoint.gpu is None:
        return argv
    was_read = program.features or program.with_mpi is not None
    if was_read and gpu_memory not in program.features:
        raise SlowlinkError(
            f"{program.path} was built without --use_{gpu_memory}: it cannot use GPU memory",
            hint=f"build perftest with {gpu_memory.upper()} support, or measure host memory",
            slug="perftest-without-gpu",
        )
    return [*argv, f"--use_{gpu_memory}={endpoint.gpu}"]


BENCHMARK = Perftest()
