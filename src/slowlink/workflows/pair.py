"""A perftest pair as a job of two ranks: the first node serves, the second is its client."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.benchmarks.interface import Program, RankCommand, Request
from slowlink.benchmarks.perftest import Endpoint, pairs, rank_command
from slowlink.errors import SlowlinkError
from slowlink.launch.hostfiles import target
from slowlink.model.plan import Allocation, Node

_STARTS_PAIRS = ("local", "ssh")


class Ends(Struct, frozen=True):
    """The two sides: of each pair the server's comes first."""

    devices: tuple[tuple[str, str], ...] = ()
    """HCAs, measured one after another; none: the first that perftest finds on each side."""
    gpu_memory: str | None = None
    """``cuda``, ``rocm``, ``maca``; None: host memory."""
    gpus: tuple[int, int] = (0, 0)

    @property
    def count(self) -> int:
        """How many tables one launch prints."""
        return max(len(self.devices), 1)


def common_hcas(nodes: Sequence[Node], ssh: str | None) -> tuple[str, ...]:
    """HCAs that all of ``nodes`` have, by name; of this machine where none are named. Raises SlowlinkError."""
    from slowlink.launch.node_check import check_nodes, here_devices

    answers = check_nodes(nodes, ssh, (), None) if nodes and ssh else here_devices()
    for answer in answers:
        if answer.trouble:
            raise SlowlinkError(
                f"{answer.node}: {answer.trouble}", hint="slowlink nodes --check", slug="nodes-not-ready"
            )
    named = [dict.fromkeys(name.partition(":")[0] for name in each.devices.get("infiniband", ())) for each in answers]
    found = tuple(name for name in named[0] if all(name in others for others in named))
    if not found:
        where = " and ".join(answer.node for answer in answers)
        raise SlowlinkError(
            f"--device all: {where} {'has no HCA' if len(answers) == 1 else 'have no HCA of the same name'}",
            hint="ibv_devices lists them; --device FIRST:SECOND names one on each node",
            slug="no-hca",
        )
    return found


def pair_command(ends: Ends, request: Request, program: Program, allocation: Allocation, launcher: str) -> RankCommand:
    """What the two ranks run. Raises SlowlinkError for another number of nodes, and where no pair can be started."""
    if launcher not in _STARTS_PAIRS:
        raise SlowlinkError(
            f"{launcher} does not start pairs of perftest",
            hint="--on ssh --nodes node[1-2] (in a Slurm allocation: two names of SLURM_JOB_NODELIST)",
            slug="perftest-not-here",
        )
    nodes = allocation.nodes if launcher == "ssh" else allocation.nodes[:1] * 2
    if len(nodes) != 2:
        raise SlowlinkError(
            f"{request.collective} measures one pair of nodes; {allocation.basis} names {len(nodes)}",
            hint="--nodes node[1-2]: the first serves, the second is the client; one run for each pair",
            slug="not-a-pair",
        )
    server, client = nodes
    serving, asking = ends.gpus if ends.gpu_memory else (None, None)
    hcas: tuple[tuple[str | None, str | None], ...] = ends.devices or ((None, None),)
    return rank_command(
        pairs(
            request,
            program,
            [Endpoint(server.name, hca, gpu=serving) for hca, _ in hcas],
            [Endpoint(client.name, hca, gpu=asking) for _, hca in hcas],
            address=target(server),
            gpu_memory=ends.gpu_memory or "cuda",
        )
    )
