"""A training on all nodes of a simulated cluster: its shape, and what its faults do to it."""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.simulate.cluster import SimulatedCluster
from slowlink.simulate.training.accl_output import accl_files_of
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

_STAGES = (8, 4, 2)
_LEAST_REPLICAS = 4
_BESIDE_A_DEAD_HCA = 0.5
"""Its traffic goes through that of a neighbour."""


def shape_on(nodes: int, gpus: int) -> Shape:
    """A node is one group of tensor parallelism; as many stages as leave four replicas of each, or one."""
    stages = next((each for each in _STAGES if nodes % each == 0 and nodes // each >= _LEAST_REPLICAS), 1)
    return Shape(tensor=gpus, data=nodes // stages, pipeline=stages)


def sick_on(cluster: SimulatedCluster, shape: Shape) -> Sick:
    """What each fault of the cluster leaves of ranks, HCAs and paths."""
    numbers = {name: number for number, name in enumerate(cluster.fabric.nodes)}
    gpu: dict[int, float] = {}
    hca: dict[int, float] = {}
    for name, number in numbers.items():
        ranks = range(number * shape.tensor, (number + 1) * shape.tensor)
        left = cluster.nodes.get(name)
        if left:
            (hca if name in cluster.without_gdr else gpu).update(dict.fromkeys(ranks, left))
        if name in cluster.at_times:
            rest, duty = cluster.at_times[name]
            gpu.update(dict.fromkeys(ranks, 1 / (1 - duty + duty / max(rest, 0.01))))
        for part, share in cluster.parts.get(name, {}).items():
            rank = ranks[int(part[3:])]
            (hca if part.startswith("hca") else gpu)[rank] = share or _BESIDE_A_DEAD_HCA
    pairs = {(numbers[one], numbers[other]): left for (one, other), left in cluster.node_pairs.items() if left}
    leaves = cluster.fabric.leaves
    for (one, other), left in cluster.leaf_pairs.items():
        pairs |= {(numbers[a], numbers[b]): left for a in leaves[one] for b in leaves[other]}
    return Sick(
        gpu=gpu, hca=hca, path={(one, other): left for (one, other), left in pairs.items() if _meet(one, other, shape)}
    )


def _meet(one: int, other: int, shape: Shape) -> bool:
    """Do two nodes send to one another: neighbours in a ring of replicas, or in a pipeline?"""
    (stage, place), (next_stage, next_place) = sorted((divmod(one, shape.data), divmod(other, shape.data)))
    if stage == next_stage:
        return next_place - place in (1, shape.data - 1)
    return place == next_place and next_stage == stage + 1


def training_files(cluster: SimulatedCluster, steps: int, profiler: str) -> Iterator[tuple[str, str]]:
    """(file, text) of each rank: of NCCL's Inspector, or of ``accl``."""
    shape = shape_on(len(cluster.fabric.nodes), cluster.gpus)
    job = Job(shape, Noise(), sick_on(cluster, shape), cluster.seed)
    return (accl_files_of if profiler == "accl" else files_of)(columns_of(job, steps))
