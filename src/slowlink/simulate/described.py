"""A simulated cluster as people describe it: a few numbers and a list of faults.

nodes = 16
leaf_size = 8
faults = ["node07:hca-slow=0.5", "leaf1+leaf2:bad-cable=0.4"]
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.model.isolation import Fabric
from slowlink.simulate.cluster import Noise, SimulatedCluster
from slowlink.simulate.faults import Fault, parse_fault, put

MOST_NODES, _MOST_GPUS, _MOST_STEPS = 20_000, 16, 10_000


class Described(Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says; the rest has a default."""

    nodes: int = 16
    gpus: int = 8
    """Of each node, each with an HCA."""
    leaf_size: int = 8
    """Nodes of a leaf switch; 0: nobody knows, all are one."""
    usual_gbs: float = 390.0
    """Bus bandwidth of a sound group over all rails, GB/s."""
    noise: float = 0.01
    """Standard deviation from test to test, as a share."""
    disturbed: float = 0.0
    """Share of tests that something disturbs once."""
    seed: int = 0
    training: int = 0
    """Steps of a training whose calls are written down; 0: none."""
    profiler: Literal["inspector", "accl"] = "inspector"
    """Who writes them: NCCL's Inspector, or ROCm's accl-profiler."""
    faults: tuple[str, ...] = ()


def build(described: Described) -> tuple[SimulatedCluster, tuple[Fault, ...]]:
    """The cluster, and what is wrong with it. Raises SlowlinkError for what cannot be."""
    _check(described)
    width = max(2, len(str(described.nodes)))
    names = tuple(f"node{number:0{width}}" for number in range(1, described.nodes + 1))
    size = described.leaf_size
    leaf_of = {name: f"leaf{index // size + 1}" for index, name in enumerate(names)} if size else {}
    cluster = SimulatedCluster(
        Fabric(names, leaf_of),
        usual_gbs=described.usual_gbs,
        gpus=described.gpus,
        noise=Noise(normal=described.noise, heavy=described.disturbed),
        seed=described.seed,
    )
    faults = tuple(parse_fault(text, cluster) for text in described.faults)
    for fault in faults:
        put(fault, cluster)
    return cluster, faults


def _check(described: Described) -> None:
    limits = (
        ("nodes", described.nodes, 2, MOST_NODES),
        ("gpus", described.gpus, 1, _MOST_GPUS),
        ("leaf_size", described.leaf_size, 0, MOST_NODES),
        ("usual_gbs", described.usual_gbs, 0.001, 100_000),
        ("noise", described.noise, 0, 0.5),
        ("disturbed", described.disturbed, 0, 0.5),
        ("training", described.training, 0, _MOST_STEPS),
        ("seed", described.seed, 0, 1 << 62),
    )
    for name, value, least, most in limits:
        if not least <= value <= most:
            raise SlowlinkError(
                f"a simulated cluster with {name} = {value:g}", hint=f"from {least:g} to {most:g}", slug="bad-cluster"
            )
