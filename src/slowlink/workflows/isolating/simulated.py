"""A simulated cluster on disk: evidence as the tools would print it, and beside it what is true."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from msgspec import convert, to_builtins

from slowlink.bundle.disk import put_whole
from slowlink.errors import SlowlinkError
from slowlink.inputs.small_toml import small_toml
from slowlink.isolate.search import Search
from slowlink.nodes import fold
from slowlink.simulate.cluster import SimulatedCluster
from slowlink.simulate.cluster_output import group_output, node_outputs, whole_job
from slowlink.simulate.described import Described, build
from slowlink.simulate.faults import Fault
from slowlink.simulate.training.on_cluster import training_files

FEW_NODES = 16
"""Up to so many, every pair is tested and every node tells its state."""
_MOST_LOGGED = 256
"""Ranks of a job whose log holds NCCL's lines."""


def load_described(path: Path) -> Described:
    """Raises SlowlinkError where the file is not there, is no TOML, or says what there is not."""
    try:
        return convert(small_toml(path), Described)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise SlowlinkError(f"cannot read {path}: {why}", hint="check the path", slug="input-not-found") from error
    except ValueError as error:
        raise SlowlinkError(
            f"{path}: {error}",
            hint='for instance: nodes = 16, leaf_size = 8, faults = ["node07:hca-slow=0.5"]',
            slug="bad-cluster",
        ) from error


def write_simulated(described: Described, directory: Path) -> tuple[Fault, ...]:
    """Write ``evidence/``, ``truth.json``, ``cluster.toml`` and ``leaves.txt`` below ``directory``, which must be empty
    or not be there. Returns what is wrong with the cluster. Raises SlowlinkError."""
    cluster, faults = build(described)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise SlowlinkError(f"{directory} is not empty", hint="name a new directory", slug="bundle-exists")
    try:
        for name, text in _files(described, cluster, faults):
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            put_whole(path, text.encode())
    except OSError as error:
        raise SlowlinkError(f"cannot write {directory}: {error.strerror}", hint="", slug="bundle-unwritable") from error
    return faults


def _files(described: Described, cluster: SimulatedCluster, faults: Sequence[Fault]) -> Iterator[tuple[str, str]]:
    names = cluster.fabric.nodes
    yield "evidence/job.log", whole_job(cluster, logged=len(names) * cluster.gpus <= _MOST_LOGGED)
    yield from _pairs(cluster)
    for name in names if len(names) <= FEW_NODES else sorted(cluster.sick):
        for file, text in node_outputs(cluster, name):
            yield f"evidence/nodes/{name}/{file}", text
    if described.training:
        for file, text in training_files(cluster, described.training, described.profiler):
            yield f"evidence/{described.profiler}/{file}", text
    leaves = {leaf: members for leaf, members in cluster.fabric.leaves.items() if leaf}
    yield "truth.json", json.dumps({"faults": [_told(fault) for fault in faults]}, indent=2) + "\n"
    yield "cluster.toml", _toml(described)
    if leaves:
        yield "leaves.txt", "".join(f"{leaf}: {fold(members)}\n" for leaf, members in leaves.items())


def _told(fault: Fault) -> dict[str, object]:
    return {name: value for name, value in to_builtins(fault).items() if value not in ("", None)}


def _toml(described: Described) -> str:
    values = to_builtins(described)
    faults = ", ".join(json.dumps(fault) for fault in values.pop("faults"))
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()) + f"faults = [{faults}]\n"


def _pairs(cluster: SimulatedCluster) -> Iterator[tuple[str, str]]:
    """Every pair of few nodes; of many those that a search would try."""
    names = cluster.fabric.nodes
    if len(names) <= FEW_NODES:
        pairs = list(combinations(names, 2))
        for pair, gbs in zip(pairs, cluster.measure(pairs), strict=True):
            yield f"evidence/pairs/{'_'.join(pair)}.log", group_output(cluster, pair, gbs)
        return
    search = Search(cluster.fabric, seed=cluster.seed)
    while groups := search.plan().groups:
        values = cluster.measure(groups)
        search.add(list(zip(groups, values, strict=True)))
        for group, gbs in zip(groups, values, strict=True):
            name = f"evidence/pairs/round-{search.rounds}/{'_'.join(group)}.log"
            yield name, group_output(cluster, group, gbs, number=search.rounds)
