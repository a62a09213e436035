"""What the tools would print on a simulated cluster: a job over all nodes, the test of a group, the state of nodes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from zlib import crc32

from slowlink.simulate.cluster import SimulatedCluster
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, factor, render, render_rows
from slowlink.simulate.node_state import kernel_log_output, lspci_output, nvidia_smi_output, rdma_output
from slowlink.simulate.node_state.description import Busy, SimulatedNode

GPU = "NVIDIA H100 80GB HBM3"
_LAYOUT = "2.17.9"
_SIZES = tuple(1 << power for power in range(28, 34))
LARGEST = _SIZES[-1]
"""Bytes, of the last row."""
_HALF_PEAK = 8 << 20
_WITHIN = 0.002
"""Rows of one test differ by up to this share; tests differ by the noise of the cluster."""
_FIRST_PID = 4000


def group_output(
    cluster: SimulatedCluster, group: Sequence[str], gbs: float | None, *, gpus: int | None = None, number: int = 0
) -> str:
    """The table of nccl-tests of a group that gives ``gbs`` at large sizes; where it does not finish, it ends before
    the first row. ``gpus``: of each node, that take part; None: all. ``number``: another one, other jitter."""
    gpus = cluster.gpus if gpus is None else gpus
    nodes = tuple(Node(name, _FIRST_PID, gpus) for name in group)
    chance = random.Random(crc32("+".join(group).encode()) + cluster.seed + number)  # noqa: S311
    factor_ = factor("all_reduce", gpus * len(group))

    def measured(size: int) -> Measured:
        moved = (size + _HALF_PEAK) * factor_
        return Measured(moved / ((gbs or 1.0) * 1e3) * (1 + _WITHIN * chance.random()))

    run = Run("all_reduce", nodes, tuple(Step(size, measured(size), measured(size)) for size in _SIZES), gpu=GPU)
    lines = render(run, _LAYOUT)
    if gbs is None:
        lines = lines[: lines.index(render_rows(run, _LAYOUT)[0])]
    return "\n".join(lines) + "\n"


def whole_job(cluster: SimulatedCluster, *, logged: bool) -> str:
    """The log of a job over all nodes. ``logged``: with what NCCL_DEBUG=INFO adds."""
    names = cluster.fabric.nodes
    share = cluster.share(names)
    shape = {size: cluster.met_by_all(size) for size in _SIZES}
    return job_log(
        SimulatedJob(
            LoggedCluster(
                hosts=names,
                gpus=cluster.gpus,
                hcas=tuple(f"mlx5_{number}" for number in range(cluster.gpus)),
                nvls_channels=16,
                hcas_down={name: _down(parts) for name, parts in cluster.parts.items()},
                hosts_without_gdr=frozenset(cluster.without_gdr),
            ),
            gpu=GPU,
            plateau_gbs=cluster.usual_gbs * (share or 1.0),
            half_peak_bytes=_HALF_PEAK,
            smallest_bytes=_SIZES[0],
            largest_bytes=_SIZES[-1],
            logged=logged,
            noise=cluster.noise.normal,
            shape=shape,
            rows_before_death=None if share > 0 else 0,
        )
    )


def _down(parts: Mapping[str, float]) -> frozenset[str]:
    return frozenset(f"mlx5_{part[3:]}" for part, left in parts.items() if part.startswith("hca") and left <= 0)


def node_outputs(cluster: SimulatedCluster, name: str) -> Iterator[tuple[str, str]]:
    """(file, what the tool prints) for one node."""
    node = described_node(cluster, name)
    yield "nvidia-smi-q.txt", nvidia_smi_output.query(node)
    yield "nvidia-smi-topo.txt", nvidia_smi_output.topology(node)
    yield "ibstat.txt", rdma_output.ibstat(node)
    yield "lspci-vvv.txt", lspci_output.verbose(node)
    yield "dmesg.txt", kernel_log_output.kernel_log(node)


def described_node(cluster: SimulatedCluster, name: str) -> SimulatedNode:
    """The node with what its tools show of its faults."""
    parts: Mapping[str, float] = cluster.parts.get(name, {})
    hcas = {int(part[3:]): left for part, left in parts.items() if part.startswith("hca")}
    gpus = [int(part[3:]) for part in parts if part.startswith("gpu")]
    return SimulatedNode(
        name,
        number=cluster.fabric.nodes.index(name) + 1,
        gpus=cluster.gpus,
        slow_port=next((hca for hca, left in hcas.items() if left > 0), None),
        dead_port=next((hca for hca, left in hcas.items() if left <= 0), None),
        throttled=next(iter(gpus), None),
        busy=Busy() if name in cluster.at_times else None,
        peermem=name not in cluster.without_gdr,
    )
